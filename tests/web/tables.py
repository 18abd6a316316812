"""Tables for tests of the play page, opened by links with session tokens rather than from the start page."""

from __future__ import annotations

import itertools
from typing import Any, Final

from playwright.sync_api import Locator, Page, expect

from ..server_process import ServerProcess, Tenant
from .conftest import Visit

NAMES: Final = itertools.count(1)
PREFER: Final = "(chosen) => localStorage.setItem('ludus-preferences', JSON.stringify(chosen))"


def link(server: ServerProcess, tenant: Tenant, game: str, name: str = "Ann", **more: Any) -> str:
    player = {"id": f"{name.lower()}-{next(NAMES)}", "displayName": name}
    session = server.post("/v1/sessions", tenant.live, {"game": game, "players": [player], **more})
    return f"/#game={game}&token={session['sessionToken']}"


class Seats:
    """Takes visitors to tables."""

    def __init__(self, visit: Visit, server: ServerProcess, tenant: Tenant) -> None:
        self.visit, self.server, self.tenant = visit, server, tenant

    def practice(
        self,
        game: str,
        preferences: dict[str, Any] | None = None,
        session: dict[str, Any] | None = None,
        **visitor: Any,
    ) -> Page:
        """A person in an unrated game against a bot."""
        terms = {"mode": "training", "matchType": "bot", "botDifficulty": "easy", **(session or {})}
        return self._open(link(self.server, self.tenant, game, **terms), game, preferences, visitor)

    def pair(
        self, game: str = "checkers", preferences: dict[str, Any] | None = None, **session: Any
    ) -> tuple[Page, Page]:
        """Two people; the first is the one to move."""
        pages = [
            self._open(link(self.server, self.tenant, game, name, **session), game, preferences, {}, is_waiting=True)
            for name in ("Ann", "Ben")
        ]
        for page in pages:
            expect(page.locator(".turn")).to_be_visible()
        first = 0 if pages[0].locator(".turn.is-mine").count() else 1
        return pages[first], pages[1 - first]

    def _open(
        self,
        address: str,
        game: str,
        preferences: dict[str, Any] | None,
        visitor: dict[str, Any],
        is_waiting: bool = False,
    ) -> Page:
        page = self.visit(**visitor).page
        if preferences:
            page.goto("/games")
            page.evaluate(PREFER, preferences)
        page.goto(address)
        if not is_waiting:
            page.wait_for_selector(f"ludus-{game}:not([compact])")
        return page


def cell(page: Page, place: int | str) -> Locator:
    return page.locator(f'.board-frame [data-place="{place}"]')


def type_move(page: Page, text: str) -> None:
    page.locator("input[name=notation]").fill(text)
    page.locator("input[name=notation]").press("Enter")


def play_typed(mover: Page, other: Page, *moves: str) -> tuple[Page, Page]:
    """Plays moves in turn, and waits for both to see them; returns the pages, the one to move first."""
    for text in moves:
        count = mover.locator(".ply").count()
        expect(mover.locator(".turn.is-mine")).to_be_visible()
        mover.wait_for_selector('[data-mark="source"]')
        type_move(mover, text)
        for page in (mover, other):
            expect(page.locator(".ply")).to_have_count(count + 1)
        mover, other = other, mover
    mover.wait_for_selector('[data-mark="source"]')
    return mover, other


def said(page: Page) -> Locator:
    """The prompt below the board, which screen readers read out."""
    return page.get_by_role("status").and_(page.locator(".prompt"))
