"""A tenant's player plays on the play page, through a link with the session's token."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from ..server_process import ServerProcess, Tenant
from .conftest import Visit
from .test_play import resign, start


def link(server: ServerProcess, tenant: Tenant, player: str, **more: Any) -> str:
    body = {"game": "checkers", "players": [{"id": player, "displayName": player.title()}], **more}
    return f"/#game=checkers&token={server.post('/v1/sessions', tenant.live, body)['sessionToken']}"


def at_table(page: Page) -> Page:
    page.wait_for_selector("ludus-checkers:not([compact])")
    return page


def test_the_session_s_theme_is_on_the_board_and_the_token_out_of_the_address(
    visit: Visit, server: ServerProcess, tenant: Tenant
) -> None:
    theme = {"primaryColor": "#ff6b00"}
    page = at_table(visit().open(link(server, tenant, "ann", matchType="bot", botDifficulty="easy", theme=theme)))
    accent = page.locator("ludus-checkers").evaluate("board => board.style.getPropertyValue('--ludus-accent')")
    assert accent == "#ff6b00"
    assert "token" not in page.url


def test_a_link_put_into_an_open_tab_leads_to_its_game(visit: Visit, server: ServerProcess, tenant: Tenant) -> None:
    page = visit().open("/")
    start(page, "checkers")
    theme = {"primaryColor": "#ff6b00"}
    page.goto(link(server, tenant, "eve", matchType="bot", botDifficulty="easy", theme=theme))
    expect(page.locator("ludus-checkers")).to_have_attribute("style", re.compile("#ff6b00"))
    expect(page).to_have_url(re.compile(f"^{server.url}/play/[^#]+$"))


def test_a_rated_game_ends_with_the_change_of_the_rating(visit: Visit, server: ServerProcess, tenant: Tenant) -> None:
    pages = [visit().open(link(server, tenant, player)) for player in ("carl", "dora")]
    for page in pages:
        at_table(page)
    resign(pages[0])
    expect(pages[0].locator(".rating")).to_have_text(re.compile(r"^Rating 1,\d{3} \(−\d+\)$"))
    expect(pages[1].locator(".rating")).to_be_hidden()  # resigned too early to be a win


def test_an_invalid_token_leads_to_the_start_page(visit: Visit) -> None:
    page = visit().open("/#game=checkers&token=nonsense")
    expect(page.locator(".toast.bad")).to_be_visible()
    expect(page.locator('[data-game="checkers"] button')).to_be_visible()


def test_a_german_is_refused_in_german(visit: Visit) -> None:
    page = visit(locale="de-DE").open("/#game=checkers&token=nonsense")
    expect(page.locator(".toast.bad")).to_contain_text("Beitritt nicht möglich")
