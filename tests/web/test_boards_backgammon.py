"""The backgammon board: plays man by man."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from ludus.games import GAMES
from ludus.wire import codec

from ..server_process import ServerProcess
from .boards import Laid
from .browser import SharedBrowser, Visitor

EDGES = "(element) => { const { left, right } = element.getBoundingClientRect(); return [left, right]; }"

COVERED = """(cube) => {
  const { left, right, top, bottom } = cube.getBoundingClientRect();
  const boxes = [...cube.getRootNode().querySelectorAll(".piece")].map((piece) => piece.getBoundingClientRect());
  return boxes.filter((box) => box.left < right && left < box.right && box.top < bottom && top < box.bottom).length;
}"""
"""How many checkers the cube lies on."""


@pytest.fixture(scope="module")
def visitor(browser: SharedBrowser, server: ServerProcess) -> Iterator[Visitor]:
    """One visitor for all tests of this file: each lays a board of its own."""
    visitor = Visitor(browser, server.url)
    yield visitor
    visitor.close()


def rolled(xgid: str) -> dict[str, Any]:
    """A position as a board wants it, with its legal plays."""
    position = GAMES["backgammon"].notation.read_position(xgid)
    view = codec("backgammon").rooms
    color = view.colors[int(position.mover)]
    return {
        "position": {**view.board(position), "currentColor": color},
        "moves": view.moves_from(position),
        "side": color,
    }


def opening(dice: str) -> dict[str, Any]:
    return rolled(f"XGID=-b----E-C---eE---c-e----B-:0:0:1:{dice}:0:0:0:0:10")


def test_a_play_is_built_step_by_step_and_fired_when_confirmed(visitor: Visitor) -> None:
    board = Laid(visitor, "backgammon", **opening("31"))
    board.tap(8, 5)
    assert board.said == []
    expect(board.inside(".confirm")).to_be_hidden()
    board.tap(6, 5)
    board.inside(".confirm").click()
    assert [sorted(move.items()) for move in board.said[0]["moves"]] == [
        sorted({"from": 8, "to": 5}.items()),
        sorted({"from": 6, "to": 5}.items()),
    ]


def test_steps_are_taken_back_one_by_one(visitor: Visitor) -> None:
    board = Laid(visitor, "backgammon", **opening("31"))
    before = board.marked("source")
    board.tap(8, 5, 6, 5)
    board.inside(".undo").click()
    expect(board.cell(6)).to_have_attribute("aria-label", re.compile("5 white"))
    expect(board.cell(5)).to_have_attribute("aria-label", re.compile("1 white"))
    board.page.keyboard.press("Escape")
    board.cell(13).focus()
    board.page.keyboard.press("Escape")
    assert board.marked("source") == before
    assert board.said == []


@pytest.mark.parametrize(
    ("actions", "button", "chosen"),
    [
        (["roll", "double"], "Roll", "roll"),
        (["roll", "double"], "Double to 4", "double"),
        (["take", "drop", "beaver"], "Take", "take"),
        (["take", "drop", "beaver"], "Drop", "drop"),
        (["take", "drop", "beaver"], "Beaver", "beaver"),
    ],
)
def test_the_cube_is_turned_with_buttons(visitor: Visitor, actions: list[str], button: str, chosen: str) -> None:
    cube = {"value": 2, "owner": "white", "offered": None, "offeredTo": None, "actions": actions}
    position = {**opening("31")["position"], "dice": [], "cube": cube}
    moves = [{"cube": action} for action in actions]
    board = Laid(visitor, "backgammon", width=390, side="white", position=position, moves=moves)
    expect(board.inside(".controls button:visible")).to_have_count(len(actions))
    board.page.get_by_role("button", name=button, exact=True).click()
    assert board.said == [{"cube": chosen}]
    expect(board.inside(".controls button:visible")).to_have_count(0)


@pytest.mark.parametrize("width", [390, 800])
def test_the_cube_lies_with_its_owner_or_where_it_is_offered(visitor: Visitor, width: int) -> None:
    def middle(**cube: object) -> float:
        common: dict[str, object] = {"value": 1, "owner": None, "offered": None, "offeredTo": None, "actions": []}
        board(position={**opening("31")["position"], "dice": [], "cube": {**common, **cube}})
        expect(board.inside(".cube")).to_have_count(1)
        box = board.inside(".cube-place").bounding_box()
        assert box is not None
        return box["y"] + box["height"] / 2

    board = Laid(visitor, "backgammon", width=width, **{**opening("31"), "moves": []})
    expect(board.inside(".cube")).to_have_count(0)
    centred, own, theirs = middle(), middle(owner="white"), middle(owner="black")
    assert theirs < centred < own
    expect(board.page.get_by_role("img", name="Doubling cube: 1, owned by black")).to_be_attached()
    middle(offered=2, offeredTo="white")
    expect(board.inside(".cube.offered .cube-value")).to_have_text("2")


@pytest.mark.parametrize("width", [390, 800])
@pytest.mark.parametrize("color", ["white", "black"])
def test_an_offered_cube_covers_no_checker_on_the_bar(visitor: Visitor, width: int, color: str) -> None:
    cube = {"value": 1, "owner": None, "offered": 2, "offeredTo": color, "actions": ["take", "drop"]}
    position = {**rolled("XGID=cb----D-B---cC---c-c----BC:0:0:1:31:0:0:0:0:10")["position"], "dice": [], "cube": cube}
    moves = [{"cube": "take"}, {"cube": "drop"}]
    board = Laid(visitor, "backgammon", width=width, side="white", position=position, moves=moves)
    expect(board.inside(".piece")).to_have_count(30)
    covered = board.inside(".cube-place").evaluate(COVERED)
    assert covered == 0


@pytest.fixture
def low_window(visitor: Visitor) -> Iterator[Visitor]:
    """Too low for the layout of a narrow board."""
    visitor.page.set_viewport_size({"width": 1280, "height": 400})
    yield visitor
    visitor.page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.parametrize("width", [300, 360, 440, 690])
@pytest.mark.parametrize("color", ["white", "black"])
@pytest.mark.parametrize("actions", [("roll", "double"), ("take", "drop", "beaver")])
@pytest.mark.parametrize(
    "labels", [{}, {"roll": "Würfeln", "double": "Verdoppeln", "take": "Annehmen", "drop": "Ablehnen"}]
)
def test_the_buttons_for_the_cube_lie_on_the_board_and_beside_the_cube(
    low_window: Visitor, width: int, color: str, actions: tuple[str, ...], labels: dict[str, str]
) -> None:
    offer = {"offered": None, "offeredTo": None} if "roll" in actions else {"offered": 2, "offeredTo": color}
    cube = {"value": 1, "owner": None, **offer, "actions": list(actions)}
    position = {**opening("31")["position"], "dice": [], "cube": cube}
    moves = [{"cube": action} for action in actions]
    board = Laid(low_window, "backgammon", width=width, side="white", position=position, moves=moves, labels=labels)
    buttons = board.inside(".controls button:visible")
    expect(buttons).to_have_count(len(actions))
    left, right = board.page.locator("ludus-backgammon").evaluate(EDGES)
    cube_left, cube_right = board.inside(".cube-place").evaluate(EDGES)
    for button in buttons.all():
        button_left, button_right = button.evaluate(EDGES)
        assert left <= button_left and button_right <= right
        assert cube_right <= button_left or button_right <= cube_left


def test_the_buttons_for_the_cube_are_small_only_where_they_have_to_be(visitor: Visitor) -> None:
    cube = {"value": 1, "owner": None, "offered": None, "offeredTo": None, "actions": ["roll", "double"]}
    position = {**opening("31")["position"], "dice": [], "cube": cube}
    moves = [{"cube": "roll"}, {"cube": "double"}]
    board = Laid(visitor, "backgammon", width=690, side="white", position=position, moves=moves)
    left, right = board.inside(".roll").evaluate(EDGES)
    assert right - left == 96


@pytest.mark.parametrize(("swaps", "lands"), [(0, 7), (1, 11)])
def test_a_man_tapped_twice_goes_by_the_first_die_and_a_tap_swaps_the_dice(
    visitor: Visitor, swaps: int, lands: int
) -> None:
    board = Laid(visitor, "backgammon", **opening("62"))
    for _ in range(swaps):
        board.inside(".swap").click()
    board.tap(13, 13)
    expect(board.cell(lands)).to_have_attribute("aria-label", re.compile("1 white"))


def test_a_man_can_go_by_both_dice_at_once(visitor: Visitor) -> None:
    board = Laid(visitor, "backgammon", **opening("65"))
    board.tap(24)
    assert "13" in board.marked("target")
    board.tap(13)
    board.inside(".confirm").click()
    assert {step["from"] for step in board.said[0]["moves"]} == {24, 18}


def test_a_man_can_be_dragged_to_a_point(visitor: Visitor) -> None:
    board = Laid(visitor, "backgammon", **opening("61"))
    board.drag(13, 7)
    expect(board.cell(7)).to_have_attribute("aria-label", re.compile("1 white"))


def test_a_man_on_the_bar_enters_first_and_hits(visitor: Visitor) -> None:
    board = Laid(visitor, "backgammon", **rolled("XGID=-b----E-C---eE---c-d---aAA:0:0:1:21:0:0:0:0:10"))
    assert board.marked("source") == {"bar-white"}
    board.tap("bar-white", 23)
    expect(board.cell("bar-black")).to_have_attribute("aria-label", re.compile("1 black"))


def test_men_are_borne_off_into_the_tray(visitor: Visitor) -> None:
    board = Laid(visitor, "backgammon", **rolled("XGID=-CCCBBB------------bbbccc-:0:0:1:65:0:0:0:0:10"))
    board.tap(6, "off-white", 5, "off-white")
    board.inside(".confirm").click()
    assert [step["to"] for step in board.said[0]["moves"]] == ["off", "off"]


def test_black_sits_at_the_bottom_and_counts_from_there(visitor: Visitor) -> None:
    board = Laid(visitor, "backgammon", **rolled("XGID=-b----E-C---eE---c-e----B-:0:0:-1:61:0:0:0:0:10"))
    expect(board.cell(1)).to_have_attribute("aria-label", re.compile("point 24, 2 black"))
    white, black = board.cell(1).bounding_box(), board.cell(24).bounding_box()
    assert white is not None and black is not None
    assert black["y"] > white["y"]


@pytest.mark.parametrize("width", [320, 390, 559, 560, 800])
def test_bar_and_trays_are_big_enough_for_a_thumb(visitor: Visitor, width: int) -> None:
    board = Laid(visitor, "backgammon", width=width, **opening("61"))
    for place in ("bar-white", "bar-black", "off-white", "off-black"):
        box = board.cell(place).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44, (place, box)
    swap = board.inside(".swap").bounding_box()
    assert swap is not None
    assert min(swap["width"], swap["height"]) >= 44


def test_the_server_is_asked_which_steps_can_follow(visitor: Visitor) -> None:
    board = Laid(visitor, "backgammon", **opening("31"))
    board.page.evaluate(
        """tag => {
          const board = document.querySelector(tag);
          window.asked = [];
          board.steps = async (soFar) => {
            window.asked.push(soFar);
            return soFar.length ? [] : [{from: 24, to: 21}];
          };
          board.moves = board.moves;
        }""",
        board.tag,
    )
    board.inside('[data-mark="source"]').wait_for()
    assert board.marked("source") == {"24"}
    board.tap(24, 21)
    expect(board.inside(".confirm")).to_be_visible()
    assert board.page.evaluate("window.asked")[0] == []


def test_steps_that_the_server_did_not_tell_are_asked_for_again(visitor: Visitor) -> None:
    board = Laid(visitor, "backgammon", **opening("31"))
    board.page.evaluate(
        """tag => {
          let answers = 0;
          const board = document.querySelector(tag);
          board.steps = async () => {
            if (!answers++) throw new Error("no answer");
            return [{from: 24, to: 21}];
          };
          board.moves = board.moves;
        }""",
        board.tag,
    )
    expect(board.cell(24)).to_have_attribute("data-mark", "source")


@pytest.mark.parametrize(
    ("steps", "count", "words"),
    [
        ([(8, 5), (6, 5)], 2, "8/5 6/5"),
        ([(24, 18), (18, 13)], 1, "24/18/13"),
        ([(8, 5), (8, 5), (6, 3), (6, 3)], 2, "8/5(2) 6/3(2)"),
        ([("bar", 22), (6, "off")], 2, "bar/22 6/off"),
        ([(1, 7), (12, 13)], 2, "24/18 13/12"),
    ],
)
def test_a_suggested_play_has_an_arrow_for_every_way(
    visitor: Visitor, steps: list[tuple[Any, Any]], count: int, words: str
) -> None:
    board = Laid(visitor, "backgammon", **{**opening("31"), "moves": []})
    board(advice={"moves": [{"from": start, "to": end} for start, end in steps]})
    expect(board.inside(".arrow")).to_have_count(count)
    doubled = [step for step in set(steps) if steps.count(step) > 1]
    assert board.inside(".arrow .tally").count() == len(doubled)
    expect(board.inside("[role=grid]")).to_have_attribute("aria-description", re.compile(re.escape(words)))
