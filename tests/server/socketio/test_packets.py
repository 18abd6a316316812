"""Packets of Socket.IO: read as the library reads them, written once for all who get them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from ludus.server.socketio.packets import BadPacket, TextPacket, ack_packet, event_packet, read_event

VALUES = st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=9), st.lists)


@given(st.text(min_size=1, max_size=20), st.none() | st.integers(0, 10**14), VALUES)
def test_an_event_is_read_as_the_library_reads_it(name: str, number: int | None, payload: object) -> None:
    content = json.dumps([name, payload])
    text = f"2/checkers,{'' if number is None else number}{content}"
    read, expected = read_event(text), TextPacket(encoded_packet=text)
    assert read is not None
    assert (read.namespace, [read.name, read.payload]) == (expected.namespace, expected.data)
    assert read.ack == ("" if expected.id is None else str(expected.id))


def test_an_event_may_have_no_payload() -> None:
    assert read_event('2/checkers,7["game:resign"]') == ("/checkers", "7", "game:resign", None)


@pytest.mark.parametrize(
    "data",
    ['0/checkers,{"token":"x"}', "3/checkers,7[]", '2["a"]', '2/checkers?a=b,["a"]', '2/checkers,007["a"]', b"x"],
)
def test_everything_else_is_left_to_the_library(data: str | bytes) -> None:
    assert read_event(data) is None


@pytest.mark.parametrize(
    "data", ["2/checkers,[", "2/checkers,[]", "2/checkers,[7]", '2/checkers,["a"]]', "2/checkers,1["]
)
def test_what_is_no_event_is_refused(data: str) -> None:
    with pytest.raises(BadPacket):
        read_event(data)


def test_packets_are_written_as_the_library_writes_them() -> None:
    event = event_packet("/checkers", "game:over", {"winner": "Zoë"})
    assert event.data == TextPacket(2, namespace="/checkers", data=["game:over", {"winner": "Zoë"}]).encode()
    ack = ack_packet("/checkers", "12", {"ok": True})
    assert ack.data == TextPacket(3, namespace="/checkers", id=12, data=[{"ok": True}]).encode()


def test_a_frame_is_written_once() -> None:
    packet = event_packet("/checkers", "game:over", {"winner": "Zoë"})
    assert packet.frame == Frame(Opcode.TEXT, packet.encode().encode()).serialize(mask=False)
    assert packet.frame is packet.frame
