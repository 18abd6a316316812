"""What players see of the time: warnings, forfeits, and an opponent who stays away."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from ..rooms.house import House
from .conftest import UNHURRIED, Visit


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house with little patience."""
    settings = {**UNHURRIED, "afk_warn_seconds": 2, "afk_seconds": 6, "reconnect_seconds": 1}
    house = House(tmp_path_factory.mktemp("hasty") / "data", **settings)
    yield house
    house.close()


def meet(visit: Visit, hasty: House) -> tuple[Page, Page]:
    """Two people at a table: who is to move, and the other."""
    pages = [visit(url=hasty.url).open("/?opponent=anybody") for _ in range(2)]
    for page in pages:
        page.locator('[data-game="checkers"] button').click()
    for page in pages:
        page.wait_for_selector("ludus-checkers:not([compact])")
    first, second = sorted(pages, key=lambda page: page.locator(".turn.is-mine").count(), reverse=True)
    return first, second


def test_whoever_does_not_move_is_warned_and_then_loses(visit: Visit, hasty: House) -> None:
    mover, other = meet(visit, hasty)
    expect(mover.locator(".strip-bottom .clock")).to_be_visible()
    expect(mover.locator("[data-count=afk]")).to_contain_text("Are you there?")
    assert mover.locator("[role=status] [data-count], [aria-live] [data-count]").count() == 0, "each second is silent"
    expect(mover.locator("[data-over=lost]")).to_contain_text("You did not move in time.")
    expect(mover.locator("[data-speaker] p", has_text="Are you there?")).to_have_count(1)
    expect(other.locator("[data-over=won]")).to_contain_text("did not move in time.")


def test_whoever_stays_away_loses(visit: Visit, hasty: House) -> None:
    mover, other = meet(visit, hasty)
    mover.goto("about:blank")
    expect(other.locator("[data-over=won]")).to_contain_text("did not come back.")
