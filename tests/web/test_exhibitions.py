"""House bots that play for spectators, on a server where nobody else does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Route, expect

from ..server_process import ServerProcess
from .conftest import UNHURRIED, Visit

REFRESH_MS = 3000


@pytest.fixture(scope="module")
def lively(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server of its own: on the shared one they would appear in other tests' lists."""
    settings = {**UNHURRIED, "exhibitions": "true", "bot_pause": 0.05}
    server = ServerProcess(tmp_path_factory.mktemp("lively") / "data", **settings)
    yield server
    server.close()


def test_bots_play_while_somebody_watches(visit: Visit, lively: ServerProcess) -> None:
    page = visit(url=lively.url).open("/watch")
    cards = page.locator("#tables a")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text("Exhibition")
    checkers = page.locator("#tables a", has=page.locator("ludus-checkers"))
    checkers.click()
    expect(page.get_by_text("Two house bots are playing for spectators.")).to_be_visible()
    page.wait_for_function("() => document.querySelectorAll('.move').length >= 3")


def test_the_start_page_shows_them_on_its_cards(visit: Visit, lively: ServerProcess) -> None:
    page = visit(url=lively.url).open("/")
    for game in ("checkers", "backgammon"):
        expect(page.locator(f'[data-game="{game}"] a.exhibition')).to_have_text("Exhibition")
    page.locator('[data-game="checkers"] a.exhibition').click()
    expect(page.get_by_text("Two house bots are playing for spectators.")).to_be_visible()


def test_people_see_who_won_and_how_many_are_here(visit: Visit) -> None:
    won = {
        "id": "x",
        "gameId": "checkers",
        "status": "finished",
        "moveCount": 40,
        "startedAt": "2026-01-01T10:00:00Z",
        "finishedAt": "2026-01-01T10:10:00Z",
        "players": [
            {"id": "person:a", "name": "Ann", "kind": "person"},
            {"id": "house:novice", "name": "Novice bot", "kind": "bot"},
        ],
        "winner": 1,
        "reason": "resignation",
        "detail": None,
    }
    answers = {
        "**/web/finished*": {"matches": [won]},
        "**/web/presence": {"playing": 3, "waiting": {"checkers": 1, "backgammon": 1}, "live": {}},
    }
    visitor = visit()
    for path, body in answers.items():
        visitor.page.route(path, answering(body))
    page = visitor.open("/watch")
    expect(page.locator("#presence")).to_have_text("3 people are playing · 2 waiting for an opponent")
    row = page.locator("#recent tbody tr")
    expect(row).to_contain_text("Novice bot won: resignation.")
    expect(row.locator(".winner")).to_have_attribute("title", "Novice bot")


def answering(body: object) -> Callable[[Route], None]:
    return lambda route: route.fulfill(status=200, content_type="application/json", body=json.dumps(body))
