"""Clocks: warnings, forfeits, and an opponent who stays away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ..server_process import ServerProcess
from .conftest import UNHURRIED, Visit


def opened(folder: Path, **settings: float) -> Iterator[ServerProcess]:
    server = ServerProcess(folder / "data", **{**UNHURRIED, **settings})
    yield server
    server.close()


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that warns at once, long before a game is lost, and does not wait for reconnects."""
    yield from opened(tmp_path_factory.mktemp("strict"), afk_warn_seconds=2, afk_seconds=120, reconnect_seconds=1)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with little patience."""
    yield from opened(tmp_path_factory.mktemp("hasty"), afk_warn_seconds=0.5, afk_seconds=1)


def meet(visit: Visit, server: ServerProcess) -> list[Page]:
    """Two people at a table."""
    pages = [visit(url=server.url).open("/?opponent=anybody") for _ in range(2)]
    for page in pages:
        page.locator('[data-game="checkers"] button').click()
    for page in pages:
        page.wait_for_selector("ludus-checkers:not([compact])")
    return pages


def mover_first(pages: list[Page]) -> tuple[Page, Page]:
    first, second = sorted(pages, key=lambda page: page.locator(".turn.is-mine").count(), reverse=True)
    return first, second


def test_an_idle_player_is_warned(visit: Visit, strict: ServerProcess) -> None:
    mover, other = mover_first(meet(visit, strict))
    expect(mover.locator(".strip-bottom .clock")).to_be_visible()
    expect(mover.locator("[data-count=afk]")).to_contain_text("Are you there?")
    expect(mover.locator("[data-announcer] p", has_text="Are you there?")).to_have_count(1)
    assert mover.locator("[role=status] [data-count], [aria-live] [data-count]").count() == 0, "each second is silent"
    expect(other.locator("[data-count=afk]")).to_have_count(0)


def test_an_idle_player_loses(visit: Visit, hasty: ServerProcess) -> None:
    pages = meet(visit, hasty)
    for page in pages:
        expect(page.locator("[data-over]")).to_be_visible()
    loser, winner = sorted(pages, key=lambda page: page.locator("[data-over=lost]").count(), reverse=True)
    expect(loser.locator("[data-over=lost]")).to_contain_text("You ran out of time.")
    expect(winner.locator("[data-over=won]")).to_contain_text("ran out of time.")


def test_a_player_who_stays_away_loses(visit: Visit, strict: ServerProcess) -> None:
    mover, other = mover_first(meet(visit, strict))
    mover.goto("about:blank")
    expect(other.locator("[data-over=won]")).to_contain_text("didn't come back.")
