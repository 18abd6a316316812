"""Socket.IO packets: encoded by orjson, as text only, and once per message however many receive it."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import orjson
from engineio.packet import MESSAGE
from socketio.packet import ACK, CONNECT, DISCONNECT, EVENT, Packet
from websockets.frames import Frame, Opcode

from ludus.server.connections.backlog import memory_of

EVENT_START: Final = re.compile(r"2(/[^,?\[]*),(0|[1-9][0-9]{0,14})?(?=\[)")
"""An event in a namespace, with or without the number of its acknowledgement."""


class Json:
    """orjson with the interface that python-socketio expects of a JSON module."""

    @staticmethod
    def dumps(value: Any, **_: Any) -> str:
        return orjson.dumps(value).decode()

    @staticmethod
    def loads(text: str | bytes, **_: Any) -> Any:
        return orjson.loads(text)


class BadPacket(ValueError):
    """A packet that breaks the protocol, or uses a part of it that is not supported."""


class TextPacket(Packet):  # type: ignore[misc]  # python-socketio is untyped
    uses_binary_events = False
    json = Json

    def decode(self, encoded_packet: Any) -> int:
        """Accepts what a client may send; no binary packets, which would be held until their attachments come."""
        try:
            attachments: int = super().decode(encoded_packet)
        except (ValueError, TypeError) as error:
            raise BadPacket(f"no packet: {type(error).__name__}") from None
        if attachments or self.packet_type not in (CONNECT, DISCONNECT, EVENT, ACK):
            raise BadPacket("binary, or of an unknown type")
        if self.packet_type == EVENT and not _is_event(self.data):
            raise BadPacket("event without a name")
        return 0


class ReceivedEvent(NamedTuple):
    namespace: str
    ack: str
    """The number of the acknowledgement that the client wants; empty if it wants none."""
    name: str
    payload: Any


def read_event(data: str | bytes) -> ReceivedEvent | None:
    """An event as clients write it, faster than `TextPacket` does; None for what that must decode."""
    start = EVENT_START.match(data) if isinstance(data, str) else None
    if start is None:
        return None
    try:
        content = orjson.loads(data[start.end() :])
    except ValueError as error:
        raise BadPacket(f"no packet: {type(error).__name__}") from None
    if not _is_event(content):
        raise BadPacket("event without a name")
    return ReceivedEvent(start[1], start[2] or "", content[0], content[1] if len(content) > 1 else None)


def _is_event(data: Any) -> bool:
    return isinstance(data, list) and bool(data) and isinstance(data[0], str)


class MessagePacket:
    """An Engine.IO message, with as much of python-engineio's `Packet` as its sender needs.

    It may go to any number of clients: its WebSocket frame is written once.
    """

    __slots__ = ("_content", "_frame")

    packet_type: Final = MESSAGE
    binary: Final = False

    def __init__(self, data: bytes) -> None:
        """`data` is a Socket.IO packet."""
        self._content = b"%d%b" % (MESSAGE, data)
        self._frame: bytes | None = None

    @property
    def data(self) -> str:
        return self._content[1:].decode()

    @property
    def memory(self) -> int:
        return memory_of(self._content)

    @property
    def frame(self) -> bytes:
        if self._frame is None:
            self._frame = Frame(Opcode.TEXT, self._content).serialize(mask=False)
        return self._frame

    def encode(self, b64: bool = False) -> str:
        """As polling clients get it; what is no binary packet has one form only."""
        del b64
        return self._content.decode()


def event_packet(namespace: str, event: str, data: Any) -> MessagePacket:
    return MessagePacket(b"%d%b,%b" % (EVENT, namespace.encode(), orjson.dumps([event, data])))


def ack_packet(namespace: str, number: str, answer: Any) -> MessagePacket:
    return MessagePacket(b"%d%b,%b%b" % (ACK, namespace.encode(), number.encode(), orjson.dumps([answer])))
