"""However a connection ends: a client that reconnects gets what it missed, and what it sent is taken once."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest

from ..server_process import ServerProcess
from .boards import choose
from .client import WAIT, Agent, Socket, timeless
from .players import Match, mover_first, paired

NewOne = Callable[..., Agent]
TURNS = 4
CUT = struct.pack("ii", 1, 0)
"""For `SO_LINGER`: what has not been sent is thrown away, and the other side gets a reset."""


def closed(wire: Socket) -> None:
    wire.close()


def reset(wire: Socket) -> None:
    wire.wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, CUT)
    wire.wire.socket.close()


def half_closed(wire: Socket) -> None:
    wire.wire.socket.shutdown(socket.SHUT_WR)


def silent(wire: Socket) -> None:
    """Still open, for all that the server can see."""


def confused(wire: Socket) -> None:
    wire.wire.socket.sendall(b"\xff\xff\xff\xff")


def verbose(wire: Socket) -> None:
    wire.send("x" * 20_000)


End = Callable[[Socket], None]
ENDS: list[End] = [closed, reset, half_closed, silent, confused, verbose]
every_end = pytest.mark.parametrize("end", ENDS, ids=lambda end: str(end.__name__))


@pytest.fixture
def left(request: pytest.FixtureRequest) -> Iterator[Callable[[Socket], None]]:
    """Ends a socket in the way that the test is about, and keeps what is left of it until the test is over."""
    with ExitStack() as stack:

        def leave(wire: Socket) -> None:
            stack.callback(wire.close)
            request.getfixturevalue("end")(wire)

        yield leave


@every_end
@pytest.mark.parametrize("is_late", [False, True], ids=["before the match", "after it"])
def test_a_match_is_announced_to_an_agent_that_reconnects(
    new_agent: NewOne, left: End, end: End, is_late: bool
) -> None:
    first, second = new_agent(), new_agent()
    wire = first.socket("/ws/agent")
    wire.expect("connected")
    if not is_late:
        left(wire)
    match = paired("checkers", [first, second]).id
    if is_late:
        left(wire)
    for _ in range(2):  # it is news until the agent sits at the table
        with first.socket("/ws/agent") as again:
            again.expect("connected")
            assert again.expect("match_found")["matchId"] == match
            again.silence()
    assert first.status("checkers")["matchId"] == match


@every_end
@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_a_turn_is_sent_again_and_a_move_is_accepted_once(new_agent: NewOne, left: End, end: End, game: str) -> None:
    agents = [new_agent(), new_agent()]
    match, rng = paired(game, agents), Random(1)
    for _ in range(TURNS):
        mover, other = mover_first(match, agents)
        turn, action = answered(match, mover, left, rng)
        mover.act(match.id, turn["sequence"], action)  # it may have arrived or not: to say it again is safe
        state = other.state(match.id, after=turn["sequence"])
        assert state["sequence"] > turn["sequence"]
        assert mover.try_action(match.id, turn["sequence"], action).status_code == 200


def answered(match: Match, mover: Agent, left: End, rng: Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """A turn and its answer; the mover goes away before it and once more right after it."""
    wire = mover.game(match.id)
    turn = told_turn(wire)
    left(wire)
    wire = mover.game(match.id)
    assert timeless(told_turn(wire)) == timeless(turn)
    action = choose(turn["view"], rng)
    wire.act(turn["sequence"], action)
    left(wire)
    return turn, action


def told_turn(wire: Socket) -> dict[str, Any]:
    wire.expect("connected")
    return wire.expect("your_turn")


@every_end
def test_the_end_is_sent_to_an_agent_that_reconnects(new_agent: NewOne, left: End, end: End) -> None:
    agents = [new_agent(), new_agent()]
    match = paired("checkers", agents)
    mover, other = mover_first(match, agents)
    wire = other.game(match.id)
    wire.expect("connected")
    left(wire)
    mover.act(match.id, 1, {"type": "resign"})
    with other.game(match.id) as again:
        again.expect("connected")
        assert again.expect("game_over")["reason"] == "resignation"
        assert again.ending() == 1000
    assert other.state(match.id)["status"] == "game_over"
    assert other.status("checkers") == {"status": "not_queued"}


def test_a_move_whose_response_is_not_awaited_is_accepted(new_agent: NewOne) -> None:
    agents = [new_agent(), new_agent()]
    match = paired("checkers", agents)
    mover, other = mover_first(match, agents)
    state = mover.state(match.id)
    action = choose(state["view"], Random(1))
    with other.game(match.id) as wire:
        wire.expect("connected")
        post_and_go(mover, f"/api/matches/{match.id}/action", {"sequence": state["sequence"], "action": action})
        assert wire.expect("your_turn")["sequence"] > state["sequence"]
    assert mover.act(match.id, state["sequence"], action)["status"] == "waiting"


def test_who_goes_before_the_answer_has_a_match_all_the_same(new_agent: NewOne) -> None:
    first, second = new_agent(), new_agent()
    with first.socket("/ws/agent") as waiting, second.socket("/ws/agent") as completing:
        for wire in (waiting, completing):
            wire.expect("connected")
        first.queue("checkers", lane="fast")
        post_and_go(second, "/api/matchmaking/queue", {"gameId": "checkers", "lane": "fast"})
        match = waiting.expect("match_found")["matchId"]
        assert completing.expect("match_found")["matchId"] == match
    assert second.queue("checkers", lane="fast")["matchId"] == match
    assert [agent.status("checkers")["matchId"] for agent in (first, second)] == [match, match]


def test_a_request_that_is_cut_off_is_no_error_of_ours(arena: ServerProcess, new_agent: NewOne) -> None:
    agent = new_agent()
    post_and_go(agent, "/api/matchmaking/queue", {"gameId": "checkers", "lane": "fast"}, missing=5)
    cut_off = 'ludus_http_requests_total{method="POST",route="/api/matchmaking/queue",status="499"}'
    until = time.monotonic() + WAIT
    while cut_off not in arena.request("GET", "/metrics").text:
        assert time.monotonic() < until, "the request is still awaited"
        time.sleep(0.02)
    assert agent.status("checkers") == {"status": "not_queued"}
    assert "Traceback" not in arena.log


def post_and_go(agent: Agent, path: str, body: dict[str, Any], missing: int = 0) -> None:
    """A request, perhaps without its last bytes, and the end of its connection before the answer."""
    where, content = urlsplit(agent.url), json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", f"Host: {where.netloc}", f"Authorization: Bearer {agent.key}"]
    lines += ["Content-Type: application/json", f"Content-Length: {len(content)}", "", ""]
    with socket.create_connection((where.hostname or "", where.port or 80)) as wire:
        wire.sendall("\r\n".join(lines).encode() + content[: len(content) - missing])
