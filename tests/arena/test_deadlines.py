"""A turn has a time limit; a player who exceeds it forfeits and blocks no one."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable

import pytest

from ..server_process import ServerProcess
from .client import WAIT, Agent, Json, NewAgent
from .players import Match, paired

LANES = {"fast": 900, "standard": 3900}
"""Seconds that a turn may take by the contract."""
MILLISECOND = 0.001
"""The precision of timestamps."""
GRACE = 3.0
"""Seconds of a pause on a busy machine that may be credited to the players although the server was up."""
NewOne = Callable[..., Agent]


def seated(agents: list[Agent], lane: str) -> tuple[Match, Agent, Agent]:
    """A match, who is to move, and the other; found without a look at it, since the turn may be over by then."""
    match = paired("checkers", agents, lane=lane)
    mover, other = sorted(agents, key=lambda agent: match.players.index(agent.id))
    return match, mover, other


def hurried(server: ServerProcess, register: NewAgent, lane: str) -> tuple[Match, Agent, Agent]:
    return seated([register(server), register(server)], lane)


def ends_of(state: Json) -> float:
    ends = datetime.datetime.fromisoformat(state["turnEndsAt"])
    assert ends.tzinfo is not None
    return ends.timestamp()


@pytest.mark.parametrize("lane", LANES)
def test_a_turn_says_when_it_ends(new_agent: NewOne, lane: str) -> None:
    agents = [new_agent(), new_agent()]
    before = time.time() - MILLISECOND
    match, mover, other = seated(agents, lane)
    for agent in (mover, other):
        ends = ends_of(agent.state(match.id))
        assert before <= ends - LANES[lane] <= time.time() + GRACE


@pytest.mark.parametrize("lane", LANES)
def test_who_lets_the_time_run_out_forfeits(hasty_arena: ServerProcess, register: NewAgent, lane: str) -> None:
    match, mover, other = hurried(hasty_arena, register, lane)
    with mover.game(match.id) as slow, other.game(match.id) as waiting:
        assert [socket.ending() for socket in (slow, waiting)] == [1000, 1000]
    assert waiting.kinds == ["connected", "game_over"]
    assert slow.kinds in (["connected", "your_turn", "game_over"], waiting.kinds)  # it may come too late for its turn
    for socket in (slow, waiting):
        end = socket.heard[-1]
        assert {result["agentId"]: result["outcome"] for result in end["results"]} == {
            mover.id: "loss",
            other.id: "win",
        }
        assert "time" in end["reason"]
    assert waiting.heard[-1]["rating"] is None  # too early to be a win
    rating = slow.heard[-1]["rating"]
    assert rating["after"] < rating["before"]


def test_a_long_poll_is_answered_when_the_other_forfeits(hasty_arena: ServerProcess, register: NewAgent) -> None:
    match, _, other = hurried(hasty_arena, register, "fast")
    assert other.state(match.id, after=other.state(match.id)["sequence"])["status"] == "game_over"


def test_a_client_that_vanishes_blocks_no_one(hasty_arena: ServerProcess, register: NewAgent) -> None:
    match, mover, other = hurried(hasty_arena, register, "fast")
    with mover.game(match.id) as socket:
        socket.expect("connected")
        socket.drop()
    until = time.monotonic() + WAIT
    while other.state(match.id)["status"] != "game_over":
        assert time.monotonic() < until
        time.sleep(0.1)
    for agent in (mover, other):
        assert agent.status("checkers") == {"status": "not_queued"}


def test_each_turn_has_its_own_time(new_agent: NewOne) -> None:
    match, mover, other = seated([new_agent(), new_agent()], "standard")
    moves = [(mover, 11, 15), (other, 22, 18), (mover, 15, 22), (other, 25, 18)]
    for agent, origin, landing in moves:
        state = agent.state(match.id)
        time.sleep(0.2)
        after = agent.act(match.id, state["sequence"], {"type": "move", "from": origin, "to": landing})
        assert after["status"] == "waiting"
        assert ends_of(after) - ends_of(state) >= 0.2 - MILLISECOND
