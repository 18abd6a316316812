"""How Socket.IO packets are written: by orjson, as text, and without looking for binary parts that are never there."""

from __future__ import annotations

from typing import Any

import orjson
from engineio.packet import MESSAGE
from engineio.packet import Packet as EnginePacket
from socketio import AsyncManager
from socketio.packet import ACK, CONNECT, DISCONNECT, EVENT, Packet


class Json:
    """What python-socketio wants of a JSON module."""

    @staticmethod
    def dumps(value: Any, **_: Any) -> str:
        return orjson.dumps(value).decode()

    @staticmethod
    def loads(text: str | bytes, **_: Any) -> Any:
        return orjson.loads(text)


class NoPacket(ValueError):
    """What a client sent is not of the protocol, or of a part of it that is not used here."""


class TextPacket(Packet):  # type: ignore[misc]  # python-socketio is untyped
    uses_binary_events = False
    json = Json

    def decode(self, encoded_packet: Any) -> int:
        """Only what a client may say, and nothing that would have to be kept until its attachments come."""
        try:
            count: int = super().decode(encoded_packet)
        except (ValueError, TypeError) as error:
            raise NoPacket(f"no packet: {type(error).__name__}") from None
        if count or self.packet_type not in (CONNECT, DISCONNECT, EVENT, ACK):
            raise NoPacket("binary, or of an unknown kind")
        if self.packet_type == EVENT and not _is_event(self.data):
            raise NoPacket("an event without a name")
        return 0


def _is_event(data: Any) -> bool:
    return isinstance(data, list) and bool(data) and isinstance(data[0], str)


class Fanout(AsyncManager):  # type: ignore[misc]  # python-socketio is untyped
    """Writes a message once and puts it into each receiver's queue; the original starts a task for each."""

    async def emit(
        self,
        event: str,
        data: Any,
        namespace: str,
        room: str | None = None,
        skip_sid: Any = None,
        callback: Any = None,
        to: str | None = None,
        **_: Any,
    ) -> None:
        assert skip_sid is None and callback is None, "nobody here asks for either"
        if namespace not in self.rooms:
            return
        text = TextPacket(EVENT, namespace=namespace, data=[event, data]).encode()
        message = EnginePacket(MESSAGE, text)
        for _sid, engine in list(self.get_participants(namespace, to or room)):
            await self.server._send_eio_packet(engine, message)
