"""A finished game step by step, and what the engine thinks of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from ..server_process import ServerProcess
from .access import barriers, overflows
from .board_player import BoardPlayer
from .conftest import Visit
from .matches import Match
from .test_play import resign, start

NO_TOTALS: dict[str, Any] = {"accuracy": [0.9, None], "players": None, "games": None}
NOT_COMPARED: dict[str, Any] = {"candidates": [], "cube": None, "luck": None, "luckMark": None}
"""What a made-up review of a move leaves out."""
FIRST_MISTAKE = """async () => {
  const ask = async (path) => (await fetch(path)).json();
  const table = `/web/tables/${location.pathname.split("/").at(-1)}`;
  const [record, { moves }] = [await ask(table), await ask(`${table}/analysis`)];
  const own = moves.filter(({ seat, mark }) => seat === 1 && ["mistake", "blunder"].includes(mark));
  const { number, best } = own.sort((one, other) => one.number - other.number)[0];
  return [record.moves[number - 1].move, best.move];
}"""
"""The second player's first one, and the best move in its place."""
PACE_MS = 1100
"""How long a game that plays by itself shows each move."""


@pytest.fixture(scope="module")
def checkers(server: ServerProcess) -> Match:
    return Match(server, "checkers").play(14).resign()


@pytest.fixture(scope="module")
def backgammon(server: ServerProcess) -> Match:
    return Match(server, "backgammon", seed=3).play(10).resign()


def current(page: Page) -> int:
    """The number of the move on show."""
    return (
        int(page.evaluate("[...document.querySelectorAll('.move')].findIndex((m) => m.hasAttribute('aria-current'))"))
        + 1
    )


def test_a_game_is_stepped_through_by_buttons_keys_and_moves(visit: Visit, checkers: Match) -> None:
    page = visit().open(f"/matches/{checkers.id}")
    expect(page.locator(".move")).to_have_count(14)
    page.get_by_role("button", name="Next move").click()
    assert current(page) == 1
    page.keyboard.press("ArrowRight")
    assert current(page) == 2
    page.locator(".move").nth(6).click()
    assert current(page) == 7
    page.keyboard.press("End")
    assert current(page) == 14
    page.keyboard.press("Home")
    assert current(page) == 0
    pieces = "document.querySelector('ludus-checkers').position.board.filter(Boolean).length"
    assert page.evaluate(pieces) == 24


@pytest.mark.parametrize(("game", "frame"), [("checkers", "rgb(168, 118, 78)"), ("backgammon", "rgb(109, 74, 48)")])
def test_the_board_is_painted_at_once(visit: Visit, request: pytest.FixtureRequest, game: str, frame: str) -> None:
    """A browser once laid the board out and painted nothing of it."""
    visitor = visit()
    page = visitor.open(f"/matches/{request.getfixturevalue(game).id}")
    page.locator(f"ludus-{game} .pieces > *").first.wait_for(state="attached")
    page.wait_for_timeout(300)
    box = page.locator(f"ludus-{game}").bounding_box()
    assert box is not None
    assert visitor.colour(box["x"] + 6, box["y"] + box["height"] / 2 - 20) == frame


def test_autoplay_runs_until_it_is_paused(visit: Visit, checkers: Match) -> None:
    visitor = visit(own=True)
    page = visitor.open(f"/matches/{checkers.id}")
    page.locator(".move").first.wait_for()
    visitor.stop_time()
    page.get_by_role("button", name="Autoplay").click()
    page.clock.run_for(2 * PACE_MS)
    expect(page.locator(".move").nth(1)).to_have_attribute("aria-current", "")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Autoplay").wait_for()
    page.clock.run_for(2 * PACE_MS)
    expect(page.locator(".move").nth(1)).to_have_attribute("aria-current", "")


def test_a_link_leads_to_the_move_that_was_on_show(visit: Visit, checkers: Match) -> None:
    page = visit().open(f"/matches/{checkers.id}")
    page.locator(".move").nth(4).click()
    expect(page).to_have_url(re.compile(r"\?move=5$"))
    other = visit().open(page.url.removeprefix(page.url.partition("/matches")[0]))
    other.locator(".move[aria-current]").wait_for()
    assert current(other) == 5


def test_the_board_can_be_turned(visit: Visit, checkers: Match) -> None:
    page = visit().open(f"/matches/{checkers.id}")
    page.get_by_role("button", name="Flip board").click()
    assert page.locator("ludus-checkers[flip]").count() == 1
    page.keyboard.press("f")
    assert page.locator("ludus-checkers[flip]").count() == 0


@pytest.mark.parametrize(("game", "kind", "begins"), [("checkers", "PDN", "["), ("backgammon", "MAT", ";")])
def test_record_and_picture_are_downloaded(
    visit: Visit, request: pytest.FixtureRequest, tmp_path: Path, game: str, kind: str, begins: str
) -> None:
    page = visit().open(f"/matches/{request.getfixturevalue(game).id}")
    with page.expect_download() as record:
        page.get_by_role("link", name=kind).click()
    record.value.save_as(tmp_path / "record")
    assert record.value.suggested_filename.endswith(f".{kind.lower()}")
    assert (tmp_path / "record").read_text(encoding="utf-8").lstrip().startswith(begins)
    page.keyboard.press("ArrowRight")
    with page.expect_download() as picture:
        page.get_by_role("link", name="SVG").click()
    picture.value.save_as(tmp_path / "picture")
    assert (tmp_path / "picture").read_text(encoding="utf-8").startswith("<svg")
    with page.expect_download() as picture:
        page.get_by_role("link", name="PNG").click()
    picture.value.save_as(tmp_path / "picture")
    assert (tmp_path / "picture").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_the_engines_say_what_they_think_of_each_move(visit: Visit, request: pytest.FixtureRequest, game: str) -> None:
    match = request.getfixturevalue(game)
    page = visit().open(f"/matches/{match.id}")
    page.get_by_role("button", name="Analyze game").click()
    page.locator(".analysis[data-state=done]").wait_for(timeout=300_000)
    page.get_by_role("img", name="Evaluation for the first player").wait_for()
    expect(page.get_by_role("meter")).to_have_attribute("aria-valuetext", re.compile(r"\d"))
    expect(page.get_by_role("rowheader", name="Accuracy")).to_be_visible()
    assert page.locator(".move .mark").count() > 0, "players by chance make mistakes"
    page.locator(".move:has(.mark)").first.click()
    better = page.get_by_role("button", name="Better:")
    expect(page.locator(f"ludus-{game} .arrow").first).to_be_attached()
    better.click()
    expect(better).to_have_attribute("aria-pressed", "true")
    expect(page.locator(f"ludus-{game} .arrow").first).to_be_attached()
    assert barriers(page) == []
    better.click()
    expect(better).to_have_attribute("aria-pressed", "false")
    again = visit().open(f"/matches/{match.id}")
    again.locator(".analysis[data-state=done]").wait_for()


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_a_mistake_is_tried_again_on_the_board(
    visit: Visit, server: ServerProcess, request: pytest.FixtureRequest, game: str
) -> None:
    match = request.getfixturevalue(game)
    assert server.request("POST", f"/web/tables/{match.id}/analysis").is_success
    page = visit().open(f"/matches/{match.id}")
    page.locator(".analysis[data-state=done]").wait_for(timeout=300_000)
    page.locator("[data-learn]").first.click()
    panel = page.locator(".mistakes")
    expect(panel).to_contain_text("Find something better.")
    expect(page.locator(f"ludus-{game} .arrow")).to_have_count(0)
    player = BoardPlayer(page, game, seed=4)
    while not panel.locator(".note").count() and player.tap() != "confirm":
        pass
    expect(panel.locator(".note")).to_contain_text(re.compile(r"costs .*\. Try again\.$|^Well done!"))
    if panel.locator(".note.warn").count():
        panel.get_by_role("button", name="Show the solution").click()
        expect(panel.locator(".note")).to_contain_text("Best: ")
        expect(page.locator(f"ludus-{game} .arrow").first).to_be_attached()
    expect(panel.locator(".candidates .is-played")).to_have_count(1)
    line = panel.get_by_text(re.compile(r"^Best line: \S+ \S+"))
    expect(line).to_have_count(1 if game == "checkers" else 0)  # a roll ends a line
    panel.get_by_role("button", name="Back to the game").click()
    expect(panel).to_be_hidden()
    expect(page.locator(f'ludus-{game} [data-mark="source"]')).to_have_count(0)


def test_players_learn_from_the_mistakes_of_their_own_game_first(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    resign(page)
    page.get_by_role("button", name="Rematch").click()
    page.locator("[data-over]").wait_for(state="detached")
    BoardPlayer(page, "checkers", seed=7).play(36)  # as the second player: the first one's mistakes aren't their own
    resign(page)
    page.get_by_role("link", name="Replay and analysis").click()
    page.get_by_role("button", name="Analyze game").click()
    page.locator(".analysis[data-state=done]").wait_for(timeout=300_000)
    learn = page.locator("[data-learn]")
    assert learn.first.get_attribute("data-learn") == "1"
    expect(learn.first).to_contain_text("Guest: ")
    learn.first.click()
    panel = page.locator(".mistakes")
    expect(panel).to_contain_text("Guest chose ")
    expect(page.locator("ludus-checkers")).to_have_attribute("flip", "")
    assert barriers(page) == []
    mistake, best = page.evaluate(FIRST_MISTAKE)
    for move, answer in ((mistake, "Try again."), (best, "Well done!")):
        for place, mark in ((move["from"], "source"), (move["to"], "target")):
            page.locator(f'ludus-checkers [data-place="{place}"][data-mark="{mark}"]').click()
        expect(panel.locator(".note")).to_contain_text(answer)
    expect(panel.locator(".candidates .is-played")).to_have_count(1)
    expect(panel.get_by_text("Best line: ")).to_be_visible()
    assert barriers(page) == []
    assert overflows(page) == []


def test_a_move_is_better_only_if_it_was_worth_more(visit: Visit, checkers: Match) -> None:
    notations = [move["notation"] for move in checkers.record()["moves"]]
    other = {"value": 0.1, "notation": "1-2", "move": {"from": 56, "to": 49, "captures": []}, "line": [], "chances": []}
    reviewed = [
        {"number": 1, "best": other, "loss": 0.3, "mark": "mistake"},
        {"number": 2, "best": other, "loss": 0.004},
        {"number": 3, "best": {**other, "notation": notations[2]}, "loss": 0.0},
        {"number": 4, "best": other, "loss": 0.0, "isForced": True},
        {"number": 5, "best": other, "loss": 1.5, "mark": "blunder", "kind": "resignation"},
        {"number": 6, "best": other, "loss": 0.0, "kind": "resignation"},
    ]
    moves = [{"seat": 0, "value": 0.0, "mark": None, "isForced": False, **NOT_COMPARED, **each} for each in reviewed]
    page = visit().page
    answer = {"state": "done", "done": 6, "total": 6, "moves": moves, **NO_TOTALS}
    page.route("**/analysis", lambda route: route.fulfill(json=answer))
    page.goto(f"/matches/{checkers.id}")
    page.locator(".analysis[data-state=done]").wait_for()
    expect(page.locator("[data-learn]")).to_contain_text("1 to improve")
    for words, arrows in (
        ("Better: 1-2 (costs 0.3)", 1),
        ("As good as the engine's choice, 1-2.", 0),
        ("The engine's choice.", 0),
        ("The only legal move.", 0),
        ("Playing on was better (costs 1.5)", 0),
        ("Resigning cost nothing.", 0),
    ):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".review p").nth(1)).to_have_text(words)
        expect(page.locator("ludus-checkers .arrow")).to_have_count(arrows)


def reviewed(number: int) -> dict[str, object]:
    best = {"value": 0.0, "notation": "1-2", "move": {"from": 56, "to": 49, "captures": []}, "line": [], "chances": []}
    common = {"seat": (number - 1) % 2, "value": 0.0, "loss": 0.0, "mark": "mistake", "isForced": False}
    return {"number": number, "best": best, **common, **NOT_COMPARED}


def test_an_analysis_that_broke_off_is_taken_up_without_losing_moves(visit: Visit, checkers: Match) -> None:
    """Nobody has to ask for it: somebody else did before, and the second question is not answered."""
    visitor = visit(forgives=("net::ERR",))
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url.partition("?after=")[2] or route.request.method)
        if asked[-1] == "2" and asked.count("2") == 1:
            route.abort()
            return
        first = int(asked[-1]) if asked[-1].isdigit() else 0
        done = 4 if asked[-1] == "2" else 2
        moves = [reviewed(number) for number in range(first + 1, done + 1)]
        state = "done" if done == 4 else "running"
        route.fulfill(json={"state": state, "done": done, "total": 4, "moves": moves, **NO_TOTALS})

    visitor.page.route(re.compile(r"/analysis(\?|$)"), answer)
    page = visitor.open(f"/matches/{checkers.id}")
    page.locator(".analysis").get_by_role("alert").wait_for()
    page.get_by_role("button", name="Analyze game").click()
    page.locator(".analysis[data-state=done]").wait_for()
    assert asked == ["GET", "2", "POST", "2"]
    expect(page.locator(".move .mark")).to_have_count(4)


def test_a_key_that_has_its_own_use_does_not_move_the_game_as_well(visit: Visit, backgammon: Match) -> None:
    page = visit().open(f"/matches/{backgammon.id}")
    page.locator("summary").focus()
    page.keyboard.press(" ")
    expect(page.locator("details")).to_have_attribute("open", "")
    expect(page.get_by_role("button", name="Autoplay")).to_be_visible()
    page.locator("ludus-backgammon .cell[tabindex='0']").focus()
    before = page.locator("ludus-backgammon .cell:focus").get_attribute("data-place")
    page.keyboard.press("ArrowRight")
    assert page.locator("ludus-backgammon .cell:focus").get_attribute("data-place") != before
    assert current(page) == 0


def test_a_click_on_the_board_leaves_the_arrows_to_the_game(visit: Visit, checkers: Match) -> None:
    page = visit().open(f"/matches/{checkers.id}")
    page.locator("ludus-checkers").click()
    page.keyboard.press("ArrowRight")
    assert current(page) == 1


def test_a_game_without_moves_has_nothing_to_play_or_to_analyse(visit: Visit, server: ServerProcess) -> None:
    page = visit().open(f"/matches/{Match(server, 'checkers').resign().id}")
    expect(page.get_by_role("button", name="Autoplay")).to_be_disabled()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Autoplay")).to_be_disabled()
    page.get_by_text("No moves were played.").wait_for()
    assert page.get_by_role("button", name="Analyze game").count() == 0


def test_a_pass_is_shown_in_the_page_s_language(visit: Visit, server: ServerProcess, backgammon: Match) -> None:
    record = backgammon.record()
    record["moves"][2] |= {"notation": "pass", "move": []}
    page = visit(locale="de-DE").page
    page.route(f"**/web/tables/{backgammon.id}", lambda route: route.fulfill(json=record))
    moves = [reviewed(number) for number in (1, 2)]
    answer = {"state": "done", "done": 2, "total": 2, "moves": moves, **NO_TOTALS}
    page.route("**/analysis", lambda route: route.fulfill(json=answer))
    page.goto(f"/matches/{backgammon.id}?move=3")
    expect(page.locator(".move").nth(2)).to_contain_text("setzt aus")
    expect(page.locator(".review")).to_have_text("Hier war kein Zug möglich.")


def test_arrows_that_are_switched_off_stay_off(visit: Visit, server: ServerProcess, checkers: Match) -> None:
    visitor = visit()
    assert server.request("POST", f"/web/tables/{checkers.id}/analysis").is_success
    for is_first in (True, False):
        page = visitor.open(f"/matches/{checkers.id}")
        page.locator(".analysis[data-state=done]").wait_for(timeout=300_000)
        page.locator(".move:has(.mark)").first.click()
        switch = page.get_by_role("checkbox", name="Show the better move on the board")
        page.get_by_role("button", name="Better:").wait_for()
        if is_first:
            expect(page.locator("ludus-checkers .arrow")).to_have_count(1)
            switch.click()
        expect(switch).not_to_be_checked()
        expect(page.locator("ludus-checkers .arrow")).to_have_count(0)


def test_dice_have_the_color_and_the_side_of_the_player_who_rolled(visit: Visit, backgammon: Match) -> None:
    page = visit().open(f"/matches/{backgammon.id}")
    seats = [move["seat"] for move in backgammon.record()["moves"]]
    page.locator(".move").first.wait_for()
    for seat in seats[:6]:
        page.keyboard.press("ArrowRight")
        expect(page.locator(f"ludus-backgammon .die.{('first', 'second')[seat]}").first).to_be_attached()


def test_a_live_game_is_not_analysed(visit: Visit, server: ServerProcess) -> None:
    match = Match(server, "checkers").play(3)
    page = visit().open(f"/matches/{match.id}")
    page.get_by_role("link", name="Watch live").wait_for()
    assert page.get_by_role("button", name="Analyze game").count() == 0
    refused = server.request("POST", f"/web/tables/{match.id}/analysis")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_over")
    match.resign()


def test_an_unknown_game_has_a_not_found_page(visit: Visit) -> None:
    visit(forgives=("404",)).open("/matches/nothing").get_by_role("heading", name="Page not found").wait_for()
