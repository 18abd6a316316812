"""The two sockets of an agent, as the contract has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from ..server_process import ServerProcess
from .client import Agent, NewAgent, Refused, Visitor, timeless
from .conftest import OpenServer
from .players import Match, mover_first, paired

NewOne = Callable[..., Agent]
RESIGN = {"type": "resign"}
OPENING = {"type": "move", "from": 11, "to": 15}
REPLY = {"type": "move", "from": 22, "to": 18}
Table = tuple[Match, Agent, Agent]


@pytest.fixture
def table(new_agent: NewOne) -> Table:
    """A match of checkers before the first move; the player to move comes first."""
    agents = [new_agent(), new_agent()]
    match = paired("checkers", agents)
    return match, *mover_first(match, agents)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize("path", ["/ws/agent", "/ws/game/anything"])
@pytest.mark.parametrize("key", [None, "nonsense"])
def test_an_upgrade_without_a_key_is_refused(visitor: Visitor, path: str, key: str | None) -> None:
    visitor.key = key
    with pytest.raises(Refused) as refused:
        visitor.socket(path)
    assert (refused.value.status, refused.value.body) == (401, {"error": "unauthorized"})


def test_a_socket_at_a_match_is_for_its_players(table: Table, new_agent: NewOne) -> None:
    match, _, _ = table
    with pytest.raises(Refused) as refused:
        new_agent().game(match.id)
    assert (refused.value.status, refused.value.body) == (403, {"error": "not_a_player"})
    with pytest.raises(Refused) as refused:
        new_agent().game("nothing")
    assert (refused.value.status, refused.value.body) == (404, {"error": "match_not_found"})


def test_the_agents_socket_tells_of_a_match(new_agent: NewOne) -> None:
    first, second = new_agent(), new_agent()
    with first.socket("/ws/agent") as socket:
        assert socket.expect("connected")["agentId"] == first.id
        match = paired("backgammon", [first, second])
        assert socket.expect("match_found") == {"type": "match_found", "matchId": match.id, "gameId": "backgammon"}
        socket.silence()


def test_the_newest_of_an_agents_sockets_wins(new_agent: NewOne) -> None:
    first, second = new_agent(), new_agent()
    with first.socket("/ws/agent") as older, first.socket("/ws/agent") as newer:
        older.expect("connected")
        newer.expect("connected")
        older.expect("replaced")
        assert older.ending() == 1000
        paired("checkers", [first, second])
        newer.expect("match_found")


@pytest.mark.parametrize("data", ["", "hello", '{"type":"ping"}', b"\0\1"])
def test_any_frame_closes_the_agents_socket(new_agent: NewOne, data: Any) -> None:
    agent = new_agent()
    with agent.socket("/ws/agent") as socket:
        socket.expect("connected")
        socket.send(data)
        assert socket.ending() not in (None, 1011)
    with agent.socket("/ws/agent") as again:
        again.expect("connected")


def test_a_missed_match_is_announced_on_reconnect(new_agent: NewOne) -> None:
    first, second = new_agent(), new_agent()
    with first.socket("/ws/agent") as socket:
        socket.expect("connected")
        socket.drop()
    match = paired("checkers", [first, second])
    with first.socket("/ws/agent") as socket:
        socket.expect("connected")
        assert socket.expect("match_found")["matchId"] == match.id


def test_a_pending_turn_is_sent_on_every_reconnect(table: Table) -> None:
    match, mover, other = table
    frames = []
    for _ in range(3):
        with mover.game(match.id) as socket:
            socket.expect("connected")
            frames.append(socket.expect("your_turn"))
            socket.drop()
    assert timeless(frames[0]) == timeless(frames[1]) == timeless(frames[2])
    state = mover.state(match.id)
    assert (frames[0]["sequence"], frames[0]["view"]) == (state["sequence"], state["view"])
    ends = [state_sent["turnEndsAt"] for state_sent in (*frames, state)]
    assert ends == sorted(ends)
    with other.game(match.id) as socket:
        socket.expect("connected")
        socket.silence()


def test_a_move_is_the_others_turn_and_nothing_for_its_maker(table: Table, stack: ExitStack) -> None:
    match, mover, other = table
    one, two = (stack.enter_context(agent.game(match.id)) for agent in (mover, other))
    for socket in (one, two):
        socket.expect("connected")
    one.act(one.expect("your_turn")["sequence"], OPENING)
    turn = two.expect("your_turn")
    assert turn["view"]["lastMove"] == {"from": 11, "to": 15, "captures": []}
    one.silence()
    two.act(turn["sequence"], REPLY)
    assert one.expect("your_turn")["sequence"] > turn["sequence"]


def test_http_and_sockets_mix(table: Table) -> None:
    match, mover, other = table
    with other.game(match.id) as socket:
        socket.expect("connected")
        mover.act(match.id, 1, OPENING)
        turn = socket.expect("your_turn")
        socket.act(turn["sequence"], REPLY)
        state = mover.state(match.id, after=turn["sequence"])
        assert state["status"] == "your_turn" and state["view"]["lastMove"]["to"] == 18


def test_the_newest_socket_of_a_player_wins(table: Table, stack: ExitStack) -> None:
    match, mover, other = table
    older = stack.enter_context(mover.game(match.id))
    older.expect("connected")
    older.expect("your_turn")
    newer = stack.enter_context(mover.game(match.id))
    newer.expect("connected")
    older.expect("replaced")
    assert older.ending() == 1000
    newer.act(newer.expect("your_turn")["sequence"], OPENING)
    assert other.state(match.id, after=1)["status"] == "your_turn"


ERRORS: list[tuple[Any, str]] = [
    ("no json", "invalid_input"),
    ("[1]", "invalid_input"),
    ({"type": "action", "sequence": 1, "action": OPENING}, "invalid_input"),
    ({"type": "action", "payload": OPENING}, "invalid_input"),
    ({"type": "action", "sequence": 1, "payload": {"type": "castle"}}, "invalid_input"),
    ({"type": "hello"}, "invalid_input"),
    (b'{"type":"action"}', "invalid_input"),
    ({"type": "action", "sequence": 1, "payload": {"type": "move", "from": 1, "to": 5}}, "invalid_action"),
    ({"type": "action", "sequence": 5, "payload": OPENING}, "stale_sequence"),
]


@pytest.mark.parametrize(("data", "error"), ERRORS)
def test_what_cannot_be_taken_is_answered_by_an_error(table: Table, data: Any, error: str) -> None:
    match, mover, other = table
    with mover.game(match.id) as socket:
        socket.expect("connected")
        turn = socket.expect("your_turn")
        socket.send(data)
        said = socket.expect("error")
        assert said["error"] == error
        if error == "stale_sequence":
            assert said["currentSequence"] == turn["sequence"]
        else:
            assert said["details"]
        socket.act(turn["sequence"], OPENING)
        assert other.state(match.id, after=1)["status"] == "your_turn"


def test_an_action_out_of_turn_is_an_error(table: Table) -> None:
    match, _, other = table
    with other.game(match.id) as socket:
        socket.expect("connected")
        socket.act(1, REPLY)
        assert socket.expect("error") == {"type": "error", "error": "not_your_turn"}


def test_the_end_is_an_envelope_and_closes_the_sockets(table: Table, stack: ExitStack) -> None:
    match, mover, other = table
    one, two = (stack.enter_context(agent.game(match.id)) for agent in (mover, other))
    for socket in (one, two):
        socket.expect("connected")
    one.expect("your_turn")
    two.act(1, RESIGN)
    for socket, agent in ((one, mover), (two, other)):
        end = socket.expect("game_over")
        state = agent.state(match.id)
        assert {name: value for name, value in end.items() if name != "type"} == state
        assert socket.ending() == 1000
    with mover.game(match.id) as late:
        late.expect("connected")
        assert late.expect("game_over")["reason"] == "resignation"
        assert late.ending() == 1000


def test_a_frame_that_is_too_long_closes_the_socket(table: Table) -> None:
    match, mover, _ = table
    with mover.game(match.id) as socket:
        socket.expect("connected")
        socket.expect("your_turn")
        socket.send("x" * 20_000)
        assert socket.ending() == 1009
    assert mover.state(match.id)["status"] == "your_turn"


def test_a_flood_of_frames_ends_its_own_socket_only(strict_arena: ServerProcess, register: NewAgent) -> None:
    agents = [register(strict_arena), register(strict_arena)]
    match = paired("checkers", agents)
    mover, other = mover_first(match, agents)
    with mover.game(match.id) as calm, other.game(match.id) as eager:
        calm.expect("connected")
        turn = calm.expect("your_turn")
        eager.expect("connected")
        with suppress(ConnectionClosed):
            for _ in range(200):
                eager.act(1, REPLY)
        assert eager.ending() == 1008
        assert eager.heard[-1]["error"] == "rate_limited"
        calm.act(turn["sequence"], OPENING)
        assert other.state(match.id, after=1)["status"] == "your_turn"


def test_an_address_has_so_many_sockets(open_server: OpenServer, register: NewAgent, stack: ExitStack) -> None:
    server = open_server(max_sockets=5)  # of its own: a socket that has just been closed may count for a moment
    agent = register(server)
    match = agent.queue("checkers", opponent="house:easy")["matchId"]
    for _ in range(5):
        stack.enter_context(agent.watch(match))
    with pytest.raises(Refused) as refused:
        agent.watch(match)
    assert (refused.value.status, refused.value.body) == (429, {"error": "rate_limited"})
    assert int(refused.value.headers["retry-after"]) > 0
    assert "without completing handshake" not in server.log, "a refusal is no error of the server"
