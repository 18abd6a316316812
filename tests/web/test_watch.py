"""Watching: the live games as small boards, one of them large, and how many look on."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from ..server_process import ServerProcess
from .conftest import Visit
from .matches import Match
from .test_play import start

REFRESH_MS = 3000
"""How often the list is updated."""
ROOM = 'location.pathname.split("/").at(-1)'
"""Where this tab plays; others may still be at tables of tests before."""


def test_live_games_are_shown_as_boards_that_move(visit: Visit, server: ServerProcess) -> None:
    match = Match(server, "checkers").play(4)
    visitor = visit(own=True)
    visitor.fake_time()
    page = visitor.open("/watch?game=checkers")
    card = page.locator(f"a[href='/watch/{match.id}']")
    expect(card).to_contain_text("4 moves")
    assert card.locator("ludus-checkers").count() == 1
    match.play(1)
    page.clock.fast_forward(REFRESH_MS)
    expect(card).to_contain_text("5 moves")
    match.resign()
    page.clock.fast_forward(REFRESH_MS)
    expect(card).to_have_count(0)


def test_a_filter_shows_one_game(visit: Visit, server: ServerProcess) -> None:
    match = Match(server, "backgammon").play(2)
    page = visit().open("/watch")
    page.locator(f"a[href='/watch/{match.id}']").wait_for()
    page.get_by_role("button", name="Checkers").click()
    expect(page.locator("ludus-backgammon")).to_have_count(0)
    page.get_by_role("button", name="Backgammon").click()
    page.locator(f"a[href='/watch/{match.id}']").wait_for()
    match.resign()


def moves_in(page: Page) -> int:
    return page.locator(".move").count()


def test_one_click_watches_a_game_to_its_end_and_leads_to_its_replay(visit: Visit, server: ServerProcess) -> None:
    match = Match(server, "backgammon").play(3)
    page = visit().open("/watch?game=backgammon")
    page.locator(f"a[href='/watch/{match.id}']").click()
    page.locator(".game-page ludus-backgammon").wait_for()
    before = moves_in(page)
    match.play(2)
    page.wait_for_function("(count) => document.querySelectorAll('.move').length > count", arg=before)
    expect(page.get_by_text("1 watching")).to_be_visible()
    match.resign()
    page.get_by_role("link", name="Replay and analysis").click()
    page.get_by_role("button", name="Analyze game").wait_for()


def test_looking_back_is_not_interrupted_by_new_moves(visit: Visit, server: ServerProcess) -> None:
    match = Match(server, "checkers").play(6)
    page = visit().open(f"/watch/{match.id}")
    page.locator(".move").nth(5).wait_for()
    page.keyboard.press("Home")
    match.play(1)
    expect(page.locator(".move")).to_have_count(7)
    expect(page.locator(".move[aria-current]")).to_have_count(0)
    page.keyboard.press("End")
    expect(page.locator(".move").nth(6)).to_have_attribute("aria-current", "")
    match.resign()


def test_spectators_of_rooms_and_of_the_arena_are_counted(visit: Visit, server: ServerProcess) -> None:
    match = Match(server, "checkers").play(2)
    visit().open(f"/watch/{match.id}").locator(".move").first.wait_for()
    page = visit().open(f"/watch/{match.id}")
    expect(page.get_by_text("2 watching")).to_be_visible()
    match.resign()
    expect(page.get_by_role("link", name="Replay and analysis")).to_be_visible()
    expect(page.get_by_text("watching")).not_to_be_visible()


def test_the_time_since_the_start_is_updated(visit: Visit, server: ServerProcess) -> None:
    match = Match(server, "checkers").play(2)
    visitor = visit(own=True)
    visitor.fake_time()
    page = visitor.page
    page.goto(f"/watch/{match.id}")
    begun = page.locator("[data-started]")
    expect(begun).to_be_visible()
    expect(page.get_by_text("1 watching")).to_be_visible()  # else the connection is still being made, and times out
    page.clock.fast_forward("10:00")
    expect(begun).to_contain_text(re.compile(r"1\d min"))
    match.resign()


def test_turning_the_board_takes_the_mark_of_the_turn_along(visit: Visit, server: ServerProcess) -> None:
    match = Match(server, "checkers").play(2)
    page = visit().open(f"/watch/{match.id}")
    page.locator(".seat.to-move").wait_for()
    turn = """() => document.querySelector(".seat.to-move .player > a").textContent"""
    before = page.evaluate(turn)
    page.locator(".viewer").evaluate("(viewer) => viewer.querySelector('.controls button:last-child').click()")
    assert page.locator("ludus-checkers[flip]").count() == 1
    assert page.evaluate(turn) == before
    match.resign()


def test_spectators_see_the_countdown_of_an_absent_player(visit: Visit) -> None:
    player, other = visit().open("/?opponent=anyone"), visit().open("/?opponent=anyone")
    player.locator('[data-game="checkers"] button').click()
    start(other, "checkers")
    page = visit().open(f"/watch/{other.evaluate(ROOM)}")
    page.locator(".seat").first.wait_for()
    expect(page.get_by_text("1 watching")).to_be_visible()
    player.goto("about:blank")
    note, voice = page.locator(".notice .note"), page.locator(".side > [role=status]")
    expect(note).to_contain_text("seconds to reconnect")
    spoken = voice.inner_text()
    expect(voice).to_have_text(re.compile(r"\d+ seconds to reconnect"))
    expect(note).not_to_have_text(spoken)
    expect(note).to_contain_text("seconds to reconnect")
    assert voice.inner_text() == spoken


def test_a_wrong_address_says_so_and_leads_on(visit: Visit) -> None:
    page = visit(forgives=("404",)).open("/watch/no-such-game")
    expect(page.get_by_role("heading", level=1, name="Page not found")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("link", name="Watch")).to_be_visible()
