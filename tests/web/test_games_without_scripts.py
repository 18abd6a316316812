"""A game's page in a browser that runs no scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from ludus.games import GAMES

from .access import barriers
from .conftest import Visit

every_game = pytest.mark.parametrize("game", GAMES)


@every_game
@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_page_can_be_read_without_scripts(visit: Visit, game: str, phone: bool) -> None:
    page = visit(phone=phone, java_script_enabled=False).open(f"/games/{game}")
    expect(page.get_by_role("heading", level=1, name=game.capitalize())).to_be_visible()
    expect(page.get_by_text("5–20 minutes")).to_be_visible()
    for part in ("Rules", "Action format", "Agent view"):
        expect(page.get_by_role("heading", level=2, name=part)).to_be_visible()
    expect(page.get_by_role("navigation", name="Main menu").get_by_role("link", name="Play")).to_be_visible()
    expect(page.get_by_role("link", name="guide", exact=True)).to_have_attribute("href", "/api/guide")
    expect(page.get_by_role("main").get_by_role("link", name="Documentation")).to_have_attribute("href", "/docs/")
    width = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width[0] <= width[1], "nothing makes the page scroll sideways"


@pytest.mark.parametrize("path", ["/", "/watch", "/play/nonsense"])
def test_other_pages_lead_to_those_that_can_be_read(visit: Visit, path: str) -> None:
    page = visit(java_script_enabled=False, forgives=("404",)).open(path)
    page.get_by_role("link", name="Checkers").first.click()
    expect(page.get_by_role("heading", name="Rules")).to_be_visible()


def test_scripts_replace_what_the_server_wrote(visit: Visit) -> None:
    page = visit().open("/games/checkers")
    page.get_by_role("heading", name="Leaderboard").wait_for()
    expect(page.locator(".written")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)


@every_game
def test_axe_finds_nothing_serious_in_it(visit: Visit, game: str) -> None:
    """Axe is a script itself: it looks at the page as written, shown in a browser that runs only axe."""
    assert barriers(_as_written(visit, game)) == []


def _as_written(visit: Visit, game: str) -> Page:
    page = visit().page
    page.route("**/*.js", lambda route: route.fulfill(status=200, content_type="text/javascript", body=""))
    page.goto(f"/games/{game}")
    page.locator(".written").evaluate("element => { element.style.display = 'grid'; }")
    page.locator("noscript").evaluate_all(
        "all => all.forEach((element) => { element.outerHTML = element.textContent; })"
    )
    return page
