"""The checkers board, and what both boards have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from ludus.core.rules import Turn
from ludus.games import GAMES
from ludus.wire import codec
from ludus.wire.checkers.arena import board as arena_board

from ..server_process import ServerProcess
from .boards import Laid
from .browser import SharedBrowser, Visitor
from .conftest import Visit

START = codec("checkers").rooms.board(GAMES["checkers"].variants["standard"])["board"]
OPENING = [{"from": 42, "to": 33, "captures": []}, {"from": 42, "to": 35, "captures": []}]
ADVICE_THEME = {"adviceColor": "#aa00aa"}
CHAIN = {"from": 56, "to": 14, "captures": [49, 35, 21]}
BY_LEFT = {"from": 58, "to": 26, "captures": [49, 33]}
BY_RIGHT = {"from": 58, "to": 26, "captures": [51, 35]}
MOVE_AND_COUNT = """async ([tag, properties]) => {
  const board = Object.assign(document.querySelector(tag), properties);
  await Promise.resolve();
  return board.shadowRoot.getAnimations().length;
}"""
"""At once, since a man is on its way for less than a slow machine needs for two questions."""


@pytest.fixture(scope="module")
def visitor(browser: SharedBrowser, server: ServerProcess) -> Iterator[Visitor]:
    """One visitor for all tests of this file: each lays a board of its own."""
    visitor = Visitor(browser, server.url)
    yield visitor
    visitor.close()


def pieces(red: list[int], black: list[int]) -> list[dict[str, str] | None]:
    board: list[dict[str, str] | None] = [None] * 64
    for index in red:
        board[index] = {"player": "red", "type": "man"}
    for index in black:
        board[index] = {"player": "black", "type": "man"}
    return board


def chain(visitor: Visitor) -> Laid:
    return Laid(visitor, "checkers", position=pieces([56], [49, 35, 21]), moves=[CHAIN], side="red")


def test_what_can_move_is_marked_and_then_where_it_can_go(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=START, moves=OPENING, side="red")
    assert board.marked("source") == {"42"}
    board.tap(42)
    assert board.marked("target") == {"33", "35"}


def test_a_tap_on_a_man_and_one_on_a_target_make_a_move(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=START, moves=OPENING, side="red")
    board.tap(42, 33)
    assert board.said == [OPENING[0]]
    assert board.marked("source") == set()


def test_a_man_can_be_dragged(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=START, moves=OPENING, side="red")
    board.drag(42, 35)
    assert board.said == [OPENING[1]]


def test_a_man_dropped_where_it_cannot_go_is_back(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=START, moves=OPENING, side="red")
    board.drag(42, 24)
    assert board.said == []
    expect(board.cell(42)).to_have_attribute("aria-label", re.compile("red man"))


def test_a_chain_is_followed_jump_by_jump(visitor: Visitor) -> None:
    board = chain(visitor)
    board.tap(56, 42)
    assert board.said == []
    assert board.marked("target") == {"28", "14"}
    board.tap(28, 14)
    assert board.said == [CHAIN]


def test_a_chain_that_is_the_only_one_to_its_end_takes_one_tap(visitor: Visitor) -> None:
    board = chain(visitor)
    board.tap(56, 14)
    assert board.said == [CHAIN]


def test_a_chain_is_dragged_jump_by_jump(visitor: Visitor) -> None:
    board = chain(visitor)
    board.drag(56, 42)
    board.drag(42, 28)
    board.drag(28, 14)
    assert board.said == [CHAIN]


def test_escape_takes_a_chain_back(visitor: Visitor) -> None:
    board = chain(visitor)
    board.tap(56, 42)
    board.page.keyboard.press("Escape")
    assert board.marked("source") == {"56"}
    expect(board.cell(42)).to_have_attribute("aria-label", re.compile("empty"))


def test_two_chains_with_the_same_ends_differ_in_their_path(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=pieces([58], [49, 33, 51, 35]), moves=[BY_LEFT, BY_RIGHT], side="red")
    board.tap(58)
    assert board.marked("target") == {"40", "44"}
    board.tap(44, 26)
    assert board.said == [BY_RIGHT]


def test_without_moves_nothing_is_marked_or_fired(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=START, side="red")
    board.tap(42, 33)
    assert board.said == []
    assert board.inside("[data-mark]").count() == 0


def test_arrows_walk_over_the_dark_squares_and_enter_makes_the_move(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=START, moves=OPENING, side="red")
    board.cell(42).focus()
    for key in ("Enter", "ArrowUp", "Enter"):
        board.page.keyboard.press(key)
    assert board.said in ([OPENING[0]], [OPENING[1]])


def test_one_cell_alone_is_in_the_order_of_tabs(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=START, moves=OPENING, side="red")
    assert board.inside('[role=gridcell][tabindex="0"]').count() == 1
    assert board.inside("[role=grid] [role=row] [role=gridcell]").count() == 32


@pytest.mark.parametrize(
    ("side", "attributes", "first"),
    [("red", (), "56"), ("black", (), "7"), ("red", ("flip",), "7"), ("black", ("flip",), "56")],
)
def test_the_side_sits_at_the_bottom_unless_the_board_is_turned(
    visitor: Visitor, side: str, attributes: tuple[str, ...], first: str
) -> None:
    board = Laid(visitor, "checkers", *attributes, position=START, side=side)
    assert board.inside("[role=row]").last.locator("[role=gridcell]").first.get_attribute("data-place") == first


def test_the_last_move_is_shown(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=START, last=CHAIN)
    expect(board.inside(".under .last")).to_have_count(4)


def test_a_compact_board_is_a_picture(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", "compact", position=START, moves=OPENING)
    expect(board.page.locator("ludus-checkers")).to_have_attribute("role", "img")
    assert board.inside("[tabindex]").count() == 0


def test_a_theme_becomes_custom_properties_and_goes_with_the_next(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=START, theme={"primaryColor": "#ff6b00", "darkColor": "#335577"})
    fill = "tag => getComputedStyle(document.querySelector(tag).shadowRoot.querySelectorAll('.plate rect')[1]).fill"
    assert board.page.evaluate(fill, board.tag) == "rgb(51, 85, 119)"
    board(theme=None)
    assert board.page.evaluate(fill, board.tag) != "rgb(51, 85, 119)"


def test_labels_can_be_in_another_language(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=START, labels={"red.man": "pion rouge"})
    expect(board.cell(56)).to_have_attribute("aria-label", "4, pion rouge")


@pytest.mark.parametrize("attributes", [(), ("compact",)])
def test_labels_that_arrive_late_rename_a_board_unless_the_page_named_it(
    visitor: Visitor, attributes: tuple[str, ...]
) -> None:
    board = Laid(visitor, "checkers", *attributes, position=START)
    named = board.page.locator(board.tag) if attributes else board.inside("[role=grid]")
    expect(named).to_have_accessible_name("Checkers board")
    board(labels={"board": "Damier"})
    expect(named).to_have_accessible_name("Damier")
    board(ariaLabel="Table 7", position=START)
    expect(named).to_have_accessible_name("Table 7")


@pytest.mark.parametrize("is_animated", [False, True])
def test_men_glide_unless_reduced_motion_is_preferred(visit: Visit, is_animated: bool) -> None:
    board = Laid(visit(is_animated=is_animated), "checkers", position=pieces([42], []))
    moving = board.page.evaluate(MOVE_AND_COUNT, [board.tag, {"position": pieces([33], []), "last": OPENING[0]}])
    assert (moving > 0) is is_animated


def test_the_arena_s_view_becomes_the_room_s_board(visitor: Visitor) -> None:
    rules = GAMES["checkers"]
    position: Any = rules.variants["standard"]
    for _ in range(12):
        position = rules.play(position, rules.moves(position)[-1])
    assert rules.turn(position) is not Turn.OVER
    page = visitor.open("/")
    source = page.locator("script[type=module]").get_attribute("src") or ""
    module = source.replace("play/page.js", "games/checkers/board.js")
    shown = page.evaluate(
        "async ([module, view]) => (await import(module)).fromArena(view)", [module, {"board": arena_board(position)}]
    )
    assert shown == codec("checkers").rooms.board(position)["board"]


def test_a_suggested_move_has_an_arrow_along_its_jumps_and_a_description(visitor: Visitor) -> None:
    board = Laid(visitor, "checkers", position=pieces([56], [49, 35, 21]), advice=CHAIN, theme=ADVICE_THEME)
    expect(board.inside(".arrow")).to_have_count(1)
    assert board.inside(".arrow .ink .stop").count() == 3, "where it starts, and where it touches down between"
    expect(board.inside(".arrow .ink .head")).to_have_css("fill", "rgb(170, 0, 170)")
    expect(board.inside("[role=grid]")).to_have_attribute("aria-description", re.compile(r"Suggested: 4x11x18x25\.$"))
    assert board.marked("source") == set(), "nobody is asked to make it"
    board(advice=None)
    expect(board.inside(".arrow")).to_have_count(0)
    expect(board.inside("[role=grid]")).not_to_have_attribute("aria-description", re.compile("Suggested"))
