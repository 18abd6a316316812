"""Games go on after a refresh, and after the network was away."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from .board_player import BoardPlayer
from .browser import OFFLINE
from .conftest import Visit
from .test_play import GAMES, resign, start


@pytest.mark.parametrize("game", GAMES)
def test_a_refresh_leads_back_to_the_same_game(visit: Visit, game: str) -> None:
    page = visit().open("/")
    start(page, game)
    player = BoardPlayer(page, game, seed=1)
    player.play(3)
    player.look()
    before = page.locator(".ply").all_inner_texts()
    assert page.locator(".ply .roll").count() == (len(before) if game == "backgammon" else 0)
    page.reload()
    player.look()
    assert page.locator(".ply").all_inner_texts()[: len(before)] == before
    player.play(1)
    player.look()  # the bot has replied: nothing moves between the two counts
    assert page.locator(".ply .roll").count() == (player.made() if game == "backgammon" else 0)


@pytest.mark.parametrize("game", GAMES)
def test_a_returning_player_gets_a_summary_of_the_game(visit: Visit, game: str) -> None:
    page = visit().open("/")
    start(page, game)
    player = BoardPlayer(page, game, seed=1)
    player.play(2)
    player.look()  # it is one's own turn, which stays so
    page.reload()
    rolled = r" You rolled \d, \d\." if game == "backgammon" else ""
    spoken = re.compile(rf"^You're back in the game\. You're playing \w+\. Your turn\.{rolled}$")
    expect(page.locator("[data-announcer] p")).to_have_text([spoken])


def test_a_returning_player_gets_the_result_of_a_finished_game(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    resign(page)
    page.wait_for_selector("[data-over]")
    page.reload()
    expect(page.locator("[data-over=lost]")).to_be_visible()
    expect(page.locator("[data-announcer] p")).to_have_text(["You lost"])


def test_a_cancelled_invitation_is_over_for_the_friend_too(visit: Visit) -> None:
    host, visitor = visit().open("/?opponent=friend"), visit(own=True, forgives=("404",))
    host.locator('[data-game="checkers"] button').click()
    code = host.locator("[data-code]").get_attribute("data-code")
    expect(host.get_by_role("heading", name="Waiting for your friend")).to_be_visible()
    host.get_by_role("button", name="Cancel").click()
    expect(host.locator('[data-game="checkers"] button')).to_be_visible()
    guest = visitor.open(f"/?room={code}")
    expect(guest.get_by_role("heading", level=1)).to_have_text("This invitation is no longer open")


def test_a_code_on_show_is_kept_over_a_refresh_before_the_line_stands(visit: Visit) -> None:
    visitor = visit(own=True)
    visitor.context.route_web_socket("**/socket.io/**", lambda _: None)  # which never answers
    page = visitor.open("/?opponent=friend")
    page.locator('[data-game="checkers"] button').click()
    code = page.locator("[data-code]").get_attribute("data-code") or ""
    page.reload()
    expect(page.locator("[data-code]")).to_have_text(code)


def test_the_moves_are_written_as_in_the_replay(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "backgammon")
    player = BoardPlayer(page, "backgammon", seed=3)
    player.play(8)
    resign(page)
    page.wait_for_selector("[data-over]")
    id = page.url.rpartition("/")[2]
    plays = page.evaluate(
        """async (id) => {
      const { moves } = await (await fetch(`/web/tables/${id}`)).json();
      return moves.map((move) => move.notation);
    }""",
        id,
    )
    shown = page.locator(".ply .text").all_inner_texts()
    assert len(shown) >= 8
    assert [text for text in shown if text != "no move"] == [text for text in plays if "/" in text]


def test_a_refresh_after_the_end_still_shows_how_it_ended(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    resign(page)
    page.wait_for_selector("[data-over]")
    page.reload()
    expect(page.locator("[data-over=lost]")).to_be_visible()
    page.locator("[data-action=next]").click()
    expect(page.locator('[data-game="checkers"] button')).to_be_visible()


def test_a_game_continues_when_the_network_is_back(visit: Visit) -> None:
    visitor = visit(own=True, forgives=OFFLINE)
    page = visitor.open("/")
    start(page, "checkers")
    player = BoardPlayer(page, "checkers", seed=2)
    player.play(1)
    player.look()
    visitor.context.set_offline(True)
    expect(page.locator(".notices")).to_contain_text("Connection lost.")
    count = player.made()
    player.tap()
    player.tap()  # a move made without a network waits for it
    visitor.context.set_offline(False)
    expect(page.locator(".notices")).not_to_contain_text("Connection lost.")
    expect(page.locator(".ply").nth(count)).to_be_visible()
    player.play(2)


def test_all_that_was_done_without_a_network_is_sent_in_order(visit: Visit) -> None:
    visitors = [visit(own=True, forgives=OFFLINE) for _ in range(2)]
    pages = [visitor.open("/?opponent=anyone") for visitor in visitors]
    for page in pages:
        page.locator('[data-game="checkers"] button').click()
    for page in pages:
        expect(page.locator(".turn")).to_be_visible()
    mover = 0 if pages[0].locator(".turn.is-mine").count() else 1
    visitor, page, other = visitors[mover], pages[mover], pages[1 - mover]
    player = BoardPlayer(page, "checkers", seed=2)
    player.look()
    visitor.context.set_offline(True)
    expect(page.locator(".notices")).to_contain_text("Connection lost.")
    player.tap()
    player.tap()
    page.locator("[data-action=draw]").click()
    page.locator("[data-action=draw]").click()  # a second click changes nothing
    visitor.context.set_offline(False)
    expect(other.locator(".ply")).to_have_count(1)
    expect(other.locator(".notices")).to_contain_text("offers a draw.")
    expect(page.locator(".notices")).to_contain_text("You offered a draw.")
    expect(page.locator(".toast.bad")).to_have_count(0)


def test_a_player_sees_how_long_an_absent_opponent_has(visit: Visit) -> None:
    visitors = [visit(), visit()]
    pages = [visitor.open("/?opponent=anyone") for visitor in visitors]
    for page in pages:
        page.locator('[data-game="checkers"] button').click()
    for page in pages:
        page.wait_for_selector("ludus-checkers:not([compact])")
    address = pages[1].url
    pages[1].goto("about:blank")
    expect(pages[0].locator("[data-count=away]")).to_contain_text("unless they return.")
    pages[1].goto(address)
    expect(pages[0].locator("[data-count=away]")).to_have_count(0)
    expect(pages[1].locator(".turn")).to_be_visible()
