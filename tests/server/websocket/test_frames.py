"""Frames read and written the short way are those that the WebSocket library reads and writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from ludus.server.websocket.frames import read_text, unfinished, write_text

TEXTS = ["", "{}", "ä" * 60, "x" * 125, "x" * 126, "ab€" * 9000]
WHOLE = Frame(Opcode.TEXT, b"whole").serialize(mask=True)


@pytest.mark.parametrize("text", TEXTS)
def test_a_whole_text_is_read(text: str) -> None:
    assert read_text(Frame(Opcode.TEXT, text.encode()).serialize(mask=True)) == text


@pytest.mark.parametrize("text", [*TEXTS, "x" * 65_535, "x" * 65_536])
def test_a_text_is_written_as_the_library_writes_it(text: str) -> None:
    assert write_text(text) == Frame(Opcode.TEXT, text.encode()).serialize(mask=False)


OTHERS = {
    "nothing": b"",
    "bytes": Frame(Opcode.BINARY, b"whole").serialize(mask=True),
    "a ping": Frame(Opcode.PING, b"whole").serialize(mask=True),
    "the beginning of a message": Frame(Opcode.TEXT, b"whole", fin=False).serialize(mask=True),
    "the rest of a message": Frame(Opcode.CONT, b"whole").serialize(mask=True),
    "a compressed text": bytes([WHOLE[0] | 0x40]) + WHOLE[1:],
    "a text without a mask": Frame(Opcode.TEXT, b"whole").serialize(mask=False),
    "a long text without a mask": Frame(Opcode.TEXT, b"x" * 200).serialize(mask=False),
    "half a character": Frame(Opcode.TEXT, "ä".encode()[:1]).serialize(mask=True),
    "a very long text": Frame(Opcode.TEXT, b"x" * 65_536).serialize(mask=True),
    "two texts": WHOLE + WHOLE,
    "a part of one": WHOLE[:-1],
    "only the beginning of a header": WHOLE[:1],
}


@pytest.mark.parametrize("data", OTHERS.values(), ids=list(OTHERS))
def test_anything_else_is_left_to_the_library(data: bytes) -> None:
    assert read_text(data) is None


@given(st.binary(max_size=300))
def test_no_bytes_are_too_odd_to_be_looked_at(data: bytes) -> None:
    assert isinstance(read_text(data), str | None)
    assert data.endswith(unfinished(data))


@given(
    st.lists(st.tuples(st.sampled_from([Opcode.TEXT, Opcode.PING]), st.sampled_from([0, 5, 125]))),
    st.lists(st.sampled_from([126, 300, 65_536]), max_size=1),
    st.data(),
)
def test_what_is_unfinished_is_found_wherever_a_stream_is_cut(
    small: list[tuple[Opcode, int]], large: list[int], data: st.DataObject
) -> None:
    frames = [Frame(opcode, b"x" * size).serialize(mask=True) for opcode, size in small]
    frames += [Frame(Opcode.BINARY, b"x" * size).serialize(mask=True) for size in large]
    stream = b"".join(frames)
    cut = data.draw(st.integers(0, len(stream)))
    ends = [len(b"".join(frames[:count])) for count in range(len(frames) + 1)]
    last = max(end for end in ends if end <= cut)
    assert unfinished(stream[:cut]) == stream[last:cut]
