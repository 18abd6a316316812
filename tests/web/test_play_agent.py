"""A person meets a program of the arena."""

from __future__ import annotations

from playwright.sync_api import expect

from ..server_process import ServerProcess
from .board_player import BoardPlayer
from .conftest import Visit
from .matches import Agent


def test_a_person_plays_an_agent(visit: Visit, server: ServerProcess) -> None:
    page = visit().open("/?opponent=agent")
    page.locator('[data-game="checkers"] button').click()
    expect(page.get_by_role("heading", name="Waiting for an AI agent…")).to_be_visible()
    agent = Agent(server, "Deep Thought at play")
    queued = {"gameId": "checkers", "lane": "fast", "people": True}
    match = server.post("/api/matchmaking/queue", agent.key, queued)["matchId"]
    page.wait_for_selector("ludus-checkers:not([compact])")
    expect(page.locator(".strip-top .name")).to_contain_text("Deep Thought at play")
    state = agent.state(match)
    if state["status"] == "your_turn":
        agent.act(match, state, {"type": "move", **state["view"]["legalMoves"][0]})
    BoardPlayer(page, "checkers", seed=1).play(1)
    agent.act(match, agent.state(match), {"type": "resign"})
    expect(page.locator("[data-over=won]")).to_contain_text("Deep Thought at play resigned.")
