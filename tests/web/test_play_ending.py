"""What a player reads when a game is over: why, and whether anybody will play again."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from ..server_process import ServerProcess
from .board_player import BoardPlayer
from .conftest import Visit
from .matches import Agent
from .test_play import resign

FORFEIT = 20
"""Refused actions after which an agent has lost."""
LATER = "00:30"


def at_table(visit: Visit) -> tuple[Page, Page]:
    """Two people who have met; the first is the one to move."""
    pages = [visit(own=True).open("/?opponent=anyone") for _ in range(2)]
    for page in pages:
        page.locator('[data-game="checkers"] button').click()
    for page in pages:
        expect(page.locator(".turn")).to_be_visible()
    first = 0 if pages[0].locator(".turn.is-mine").count() else 1
    return pages[first], pages[1 - first]


def test_an_agent_that_forfeits_made_too_many_illegal_moves(visit: Visit, server: ServerProcess) -> None:
    page = visit().open("/?opponent=agent")
    page.locator('[data-game="checkers"] button').click()
    expect(page.get_by_role("heading", name="Waiting for an AI agent…")).to_be_visible()
    agent = Agent(server, "Clumsy")
    queued = {"gameId": "checkers", "lane": "fast", "people": True}
    match = server.post("/api/matchmaking/queue", agent.key, queued)["matchId"]
    page.wait_for_selector("ludus-checkers:not([compact])")
    if agent.state(match)["status"] != "your_turn":
        BoardPlayer(page, "checkers", seed=1).play(1)
    illegal = {
        "sequence": agent.state(match)["sequence"],
        "action": {"type": "move", "from": 0, "to": 63, "captures": []},
    }
    for _ in range(FORFEIT):
        assert server.request("POST", f"/api/matches/{match}/action", agent.key, json=illegal).status_code >= 400
    expect(page.locator("[data-over=won]")).to_contain_text("Clumsy made too many illegal moves.")


def test_a_draw_by_agreement_is_shown_as_such(visit: Visit) -> None:
    mover, other = at_table(visit)
    mover.locator("[data-action=draw]").click()
    other.get_by_role("button", name="Accept").click()
    for page in (mover, other):
        expect(page.locator("[data-over=draw]")).to_contain_text("You agreed to a draw.")


def test_an_unanswered_rematch_offer_suggests_a_new_game(visit: Visit) -> None:
    mover, other = at_table(visit)
    resign(mover)
    expect(other.locator("[data-over=won]")).to_be_visible()
    other.clock.install()
    other.get_by_role("button", name="Rematch").click()
    expect(other.locator("[data-over]")).to_contain_text("Waiting for your opponent…")
    other.clock.fast_forward(LATER)
    expect(other.locator("[data-over]")).to_contain_text("hasn't answered yet. Keep waiting, or start a new game.")
    mover.get_by_role("button", name="Accept rematch").click()
    for page in (mover, other):
        expect(page.locator(".turn")).to_be_visible()


def test_a_player_sees_at_once_that_the_opponent_left(visit: Visit) -> None:
    mover, other = at_table(visit)
    resign(mover)
    again, new = other.get_by_role("button", name="Rematch"), other.get_by_role("button", name="Find a new opponent")
    again.click()
    expect(other.locator("[data-over]")).to_contain_text("Waiting for your opponent…")
    address = mover.url
    mover.goto("about:blank")
    expect(other.locator("[data-over] [data-gone]")).to_have_text("Guest left.")
    expect(again).to_be_disabled()
    other.reload()
    expect(other.locator("[data-over] [data-gone]")).to_have_text("Guest left.")
    mover.goto(address)
    expect(other.locator("[data-over]")).to_contain_text("Waiting for your opponent…")
    expect(mover.locator("[data-over]")).to_contain_text("Guest wants a rematch.")
    mover.locator("[data-action=leave]").click()
    expect(other.locator("[data-over] [data-gone]")).to_have_text("Guest left.")
    expect(new).to_have_class("primary")
    new.click()
    expect(other.get_by_role("heading", name="Looking for")).to_be_visible()


def test_the_next_opponent_is_searched_at_once_on_the_same_terms(visit: Visit) -> None:
    pages = [visit(own=True).open("/?opponent=anyone") for _ in range(2)]
    for page in pages:
        page.get_by_label("Time control").select_option(label="3+2")
        page.get_by_label("Rated game").check()
        page.locator('[data-game="backgammon"] button').click()
    for page in pages:
        expect(page.locator(".turn")).to_be_visible()
    resign(pages[0])
    pages[1].reload()
    for page in pages:
        page.evaluate("localStorage.removeItem('ludus-choice')")  # another tab may have chosen something else
        with page.expect_request("**/web/play") as asked:
            page.get_by_role("button", name="Find a new opponent").click()
        sent: Any = asked.value.post_data_json
        assert (sent["game"], sent["opponent"], sent["rated"]) == ("backgammon", "anyone", True)
        assert sent["timeControl"] == {"type": "fischer", "seconds": 180, "increment": 2}
    for page in pages:
        expect(page.locator("[data-over]")).to_have_count(0)
        expect(page.locator(".turn")).to_be_visible()
        page.go_back()
        expect(page.locator("[data-over]")).to_be_visible()


def test_after_a_friends_game_a_new_game_is_chosen_on_the_start_page(visit: Visit) -> None:
    host, guest = visit(own=True).open("/?opponent=friend"), visit(own=True)
    host.locator('[data-game="checkers"] button').click()
    guest.page.goto(host.get_by_label("Invitation link").input_value())
    guest.page.get_by_role("button", name="Join").click()
    expect(host.locator(".turn")).to_be_visible()
    resign(host)
    host.locator("[data-over]").get_by_role("button", name="New game").click()
    expect(host.locator('[data-game="checkers"]')).to_be_visible()
