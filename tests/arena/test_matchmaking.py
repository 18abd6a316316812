"""Queues: who meets whom, and who waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from ..server_process import ServerProcess
from .client import WAIT, Agent, NewAgent, refusal
from .players import paired

NewOne = Callable[..., Agent]


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@pytest.mark.parametrize("lane", [{}, {"lane": "fast"}, {"lane": "standard"}])
def test_the_second_completes_a_pair(new_agent: NewOne, game: str, lane: dict[str, str]) -> None:
    first, second = new_agent(), new_agent()
    match = paired(game, [first, second], **lane)
    for agent in (first, second):
        status = agent.status(game)
        assert (status["status"], status["matchId"]) == ("matched", match.id)
        assert agent.state(match.id)["turnEndsAt"]


def test_standard_is_the_lane_of_who_names_none(new_agent: NewOne) -> None:
    first, second = new_agent(), new_agent()
    first.queue("checkers")
    assert second.queue("checkers", lane="standard")["status"] == "matched"


def test_lanes_and_games_do_not_mix(new_agent: NewOne) -> None:
    agents = [new_agent() for _ in range(4)]
    wanted = [("checkers", "fast"), ("checkers", "standard"), ("backgammon", "fast"), ("backgammon", "standard")]
    for agent, (game, lane) in zip(agents, wanted, strict=True):
        assert agent.queue(game, lane=lane) == {"status": "queued", "position": 1}
    for agent, (game, _) in zip(agents, wanted, strict=True):
        agent.leave(game)


def test_who_asks_again_keeps_the_place(new_agent: NewOne) -> None:
    agent = new_agent()
    assert agent.queue("checkers")["status"] == "queued"
    assert agent.queue("checkers") == {"status": "already_queued", "position": 1}
    assert agent.status("checkers") == {"status": "queued", "position": 1}
    agent.leave("checkers")


def test_no_one_meets_themselves(new_agent: NewOne) -> None:
    agent = new_agent()
    for _ in range(5):
        assert agent.queue("checkers")["status"] != "matched"
    agent.leave("checkers")


def test_who_leaves_does_not_wait_any_more(new_agent: NewOne) -> None:
    agent, other = new_agent(), new_agent()
    agent.queue("backgammon", lane="fast")
    agent.leave("backgammon")
    assert agent.status("backgammon") == {"status": "not_queued"}
    assert other.queue("backgammon", lane="fast")["status"] == "queued"
    other.leave("backgammon")
    assert other.ask("DELETE", "/api/matchmaking/queue", gameId="backgammon").status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        "no json",
        {"gameId": 7},
        {"gameId": "checkers", "lane": "slow"},
        {"gameId": "checkers", "lane": 1},
        {"gameId": "checkers", "opponent": "house:god"},
        {"gameId": "checkers", "opponent": "easy"},
    ],
)
def test_what_is_no_wish_is_refused(new_agent: NewOne, body: Any) -> None:
    answer = new_agent().ask("POST", "/api/matchmaking/queue", body)
    assert refusal(answer) == (400, "invalid_input")
    assert isinstance(answer.json()["details"], list)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/matchmaking/queue", {"gameId": "chess"}),
        ("GET", "/api/matchmaking/status?gameId=chess", None),
        ("DELETE", "/api/matchmaking/queue?gameId=chess", None),
    ],
)
def test_there_is_no_queue_for_an_unknown_game(new_agent: NewOne, method: str, path: str, body: Any) -> None:
    assert refusal(new_agent().ask(method, path, body)) == (404, "game_not_found")


@pytest.mark.parametrize("query", [{}, {"gameId": "checkers", "lane": "fast"}, {"gameId": ""}])
def test_a_status_is_asked_by_game_and_without_a_lane(new_agent: NewOne, query: dict[str, str]) -> None:
    assert refusal(new_agent().ask("GET", "/api/matchmaking/status", **query)) == (400, "invalid_input")


def test_who_waits_too_long_is_sent_away(impatient_arena: ServerProcess, register: NewAgent) -> None:
    agent = register(impatient_arena)
    assert agent.queue("checkers")["status"] == "queued"
    until = time.monotonic() + WAIT
    while agent.status("checkers")["status"] == "queued":
        assert time.monotonic() < until
        time.sleep(0.1)
    assert agent.status("checkers") == {"status": "not_queued"}


def test_seats_change_over_a_series(new_agent: NewOne) -> None:
    agents = [new_agent(), new_agent()]
    firsts = []
    for _ in range(3):
        for agent in agents:
            agent.queue("checkers", lane="fast")
        match = wait_for_match(agents[0], "checkers")  # far apart in rating after the first, they wait a little
        dark = next(agent for agent in agents if agent.state(match)["view"]["yourColor"] == "dark")
        firsts.append(dark.id)
        dark.act(match, dark.state(match)["sequence"], {"type": "resign"})
    assert firsts[0] == firsts[2] != firsts[1]


def wait_for_match(agent: Agent, game: str) -> str:
    until = time.monotonic() + WAIT
    while (status := agent.status(game))["status"] != "matched":
        assert time.monotonic() < until, status
        time.sleep(0.1)
    return str(status["matchId"])


def test_two_agents_at_once_get_one_match(new_agent: NewOne) -> None:
    agents = [new_agent() for _ in range(6)]
    found = [agent.queue("backgammon") for agent in agents]
    assert [answer["status"] for answer in found] == ["queued", "matched"] * 3
    matches = {agent.status("backgammon")["matchId"] for agent in agents}
    assert len(matches) == 3
