"""Socket.IO packets: encoded by orjson, as text only, and once per message however many receive it."""

from __future__ import annotations

from typing import Any

import orjson
from engineio.packet import MESSAGE
from engineio.packet import Packet as EnginePacket
from socketio import AsyncManager
from socketio.packet import ACK, CONNECT, DISCONNECT, EVENT, Packet


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


def _is_event(data: Any) -> bool:
    return isinstance(data, list) and bool(data) and isinstance(data[0], str)


class BroadcastManager(AsyncManager):  # type: ignore[misc]  # python-socketio is untyped
    """Encodes a message once and queues it for each receiver; the original starts a task for each."""

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
        assert skip_sid is None and callback is None, "not supported"
        if namespace not in self.rooms:
            return
        text = TextPacket(EVENT, namespace=namespace, data=[event, data]).encode()
        message = EnginePacket(MESSAGE, text)
        for _sid, engine in list(self.get_participants(namespace, to or room)):
            await self.server._send_eio_packet(engine, message)
