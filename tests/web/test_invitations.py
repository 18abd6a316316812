"""An invitation names the host and the game; hosts who open their own get their seat."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit
from .test_play import too_wide
from .test_play_session import at_table


def invite(page: Page, game: str = "checkers") -> str:
    """The code of a new invitation."""
    page.locator(f'[data-game="{game}"] button').click()
    expect(page.get_by_role("heading", name="Waiting for your friend")).to_be_visible()
    return page.locator("[data-code]").get_attribute("data-code") or ""


@pytest.mark.parametrize(
    ("locale", "title", "label"),
    [
        ("en-GB", "Ann invites you to play Backgammon", "Join"),
        ("de-DE", "Ann lädt dich zu Backgammon ein", "Mitspielen"),
    ],
)
def test_an_invitation_names_host_game_time_rating_and_spectators(
    visit: Visit, locale: str, title: str, label: str
) -> None:
    host = visit().open("/?opponent=friend")
    host.get_by_label("Your name").fill("Ann")
    code = invite(host, "backgammon")
    page = visit(phone=True, locale=locale).open(f"/?room={code}")
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    terms = [each.get_attribute("data-term") for each in page.locator("[data-term]").all()]
    assert terms == ["game", "clock", "rated", "watch", "expires"]
    for text in page.locator("[data-term] dd").all_inner_texts():
        assert text
    box = page.get_by_role("button", name=label).bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844, "it is seen without scrolling"
    assert too_wide(page) <= 0


def test_a_friend_follows_the_link_says_a_name_and_plays(visit: Visit) -> None:
    host, guest = visit().open("/?opponent=friend"), visit()
    code = invite(host)
    page = guest.open(f"/invite/{code}")
    page.get_by_label("Your name").fill("Ben")
    page.keyboard.press("Enter")
    for each in (host, page):
        at_table(each)
    expect(host.locator(".strip-top .name")).to_have_text("Ben")
    expect(page.locator(".whoami")).to_have_text("BBen")
    page.locator("[data-action=say]").click()
    expect(page.locator("[data-phrase=report]")).to_be_visible()


def test_your_own_invitation_in_a_second_tab_waits_with_you(visit: Visit) -> None:
    visitor, friend = visit(), visit()
    first = visitor.open("/?opponent=friend")
    code = invite(first)
    second = visitor.new_page()
    second.goto(f"/?room={code}")
    expect(second.get_by_role("heading", name="Waiting for your friend")).to_be_visible()
    expect(second.locator("[data-code]")).to_have_text(code)
    expect(first.get_by_role("heading", name="Waiting for your friend")).to_be_visible()
    friend.open(f"/invite/{code}").get_by_role("button", name="Join").click()
    for page in (first, second, friend.page):
        at_table(page)
    assert first.url == second.url == friend.page.url


def test_playing_the_computer_meanwhile_keeps_name_and_level(visit: Visit) -> None:
    host, friend = visit().open("/?level=novice"), visit()
    host.get_by_label("Your name").fill("Ann")
    host.get_by_role("radio", name="Invite a friend").check(force=True)
    code = invite(host, "backgammon")
    host.get_by_role("button", name="Play the computer").click()
    host.wait_for_selector("ludus-backgammon:not([compact])")
    expect(host.locator(".strip-top .name")).to_have_text("Novice bot")
    expect(host.locator(".strip-bottom .name")).to_have_text("Ann (you)")
    friend.open(f"/invite/{code}").get_by_role("button", name="Join").click()
    friend.page.wait_for_selector("ludus-backgammon:not([compact])")  # without a clock nobody has to be there
    host.goto("/games")
    host.get_by_text("2 games in progress").click()
    host.get_by_role("link", name="Backgammon against Guest").click()
    host.wait_for_selector("ludus-backgammon:not([compact])")
    expect(host).to_have_url(friend.page.url)


@pytest.mark.parametrize("path", ["/invite/ZZZZZZ", "/?room=ABC"])
def test_a_code_that_no_game_has_is_answered_in_words(visit: Visit, path: str) -> None:
    page = visit(forgives=("404", "400")).open(path)
    expect(page.get_by_role("heading", level=1)).to_have_text("This invitation is no longer open")
    page.get_by_role("link", name="Start a game of your own").click()
    expect(page.locator('[data-game="checkers"] button')).to_be_visible()


def test_who_waits_for_an_agent_sees_how_long_and_is_offered_the_computer(visit: Visit) -> None:
    visitor = visit(own=True)
    visitor.fake_time()
    page = visitor.open("/?opponent=agent&level=novice")
    page.locator('[data-game="checkers"] button').click()
    expect(page.get_by_text("The game starts when one is free.")).to_be_visible()
    page.clock.fast_forward(31_000)
    expect(page.get_by_text("No AI agent is free right now.")).to_be_visible()
    expect(page.locator("[data-waited]")).to_contain_text("Waiting for 3")
    page.get_by_role("button", name="Play the computer").click()
    at_table(page)
    expect(page.locator(".strip-top .name")).to_have_text("Novice bot")


def test_a_search_that_another_tab_has_replaced_ends_when_a_game_is_found(visit: Visit) -> None:
    visitor, other = visit(own=True), visit()
    pages = [visitor.page, visitor.new_page(), other.page]
    for page in pages:
        page.goto("/?opponent=anyone")
        page.locator('[data-game="backgammon"] button').click()
        page.locator(".waiting, ludus-backgammon:not([compact])").first.wait_for()
    for page in pages[1:]:
        page.wait_for_selector("ludus-backgammon:not([compact])")
    expect(pages[0].locator('[data-game="backgammon"] button')).to_be_visible()
