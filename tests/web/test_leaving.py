"""A running game can be left: the start page is always reachable, and people are asked before they lose anything."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit
from .test_coming_back import banner, meet
from .test_play import start
from .test_play_session import at_table


def at_home(page: Page) -> None:
    expect(page.locator('[data-game="checkers"] button')).to_be_visible()


@pytest.mark.parametrize("name", ["Ludus home", "Play"])
def test_logo_and_play_lead_to_the_start_page_while_the_game_goes_on(visit: Visit, name: str) -> None:
    page = visit().open("/")
    start(page, "checkers")
    page.locator("header").get_by_role("link", name=name).click()
    at_home(page)
    expect(banner(page)).to_have_text("Resume: Checkers against Easy bot, your move")


def test_another_game_is_started_beside_the_first(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    page.goto("/games/backgammon")
    page.locator("main").get_by_role("link", name="Play", exact=True).click()
    start(page, "backgammon")
    expect(banner(page)).to_have_text("Resume: Checkers against Easy bot, your move")


def test_links_ask_before_they_lead_away_from_a_person(visit: Visit) -> None:
    ann, ben = meet(visit)
    page = ann.page
    page.locator("header").get_by_role("link", name="Watch").click()
    expect(page.locator("dialog")).to_contain_text("Your game against Ben isn't over. Your seat is held for 3 minutes")
    page.get_by_role("button", name="Keep playing").click()
    expect(page.locator("dialog")).to_have_count(0)
    at_table(page)
    page.locator("header").get_by_role("link", name="Watch").click()
    page.locator("dialog").get_by_role("button", name="Leave").click()
    page.wait_for_url("**/watch")
    expect(ben.page.locator("[data-count=away]")).to_be_visible()
    expect(banner(page)).to_be_visible()


def test_leaving_says_what_happens_to_the_game(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    page.locator("[data-action=leave]").click()
    expect(page.locator("dialog")).to_contain_text("The game waits for you for 30 days.")
    page.locator("dialog").get_by_role("button", name="Leave", exact=True).click()
    at_home(page)
    expect(banner(page)).to_have_count(1)


def test_a_new_game_can_end_the_old_one(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    page.locator("[data-action=new]").click()
    page.locator("dialog").get_by_role("button", name="Resign this game").click()
    at_home(page)
    start(page, "backgammon")
    expect(banner(page)).to_have_count(0)
