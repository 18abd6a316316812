"""Nonsense on all sockets: no hang, no crash, no one else's data, and the match goes on."""

from __future__ import annotations

import json
import socket as tcp
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from ..server_process import ServerProcess
from .client import WAIT, Agent, Refused, Socket, Visitor, refusal
from .players import Match, mover_first, paired

FUZZ = settings(max_examples=25, deadline=None)
FEW = 12
"""Frames in one example, so that a match survives them."""
FINE = {1000, 1002, 1003, 1007, 1008, 1009}
"""Codes with which a server may turn away a client that does not keep to the protocol."""

Json = dict[str, Any]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
kinds = st.sampled_from(["action", "move", "resign", "connected", "your_turn", "replaced", ""]) | values
places = st.integers(-1, 40) | st.sampled_from(["bar", "off", "1", 1.0, 1.5]) | values
moves = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["move", "castle"]) | values,
        "from": places,
        "to": places,
        "captures": st.lists(places, max_size=15) | values,
        "path": st.lists(places, max_size=15) | values,
        "moves": st.lists(st.fixed_dictionaries({}, optional={"from": places, "to": places}) | values, max_size=6)
        | values,
    },
)
actions = st.fixed_dictionaries(
    {},
    optional={
        "type": kinds,
        "sequence": st.integers(-2, 9) | st.integers() | values,
        "payload": moves | values,
        "action": moves | values,
    },
)
deep = st.integers(1, 3000).map(lambda depth: "[" * depth + "]" * depth)
texts = (
    actions.map(json.dumps)
    | values.map(json.dumps)
    | st.text(max_size=200)
    | deep
    | actions.map(lambda action: json.dumps(action)[:-1])
    | st.integers(100, 2000).map(lambda digits: '{"type":"action","payload":{},"sequence":' + "9" * digits + "}")
)
frames = texts | st.binary(max_size=200)


@contextmanager
def seated(server: ServerProcess, game: str = "checkers") -> Iterator[tuple[Match, Agent, Agent]]:
    """A match of its own for each example, the player to move first; afterwards both players can still play."""
    with ExitStack() as stack:
        agents = [Agent(server.url, f"fuzz {uuid.uuid4()}") for _ in range(2)]
        for agent in agents:
            stack.callback(agent.close)
        match = paired(game, agents)
        mover, other = mover_first(match, agents)
        yield match, mover, other
        states = {agent.state(match.id)["status"] for agent in agents}
        assert states in ({"your_turn", "waiting"}, {"game_over"})


def check_own(frame: Json, agent: Agent) -> None:
    """Nothing but what is the agent's own, and nothing of the server's insides."""
    text = json.dumps(frame)
    assert frame.get("agentId", agent.id) == agent.id
    assert frame.get("view", {}).get("you", agent.id) == agent.id
    assert "Traceback" not in text and "ludus_agent_" not in text and "sc-verify" not in text


def answers(socket: Socket, count: int, agent: Agent) -> list[Json]:
    """An error to each frame, until they are all answered or the match is over."""
    found: list[Json] = []
    while len(found) < count:
        frame = socket.next()
        check_own(frame, agent)
        found.append(frame)
        if frame["type"] == "game_over":
            break
        assert frame["type"] == "error"
    return found


@FUZZ
@given(sent=st.lists(frames, min_size=1, max_size=FEW), game=st.sampled_from(["checkers", "backgammon"]))
def test_every_frame_of_a_player_is_answered(arena: ServerProcess, sent: list[str | bytes], game: str) -> None:
    with seated(arena, game) as (match, _, other), other.game(match.id) as socket:
        socket.expect("connected")
        for data in sent:
            socket.send(data)
        codes = {frame["error"] for frame in answers(socket, len(sent), other) if frame["type"] == "error"}
        assert codes <= {"invalid_input", "invalid_action", "not_your_turn", "stale_sequence"}


@FUZZ
@given(action=moves | values, game=st.sampled_from(["checkers", "backgammon"]))
def test_any_action_of_the_mover_is_taken_or_refused(arena: ServerProcess, action: Any, game: str) -> None:
    with seated(arena, game) as (match, mover, _):
        answer = mover.ask("POST", f"/api/matches/{match.id}/action", json.dumps({"sequence": 1, "action": action}))
        if answer.status_code != 200:
            assert refusal(answer) in ((400, "invalid_input"), (400, "invalid_action"))
        with mover.game(match.id) as socket:
            socket.expect("connected")
            if answer.status_code != 200:
                socket.expect("your_turn")
                socket.send(json.dumps({"type": "action", "sequence": 1, "payload": action}))
                assert socket.expect("error")["error"] == answer.json()["error"]


@FUZZ
@given(sent=st.lists(frames, min_size=1, max_size=3), is_watching=st.booleans())
def test_sockets_that_only_speak_close_on_anything(
    arena: ServerProcess, sent: list[str | bytes], is_watching: bool
) -> None:
    with seated(arena) as (match, mover, _), mover.socket(_path("watch" if is_watching else "agent", match)) as socket:
        assert socket.next()["type"] == ("state" if is_watching else "connected")
        with suppress(ConnectionClosed):
            for data in sent:
                socket.send(data)
        assert socket.ending() in FINE


@FUZZ
@given(name=st.text(min_size=1, max_size=80), key=st.binary(max_size=60))
def test_any_address_and_key_is_refused_in_good_form(arena: ServerProcess, name: str, key: bytes) -> None:
    visitor = Visitor(arena.url, quote(key, safe=""))
    for path in ("/ws/agent", f"/ws/game/{quote(name, safe='')}", f"/ws/watch/{quote(name, safe='')}"):
        with pytest.raises(Refused) as refused:
            visitor.socket(path)
        assert refused.value.status in (401, 403, 404)
    visitor.close()


@FUZZ
@given(junk=st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=4))
@pytest.mark.parametrize("path", ["agent", "game", "watch"])
def test_bytes_that_are_no_websocket_end_their_connection_only(
    arena: ServerProcess, path: str, junk: list[bytes]
) -> None:
    with seated(arena) as (match, mover, other), other.game(match.id) as calm:
        calm.expect("connected")
        with upgraded(mover, _path(path, match)) as wire, suppress(OSError):
            for data in junk:
                wire.sendall(data)
            wire.shutdown(tcp.SHUT_WR)
            while wire.recv(65536):
                pass
        mover.act(match.id, 1, {"type": "move", "from": 11, "to": 15})
        calm.expect("your_turn")


def _path(socket: str, match: Match) -> str:
    return "/ws/agent" if socket == "agent" else f"/ws/{socket}/{match.id}"


@contextmanager
def upgraded(agent: Agent, path: str) -> Iterator[tcp.socket]:
    """A connection upgraded to a WebSocket, for a client that doesn't speak the protocol."""
    place = urlsplit(agent.url)
    with tcp.create_connection((place.hostname, place.port), timeout=WAIT) as wire:
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: {place.netloc}",
            f"Authorization: Bearer {agent.key}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        wire.sendall("\r\n".join([*lines, "", ""]).encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += wire.recv(1)
        assert b" 101 " in head
        yield wire
