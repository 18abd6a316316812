"""Bots of the house: on demand, and for whoever waits alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

import pytest

from ..server_process import ServerProcess
from .client import Agent, NewAgent, Visitor
from .players import Match, over_http, over_socket

NewOne = Callable[..., Agent]


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_a_bot_plays_at_once(new_agent: NewOne, game: str, level: str) -> None:
    agent = new_agent()
    found = agent.queue(game, opponent=f"house:{level}")
    assert found["status"] == "matched"
    assert sorted(found["players"]) == sorted([agent.id, f"house:{level}"])
    state = agent.state(found["matchId"])
    while state["status"] == "waiting":
        state = agent.state(found["matchId"], after=state["sequence"])
    assert state["status"] == "your_turn"
    assert state["view"]["you"] == agent.id


@pytest.mark.parametrize("way", [over_http, over_socket])
def test_a_whole_match_with_a_bot(new_agent: NewOne, visitor: Visitor, way: Callable[..., object]) -> None:
    agent = new_agent()
    found = agent.queue("backgammon", opponent="house:easy")
    match = Match(found["matchId"], "backgammon", found["players"])
    way(match, agent, Random(2))
    end = agent.state(match.id)
    assert {result["agentId"] for result in end["results"]} == {agent.id, "house:easy"}
    bot = visitor.get("/api/agents/house:easy")
    assert bot["ratings"]["backgammon"]["games"] >= 1
    board = visitor.get("/api/leaderboard", gameId="backgammon", limit="100")
    assert "house:easy" in str(board)


def test_a_match_with_a_bot_is_watched_like_any_other(new_agent: NewOne, visitor: Visitor) -> None:
    agent = new_agent()
    match = agent.queue("checkers", opponent="house:easy")["matchId"]
    with visitor.watch(match) as socket:
        assert "house:easy" in str(socket.next())


@pytest.mark.parametrize("lane", ["fast", "standard"])
def test_who_waits_alone_is_given_a_bot(bot_fallback_arena: ServerProcess, register: NewAgent, lane: str) -> None:
    agent = register(bot_fallback_arena)
    with agent.socket("/ws/agent") as socket:
        socket.expect("connected")
        assert agent.queue("checkers", lane=lane)["status"] == "queued"
        found = socket.expect("match_found")
        assert found["gameId"] == "checkers"
    status = agent.status("checkers")
    assert (status["status"], status["matchId"]) == ("matched", found["matchId"])
    assert "house:" in str(agent.get(f"/api/matches/{found['matchId']}")["players"])
    assert agent.resign(found["matchId"])["reason"] == "resignation"
    assert agent.status("checkers") == {"status": "not_queued"}


def test_no_one_is_given_a_bot_where_that_is_off(new_agent: NewOne) -> None:
    agent = new_agent()
    agent.queue("checkers", lane="fast")
    until = time.monotonic() + 3
    while time.monotonic() < until:
        assert agent.status("checkers") == {"status": "queued", "position": 1}
        time.sleep(0.5)
    agent.leave("checkers")


def test_a_bots_profile_is_public(visitor: Visitor) -> None:
    for level in ("easy", "medium", "hard"):
        assert visitor.get(f"/api/agents/house:{level}")["id"] == f"house:{level}"
