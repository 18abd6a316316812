"""Games go on after a refresh, and after the network was away."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .browser import OFFLINE
from .conftest import Visit
from .hands import Hand
from .test_play import GAMES, start


@pytest.mark.parametrize("game", GAMES)
def test_a_refresh_leads_back_to_the_same_game(visit: Visit, game: str) -> None:
    page = visit().open("/")
    start(page, game)
    hand = Hand(page, game, seed=1)
    hand.play(3)
    hand.look()
    before = page.locator(".ply .text").all_inner_texts()
    page.reload()
    hand.look()
    assert page.locator(".ply .text").all_inner_texts()[: len(before)] == before
    hand.play(1)


def test_a_refresh_after_the_end_still_shows_how_it_ended(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    page.locator("[data-action=resign]").click()
    page.locator("dialog").get_by_role("button", name="Resign").click()
    page.wait_for_selector("[data-over]")
    page.reload()
    expect(page.locator("[data-over=lost]")).to_be_visible()
    page.get_by_role("button", name="New game").click()
    expect(page.locator('[data-game="checkers"] button')).to_be_visible()


def test_a_game_goes_on_when_the_network_is_back(visit: Visit) -> None:
    visitor = visit(forgives=OFFLINE)
    page = visitor.open("/")
    start(page, "checkers")
    hand = Hand(page, "checkers", seed=2)
    hand.play(1)
    hand.look()
    visitor.context.set_offline(True)
    expect(page.locator(".notices")).to_contain_text("The connection is lost.")
    count = hand.made()
    hand.tap()
    hand.tap()  # a move made without a network waits for it
    visitor.context.set_offline(False)
    expect(page.locator(".notices")).not_to_contain_text("The connection is lost.")
    expect(page.locator(".ply").nth(count)).to_be_visible()
    hand.play(2)


def test_all_that_was_done_without_a_network_is_sent_in_order(visit: Visit) -> None:
    visitors = [visit(forgives=OFFLINE) for _ in range(2)]
    pages = [visitor.open("/?opponent=anybody") for visitor in visitors]
    for page in pages:
        page.locator('[data-game="checkers"] button').click()
    for page in pages:
        expect(page.locator(".turn")).to_be_visible()
    mover = 0 if pages[0].locator(".turn.is-mine").count() else 1
    visitor, page, other = visitors[mover], pages[mover], pages[1 - mover]
    hand = Hand(page, "checkers", seed=2)
    hand.look()
    visitor.context.set_offline(True)
    expect(page.locator(".notices")).to_contain_text("The connection is lost.")
    hand.tap()
    hand.tap()
    page.locator("[data-action=draw]").click()
    page.locator("[data-action=draw]").click()  # once more is the same wish
    visitor.context.set_offline(False)
    expect(other.locator(".ply")).to_have_count(1)
    expect(other.locator(".notices")).to_contain_text("offers a draw.")
    expect(page.locator(".notices")).to_contain_text("You have offered a draw.")
    expect(page.locator(".toast.bad")).to_have_count(0)


def test_whoever_stays_sees_how_long_the_other_has(visit: Visit) -> None:
    visitors = [visit(), visit()]
    pages = [visitor.open("/?opponent=anybody") for visitor in visitors]
    for page in pages:
        page.locator('[data-game="checkers"] button').click()
    for page in pages:
        page.wait_for_selector("ludus-checkers:not([compact])")
    pages[1].goto("about:blank")
    expect(pages[0].locator("[data-count=away]")).to_contain_text("s left.")
    pages[1].goto(visitors[1].url)
    expect(pages[0].locator("[data-count=away]")).to_have_count(0)
    expect(pages[1].locator(".turn")).to_be_visible()
