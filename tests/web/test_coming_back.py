"""Nobody loses a game by closing a tab: every page links back to it, and other tabs and devices can resume it."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from ..server_process import ServerProcess, Tenant
from .board_player import BoardPlayer
from .browser import Visitor
from .conftest import Visit
from .test_play import resign, start
from .test_play_session import at_table, link

POST = """async ([path, body]) => {
  const headers = {"Content-Type": "application/json"};
  return (await fetch(path, {method: "POST", headers, body: JSON.stringify(body)})).json();
}"""


def meet(visit: Visit) -> tuple[Visitor, Visitor]:
    """Ann and Ben at a table."""
    visitors = visit(), visit()
    for visitor, name in zip(visitors, ("Ann", "Ben"), strict=True):
        page = visitor.open("/?opponent=anyone")
        page.get_by_label("Your name").fill(name)
        page.locator('[data-game="checkers"] button').click()
    for visitor in visitors:
        at_table(visitor.page)
    return visitors


def banner(page: Page) -> Any:
    return page.locator("[data-resume]")


def test_who_closes_the_tab_in_a_game_against_a_person_finds_the_way_back(visit: Visit) -> None:
    ann, ben = meet(visit)
    turn = "your move" if ann.page.locator(".turn.is-mine").count() else "their move"
    address = ann.page.url
    closed, page = ann.page, ann.new_page()
    closed.close()
    expect(ben.page.locator("[data-count=away]")).to_be_visible()
    for path in ("/games", "/"):
        page.goto(path)
        expect(banner(page)).to_have_text(f"Resume: Checkers against Ben, {turn}")
    banner(page).click()
    at_table(page)
    expect(page).to_have_url(address)
    expect(ben.page.locator("[data-count=away]")).to_have_count(0)


def test_the_way_back_to_one_game_leaves_room_for_another(visit: Visit) -> None:
    page = visit().open("/")
    for game in ("checkers", "backgammon"):
        start(page, game)
        page.locator("[data-action=new]").click()
        page.get_by_role("button", name="Keep this game for later").click()
    start(page, "backgammon")
    ways = page.locator(".resume summary")
    expect(ways).to_contain_text("2 games in progress")
    page.set_viewport_size({"width": 1366, "height": 650})  # of a small laptop
    page.wait_for_function("() => document.documentElement.scrollHeight === innerHeight")
    before = page.locator(".board-frame").bounding_box()
    ways.click()
    expect(banner(page)).to_have_count(2)
    assert page.locator(".board-frame").bounding_box() == before


def test_the_invitation_leads_back_to_the_game_that_it_led_to(visit: Visit) -> None:
    ann, ben = visit(forgives=("404",)), visit()
    page = ann.open("/?opponent=friend")
    page.locator('[data-game="checkers"] button').click()
    invitation = page.get_by_label("Invitation link").input_value()
    ben.page.goto(invitation)
    ben.page.get_by_role("button", name="Join").click()
    at_table(page)
    page.goto(invitation)
    banner(page).click()
    at_table(page)


def test_two_tabs_of_one_seat_both_play(visit: Visit) -> None:
    visitor = visit()
    first = visitor.open("/")
    start(first, "checkers")
    second = visitor.new_page()
    second.goto(first.url)
    at_table(second)
    for number, page in enumerate((first, second, first)):
        player = BoardPlayer(page, "checkers", seed=number)
        player.play(1)
        player.look()  # the bot has replied
        for tab in (first, second):
            expect(tab.locator(".ply")).to_have_count(2 * number + 2)


def test_another_device_continues_one_game_by_a_code(visit: Visit) -> None:
    desk, phone = visit(), visit(phone=True, forgives=("404",))
    page = desk.open("/")
    start(page, "checkers")
    page.locator("[data-action=device]").click()
    code = page.locator("[data-seat-code]").inner_text()
    address = page.get_by_label("Link to this game").input_value()
    page.get_by_role("button", name="Done").click()
    phone.page.goto(address)
    at_table(phone.page)
    expect(phone.page).to_have_url(page.url)
    BoardPlayer(phone.page, "checkers", seed=1, has_touch=True).play(1)
    expect(page.locator(".ply").first).to_be_visible()
    phone.page.reload()
    at_table(phone.page)
    phone.page.goto("/games")
    expect(banner(phone.page)).to_have_text("Resume: Checkers against Easy bot")
    other = visit(own=True, forgives=("404",))
    other.stop_time()
    other.open("/").get_by_label("Got a code?").fill(code)
    other.page.get_by_role("button", name="Open").click()
    expect(other.page.locator(".toast.bad")).to_be_visible()


def test_another_device_of_the_same_person_has_all_their_games(visit: Visit) -> None:
    desk, phone = visit(), visit(phone=True)
    for game in ("checkers", "backgammon"):
        start(desk.open("/"), game)
    code = desk.page.evaluate(POST, ["/web/me/codes", {}])["code"]
    phone.open("/games")
    phone.page.evaluate(POST, ["/web/me/devices", {"code": code}])
    page = phone.open("/")
    page.get_by_text(re.compile(r"2 games in progress \(your move in \w+\)")).click()
    expect(banner(page)).to_have_count(2)
    page.get_by_role("link", name="Backgammon against Easy bot").click()
    page.wait_for_selector("ludus-backgammon:not([compact])")


def test_the_back_button_leads_to_the_start_page_and_forward_to_the_game(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    address = page.url
    page.go_back()
    expect(page.locator('[data-game="checkers"] button')).to_be_visible()
    expect(banner(page)).to_be_visible()
    page.go_forward()
    at_table(page)
    expect(page).to_have_url(address)
    resign(page)
    page.locator("[data-action=next]").click()
    expect(page.locator('[data-game="checkers"] button')).to_be_visible()
    expect(banner(page)).to_have_count(0)


def test_an_apps_player_who_closes_the_tab_comes_back_too(visit: Visit, server: ServerProcess, tenant: Tenant) -> None:
    visitor = visit()
    page = at_table(visitor.open(link(server, tenant, "fay", matchType="bot", botDifficulty="easy")))
    again = visitor.new_page()
    page.close()
    again.goto("/")
    expect(banner(again)).to_have_text("Resume: Checkers against Easy bot")
    banner(again).click()
    at_table(again)


def test_a_game_that_is_not_yours_says_so(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    other = visit(forgives=("403", "404")).open(page.url)
    expect(other.get_by_role("heading", level=1)).to_have_text("You're not playing in this game")
    other.get_by_role("link", name="Watch", exact=True).last.click()
    expect(other).to_have_url(re.compile("/watch/"))
