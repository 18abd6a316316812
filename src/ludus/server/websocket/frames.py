"""The commonest WebSocket frame, a short text that comes whole, read and written without the steps of a full parser."""

from __future__ import annotations

from typing import Final

try:
    from websockets.speedups import apply_mask
except ImportError:  # where it was installed without its compiled part
    from websockets.utils import apply_mask

WHOLE_TEXT: Final = 0x81
"""The first byte of a text that is one frame, without extensions."""
MASKED: Final = 0x80
SHORT: Final = 126
"""Lengths from here on have two bytes of their own, and those that do not fit there eight."""
LONG: Final = 1 << 16
LONG_BYTES: Final = 8
MASK_BYTES: Final = 4


def unfinished(data: bytes) -> bytes:
    """What is left of a client's bytes after the last whole frame."""
    at = 0
    while (end := _end(data, at)) is not None and end <= len(data):
        at = end
    return data[at:]


def _end(data: bytes, at: int) -> int | None:
    """Where the frame that begins here ends; None if its header is not there yet."""
    begin = at + 2
    size = data[at + 1] % MASKED if len(data) >= begin else 0
    if size >= SHORT:
        size_bytes = 2 if size == SHORT else LONG_BYTES
        size, begin = int.from_bytes(data[begin : begin + size_bytes], "big"), begin + size_bytes
    return begin + MASK_BYTES + size if len(data) >= begin else None


def read_text(data: bytes) -> str | None:
    """The text, if these bytes are one whole masked frame of text and nothing else; None leaves them to the parser."""
    if len(data) < 2 + MASK_BYTES or data[0] != WHOLE_TEXT:
        return None
    size, start = data[1] - MASKED, 2
    if size == SHORT:
        size, start = int.from_bytes(data[2:4], "big"), 4
    elif size > SHORT:
        return None
    begin = start + MASK_BYTES
    if size < 0 or len(data) != begin + size:
        return None
    try:
        return apply_mask(data[begin:], data[start:begin]).decode()
    except UnicodeDecodeError:
        return None


def write_text(text: str) -> bytes:
    """The text as a frame of a server."""
    data = text.encode()
    size = len(data)
    if size < SHORT:
        return bytes((WHOLE_TEXT, size)) + data
    if size < LONG:
        return bytes((WHOLE_TEXT, SHORT, size >> 8, size & 0xFF)) + data
    return bytes((WHOLE_TEXT, SHORT + 1)) + size.to_bytes(8, "big") + data
