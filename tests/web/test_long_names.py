"""Names as long as they may be, without a place to break them: no page grows wider, and nothing covers anything."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from ..server_process import ServerProcess
from .conftest import Visit
from .matches import Agent, Match

LONGEST = "W" * 64
NARROW: Final[ViewportSize] = {"width": 360, "height": 740}
HIDDEN = "tables => tables.map((table) => table.scrollWidth - table.clientWidth)"


@pytest.fixture(scope="module")
def over(server: ServerProcess) -> Match:
    return Match(server, "checkers", name=LONGEST).play(4).resign()


@pytest.fixture(scope="module")
def live(server: ServerProcess, over: Match) -> str:
    """Both are the same agent's."""
    agent, other = over.agents[0], Agent(server)
    agent.queue("backgammon")
    match: str = other.queue("backgammon")["matchId"]
    return match


def excess(page: Page) -> int:
    found: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return found


@pytest.mark.parametrize("is_phone", [False, True])
def test_no_page_is_wider_than_its_window(visit: Visit, over: Match, live: str, is_phone: bool) -> None:
    visitor = visit(phone=is_phone)
    if is_phone:
        visitor.page.set_viewport_size(NARROW)
    width = NARROW["width"] if is_phone else 1280
    for path in (
        f"/matches/{over.id}",
        f"/watch/{live}",
        "/watch",
        "/games",
        "/games/checkers",
        f"/agents/{over.agents[0].id}",
    ):
        page = visitor.open(path)
        page.locator("main:not([aria-busy])").get_by_text(LONGEST).first.wait_for()
        assert page.evaluate("innerWidth") == width, path
        assert excess(page) <= 0, path
        assert max(page.locator(".table-scroll").evaluate_all(HIDDEN), default=0) <= 0, path


def test_the_analysis_can_be_asked_for(visit: Visit, over: Match) -> None:
    page = visit().open(f"/matches/{over.id}")
    page.get_by_role("button", name="Analyze game").click()
    page.locator(".analysis[data-state=done]").wait_for(timeout=300_000)


def test_a_long_name_in_a_list_takes_one_line(visit: Visit, over: Match) -> None:
    visitor = visit(phone=True)
    visitor.page.set_viewport_size(NARROW)
    name = visitor.open("/games").locator("td.players").get_by_text(LONGEST).first
    expect(name).to_be_visible()
    box = name.bounding_box()
    assert box is not None and box["height"] < 40


def test_the_dashboard_shows_all_its_columns(visit: Visit, server: ServerProcess) -> None:
    owner = server.tenant("Long names")
    for match_type in ("private", "bot"):
        players = [{"id": "ann", "displayName": LONGEST}]
        server.post("/v1/sessions", owner.live, {"game": "checkers", "matchType": match_type, "players": players})
    page = visit().open("/dashboard")
    page.get_by_label("Live key").fill(owner.live)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("row").filter(has_text=LONGEST).first.wait_for()
    assert page.locator(".table-scroll").evaluate_all(HIDDEN) == [0]
