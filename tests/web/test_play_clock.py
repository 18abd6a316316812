"""Clocks: warnings, forfeits, and an opponent who stays away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ..server_process import ServerProcess
from .board_player import BoardPlayer
from .browser import OFFLINE
from .conftest import UNHURRIED, Visit
from .test_play import start
from .test_play_session import at_table, link


def opened(folder: Path, **settings: float) -> Iterator[ServerProcess]:
    server = ServerProcess(folder / "data", **{**UNHURRIED, **settings})
    yield server
    server.close()


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that warns at once, long before a game is lost, and does not wait for reconnects."""
    away = {"reconnect_seconds": 1, "page_reconnect_seconds": 1}
    yield from opened(tmp_path_factory.mktemp("strict"), afk_warn_seconds=2, afk_seconds=120, **away)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with little patience."""
    yield from opened(tmp_path_factory.mktemp("hasty"), afk_warn_seconds=0.5, afk_seconds=1)


def meet_without_a_clock(visit: Visit, server: ServerProcess) -> list[Page]:
    """Two players of an app, who have a limit for each move instead."""
    tenant = server.tenant("App")
    return [at_table(page) for page in [visit(url=server.url).open(link(server, tenant, each)) for each in ("a", "b")]]


def meet(visit: Visit, server: ServerProcess) -> list[Page]:
    """Two people at a table."""
    pages = [visit(url=server.url).open("/?opponent=anyone") for _ in range(2)]
    for page in pages:
        page.locator('[data-game="checkers"] button').click()
    for page in pages:
        page.wait_for_selector("ludus-checkers:not([compact])")
    return pages


def mover_first(pages: list[Page]) -> tuple[Page, Page]:
    first, second = sorted(pages, key=lambda page: page.locator(".turn.is-mine").count(), reverse=True)
    return first, second


def test_an_idle_player_is_warned(visit: Visit, strict: ServerProcess) -> None:
    mover, other = mover_first(meet_without_a_clock(visit, strict))
    expect(mover.locator(".strip-bottom .clock")).to_be_visible()
    expect(mover.locator("[data-count=afk]")).to_contain_text("Are you there?")
    expect(mover.locator("[data-announcer] p", has_text="Are you there?")).to_have_count(1)
    assert mover.locator("[role=status] [data-count], [aria-live] [data-count]").count() == 0, "each second is silent"
    expect(other.locator("[data-count=afk]")).to_have_count(0)


def test_an_idle_player_loses(visit: Visit, hasty: ServerProcess) -> None:
    pages = meet_without_a_clock(visit, hasty)
    for page in pages:
        expect(page.locator("[data-over]")).to_be_visible()
    loser, winner = sorted(pages, key=lambda page: page.locator("[data-over=lost]").count(), reverse=True)
    expect(loser.locator("[data-over=lost]")).to_contain_text("You ran out of time.")
    expect(winner.locator("[data-over=won]")).to_contain_text("ran out of time.")


def test_a_player_who_stays_away_loses(visit: Visit, strict: ServerProcess) -> None:
    mover, other = mover_first(meet(visit, strict))
    mover.goto("about:blank")
    expect(other.locator("[data-over=won]")).to_contain_text("didn't come back.")


def test_a_game_against_the_computer_waits_for_who_is_offline(visit: Visit, strict: ServerProcess) -> None:
    visitor = visit(url=strict.url, own=True, forgives=OFFLINE)
    page = visitor.open("/")
    start(page, "checkers")
    visitor.context.set_offline(True)
    expect(page.locator(".notices")).to_contain_text("The game waits for you for 30 days.")
    gone, winner = meet(visit, strict)
    gone.goto("about:blank")
    expect(winner.locator("[data-over=won]")).to_be_visible()  # by now a person would have lost
    visitor.context.set_offline(False)
    expect(page.locator(".notices")).not_to_contain_text("Connection lost.")
    expect(page.locator("[data-over]")).to_have_count(0)
    BoardPlayer(page, "checkers", seed=1).play(1)


def test_the_page_says_how_long_a_seat_is_held_against_a_person(visit: Visit, strict: ServerProcess) -> None:
    pages = [visit(url=strict.url, own=True, forgives=OFFLINE) for _ in range(2)]
    for visitor in pages:
        visitor.open("/?opponent=anyone").locator('[data-game="checkers"] button').click()
    for visitor in pages:
        visitor.page.wait_for_selector("ludus-checkers:not([compact])")
    pages[0].context.set_offline(True)
    expect(pages[0].page.locator(".notices")).to_contain_text("Your seat is held for 1 second; after that, you lose.")
    expect(pages[1].page.locator("[data-over=won]")).to_be_visible()
