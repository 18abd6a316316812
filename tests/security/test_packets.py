"""Packets that are no events: the sender may lose the connection, and nobody else notices."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from ..rooms.raw_client import RawClient
from ..server_process import ServerProcess
from .tables import Spectator, Table

DEEP = "[" * 2000 + "]" * 2000
GARBAGE: list[str | bytes] = [
    "",
    "x",
    "7",
    "9abc",
    "4",
    "4x",
    "42",
    "42[]",
    "42/checkers,",
    "42/checkers,[]",
    "42/checkers,{}",
    '42/checkers,{"0":"game:move"}',
    '42/checkers,"game:move"',
    "42/checkers,7",
    "42/checkers,[7]",
    "42/checkers,[null,{}]",
    '42/checkers,[["game:move"],{}]',
    '42/checkers,[{"game":"move"}]',
    "42/checkers,not json",
    '42/checkers,["\\ud800"]',
    '42/checkers,["game:move",' + DEEP + "]",
    "42/checkers," + "9" * 150 + '["game:move"]',
    '42/backgammon,["game:move",{}]',
    '42/nowhere,["game:move",{}]',
    "43/checkers,1[]",
    "43/checkers,[]",
    "44/checkers,{}",
    "45",
    '451-/checkers,["game:move",{"_placeholder":true,"num":7}]',
    '46/checkers,1["game:move"]',
    "48",
    "40/checkers,",
    "40/checkers,not json",
    "40/nowhere,",
    "41/nowhere,",
    "0",
    "2probe",
    "3",
    "5",
    "6",
    "b////",
    "b!",
    b"",
    b"\x00\x01",
    b"42/checkers,[]",
]


def shown(value: str | bytes) -> str:
    return repr(value)[:50]


@pytest.mark.parametrize("frame", GARBAGE, ids=shown)
def test_garbage_does_not_disturb_others(
    server: ServerProcess, table: Table, spectator: Spectator, frame: str | bytes
) -> None:
    before = spectator.version()
    with RawClient(server.url) as sender:
        sender.send_frame(frame)
        with suppress(ConnectionClosed):  # after the first of them
            sender.send_frame(frame)
        sender.is_alive()  # or not: both are fine, but the server must answer
    assert table.first.is_alive() and table.second.is_alive()
    assert spectator.version() == before
    assert server.get("/health") == {"status": "alive"}


@settings(max_examples=25)
@given(frame=st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.binary(max_size=60))
def test_any_frame_is_survived(server: ServerProcess, frame: str | bytes) -> None:
    with RawClient(server.url) as sender:
        sender.send_frame(frame if isinstance(frame, bytes) or not frame.startswith(("1", "41")) else f"4{frame}")
        sender.is_alive()
    assert server.get("/health") == {"status": "alive"}


@settings(max_examples=25)
@given(tail=st.text(st.characters(exclude_categories=["Cs"]), max_size=60), kind=st.sampled_from("02356"))
def test_any_message_is_survived(server: ServerProcess, kind: str, tail: str) -> None:
    with RawClient(server.url) as sender:
        sender.send_frame(f"4{kind}/checkers,{tail}")
        sender.is_alive()
    assert server.get("/health") == {"status": "alive"}


@pytest.mark.parametrize("name", ["connect", "disconnect", "connect_error", "disconnecting", "*", "error", "message"])
@pytest.mark.parametrize("more", [(), ({},), ("text",), ({"asgi.scope": {"client": ["192.0.2.1", 1]}}, {"token": ""})])
def test_reserved_event_names_are_refused(
    table: Table, spectator: Spectator, name: str, more: tuple[object, ...]
) -> None:
    before = spectator.version()
    answer = table.first.ask(name, *more)
    assert (answer["ok"], answer["error"]["code"]) == (False, "malformed")
    assert table.first.ask("afk:check", {"roomId": table.room})["ok"], "still at the table"
    assert spectator.version() == before
    assert table.second.heard("player:disconnected") == []


def test_a_player_who_sends_connect_as_an_event_still_counts_as_away_when_gone(table: Table) -> None:
    """A client that could make the server count a connection twice would never lose by leaving."""
    table.first.ask("connect", {})
    table.first.close()
    assert table.second.wait("player:disconnected")["playerId"] == table.ids[0]


@pytest.mark.parametrize("frame", ["x", "", "4x", "1", "41/checkers,"])
def test_a_player_cut_off_for_garbage_is_away_at_once(table: Table, frame: str) -> None:
    table.first.send_frame(frame)
    if frame == "4x" and table.first.is_alive():
        table.first.close()
    assert table.second.wait("player:disconnected")["playerId"] == table.ids[0]


def test_binary_messages_are_not_collected(server: ServerProcess) -> None:
    """A client that announces a thousand attachments could fill the memory with them."""
    with RawClient(server.url) as sender:
        sender.send_frame('451000-/checkers,["game:move",{"_placeholder":true,"num":0}]')
        try:
            for _ in range(10):
                sender.send_frame(b"x" * 1000)
        except ConnectionClosed:
            return
        sender.is_alive()  # or is disconnected; the server must answer


def test_a_client_that_closes_its_session_is_disconnected(server: ServerProcess) -> None:
    with RawClient(server.url) as sender:
        sender.send_frame("1")
        sender.wait_for_the_end()
