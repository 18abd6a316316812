"""A turn may take so long; who exceeds it forfeits and blocks nobody."""

from __future__ import annotations

import datetime
import time

import pytest

from ..rooms.house import House
from .client import WAIT, Agent, NewAgent
from .players import Match, mover_first, paired

LIMITS = {"fast": 1.0, "standard": 2.0}


def seated(house: House, register: NewAgent, lane: str) -> tuple[Match, Agent, Agent]:
    agents = [register(house), register(house)]
    match = paired("checkers", agents, lane=lane)
    return match, *mover_first(match, agents)


@pytest.mark.parametrize("lane", LIMITS)
def test_a_turn_says_when_it_ends(hasty_arena: House, register: NewAgent, lane: str) -> None:
    match, mover, other = seated(hasty_arena, register, lane)
    states = mover.state(match.id), other.state(match.id)
    assert states[0]["turnEndsAt"] == states[1]["turnEndsAt"]
    ends = datetime.datetime.fromisoformat(states[0]["turnEndsAt"])
    assert ends.tzinfo is not None
    opened = datetime.datetime.fromisoformat(mover.get(f"/api/matches/{match.id}")["startedAt"])
    assert (ends - opened).total_seconds() == pytest.approx(LIMITS[lane], abs=0.01)


@pytest.mark.parametrize("lane", LIMITS)
def test_who_lets_the_time_run_out_forfeits(hasty_arena: House, register: NewAgent, lane: str) -> None:
    match, mover, other = seated(hasty_arena, register, lane)
    with mover.game(match.id) as slow, other.game(match.id) as waiting:
        slow.expect("connected")
        slow.expect("your_turn")
        waiting.expect("connected")
        ends = [socket.expect("game_over") for socket in (slow, waiting)]
        assert [socket.ending() for socket in (slow, waiting)] == [1000, 1000]
    for end in ends:
        assert {result["agentId"]: result["outcome"] for result in end["results"]} == {
            mover.id: "loss",
            other.id: "win",
        }
        assert "time" in end["reason"]
    assert ends[1]["rating"]["after"] > ends[1]["rating"]["before"]


def test_a_long_poll_is_answered_when_the_other_forfeits(hasty_arena: House, register: NewAgent) -> None:
    match, _, other = seated(hasty_arena, register, "fast")
    assert other.state(match.id, after=other.state(match.id)["sequence"])["status"] == "game_over"


def test_who_vanishes_blocks_nobody(hasty_arena: House, register: NewAgent) -> None:
    match, mover, other = seated(hasty_arena, register, "fast")
    with mover.game(match.id) as socket:
        socket.expect("connected")
        socket.drop()
    until = time.monotonic() + WAIT
    while other.state(match.id)["status"] != "game_over":
        assert time.monotonic() < until
        time.sleep(0.1)
    for agent in (mover, other):
        assert agent.status("checkers") == {"status": "not_queued"}


def test_each_turn_has_its_own_time(hasty_arena: House, register: NewAgent) -> None:
    match, mover, other = seated(hasty_arena, register, "standard")
    moves = [(mover, 11, 15), (other, 22, 18), (mover, 15, 22), (other, 25, 18)]
    for agent, origin, landing in moves:
        time.sleep(0.7)
        action = {"type": "move", "from": origin, "to": landing}
        assert agent.act(match.id, agent.state(match.id)["sequence"], action)["status"] == "waiting"
