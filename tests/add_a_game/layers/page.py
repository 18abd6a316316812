"""The game on the web page, with the generic board: played, watched, replayed, embedded."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.server_process import ServerProcess
from tests.web.access import barriers
from tests.web.browser import LOUD, SharedBrowser, Visitor, browser_path

GAME = "tictactoe"
SETTINGS = {"bot_pause": 0, "bot_fallback_seconds": 0, "agent_rate_limit": 1_000_000, "log_level": "warning"}
ROOM = 'location.pathname.split("/").at(-1)'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("page") / "data", **SETTINGS)
    yield server
    server.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[SharedBrowser]:
    path = browser_path()
    if path is None:
        pytest.skip(LOUD)
    shared = SharedBrowser()
    shared.open(path)
    yield shared
    shared.close()


@pytest.fixture
def visitor(browser: SharedBrowser, server: ServerProcess) -> Iterator[Visitor]:
    visitor = Visitor(browser, server.url)
    yield visitor
    visitor.close()


def moves(page: Page) -> Locator:
    return page.get_by_role("list", name="Legal moves").get_by_role("button")


def start(page: Page) -> None:
    page.locator(f'[data-game="{GAME}"] button').click()
    moves(page).first.wait_for()


def test_a_visitor_plays_a_whole_game_by_buttons_and_replays_it(visitor: Visitor) -> None:
    page = visitor.open("/")
    expect(page.get_by_role("heading", name="Tic-tac-toe")).to_be_visible()
    start(page)
    expect(page.locator("ludus-generic img")).to_be_visible()
    assert barriers(page) == []
    over = page.locator("[data-over]")
    while not over.count():
        moves(page).or_(over).first.wait_for()
        if not over.count():
            moves(page).first.click()
            page.locator(".ply").last.wait_for()
    made = page.locator(".ply").count()
    assert made >= 5
    page.get_by_role("link", name="Replay and analysis").click()
    expect(page.locator(".move")).to_have_count(made)
    page.get_by_role("button", name="Next move").click()
    expect(page.locator("ludus-generic img")).to_have_attribute("alt", re.compile("x"))
    expect(page.locator(".analysis")).to_have_count(0)


def test_a_move_can_be_typed(visitor: Visitor) -> None:
    page = visitor.open("/")
    start(page)
    page.get_by_label("Type a move").fill("5")
    page.keyboard.press("Enter")
    expect(page.locator(".ply .text").first).to_have_text("5")
    expect(page.locator(".ply")).to_have_count(2)
    moves(page).first.wait_for()
    page.get_by_label("Type a move").fill("5")
    page.keyboard.press("Enter")
    expect(page.locator(".problem")).to_have_text(re.compile(r"Try \d\."))


def test_a_game_is_watched(browser: SharedBrowser, server: ServerProcess) -> None:
    players = [Visitor(browser, server.url) for _ in range(2)]
    for player in players:
        player.open("/?opponent=anyone").locator(f'[data-game="{GAME}"] button').click()
    for player in players:
        player.page.locator("[data-turn]").wait_for()
    room = players[0].page.evaluate(ROOM)
    spectator = Visitor(browser, server.url)
    page = spectator.open(f"/watch?game={GAME}")
    page.locator(f"a[href='/watch/{room}']").click()
    page.locator(".game-page ludus-generic").wait_for()
    mover = next(player.page for player in players if player.page.locator(".turn.is-mine").count())
    moves(mover).first.click()
    expect(page.locator(".move")).to_have_count(1)
    for visitor in (*players, spectator):
        visitor.close()


def test_a_game_is_embedded(visitor: Visitor) -> None:
    page = visitor.open(f"/frame#game={GAME}")
    expect(page.locator(".status")).to_have_text("Your move")
    moves(page).first.click()
    expect(page.locator(".announcer p").first).to_have_text(re.compile(r"plays \d$"))


def test_the_game_has_a_page_with_its_rules(visitor: Visitor) -> None:
    page = visitor.open(f"/games/{GAME}")
    expect(page.get_by_role("heading", name="Tic-tac-toe", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Rules", exact=True)).to_be_visible()
    expect(page.locator("figure ludus-generic img")).to_be_visible()


def test_a_game_without_puzzles_offers_none(visitor: Visitor, server: ServerProcess) -> None:
    page = visitor.open(f"/games/{GAME}")
    page.get_by_role("heading", name="Tic-tac-toe").first.wait_for()
    expect(page.locator(f'a[href*="/puzzles/{GAME}"]')).to_have_count(0)
    page = visitor.open("/puzzles")
    expect(page.locator(".puzzle-card")).to_have_count(2)
    assert GAME not in [each["game"] for each in server.get("/web/puzzles")["games"]]
    assert page.request.get(f"/puzzles/{GAME}").status == 404
    assert page.request.get(f"/web/puzzles/{GAME}/next").status == 404
