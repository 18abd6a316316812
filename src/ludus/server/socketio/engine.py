"""The Socket.IO server, with limits, and hanging up on clients that break the protocol."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import Any, Final

import engineio
import socketio
import structlog
from engineio.packet import packet_names
from engineio.payload import Payload
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus.server.http.addresses import counted
from ludus.server.http.middleware import refuse
from ludus.server.http.rate_limit import EventLimit, SocketCount
from ludus.server.socketio.packets import BadPacket, BroadcastManager, Json, TextPacket
from ludus.server.socketio.transport import SendQueue, WebSocketTransport

log = structlog.get_logger(__name__)

PACKET_TYPES: Final = frozenset(range(len(packet_names)))
SPARE_CONNECTIONS: Final = 16
"""Spare sockets per address above its limit, so that a client with too many can get an error."""
MAX_POSTED_PACKETS: Final = 1000
"""In one request of a polling client, whose size is limited too; engineio would drop more than 16."""


class Engine(engineio.AsyncServer):  # type: ignore[misc]  # python-engineio is untyped
    async def disconnect(self, sid: str | None = None) -> None:
        """Unlike the original, never waits for a client to fetch its last messages."""
        for each in [sid] if sid is not None else list(self.sockets):
            if (socket := self.sockets.pop(each, None)) is not None:
                await socket.close(wait=False)


class SocketServer(socketio.AsyncServer):  # type: ignore[misc]  # python-socketio is untyped
    def __init__(self, namespaces: Iterable[str], *, max_sockets: int, max_events: int, **options: Any) -> None:
        """Limits: sockets of an address, and events per second of a socket."""
        self._count = SocketCount(max_sockets + SPARE_CONNECTIONS)
        self._max_events = max_events
        self._limits: dict[str, EventLimit] = {}
        super().__init__(
            async_mode="asgi",
            async_handlers=False,  # one event at a time per client, so that its moves stay in order
            json=Json,
            serializer=TextPacket,
            client_manager=BroadcastManager(),
            cors_allowed_origins="*",
            cors_credentials=False,
            namespaces=list(namespaces),
            **options,
        )
        self.eio._async = {**self.eio._async, "websocket": WebSocketTransport}
        self.eio.create_queue = SendQueue
        Payload.max_decode_packets = MAX_POSTED_PACKETS

    def _engineio_server_class(self) -> type[Engine]:
        return Engine

    async def hang_up(self, engine: str, *, politely: bool = False) -> None:
        """`politely`, a polling client may still fetch what is queued for it."""
        socket = self.eio.sockets.get(engine)
        if socket is not None and (socket.upgraded or not politely):
            await socket.close(wait=False)

    async def _handle_eio_connect(self, eio_sid: str, environ: dict[str, Any]) -> object:
        if not self._count.enter(address_of(environ)):
            return {"code": "too_fast", "message": "too many connections from this address"}
        self._limits[eio_sid] = EventLimit(4 * self._max_events, monotonic())
        return await super()._handle_eio_connect(eio_sid, environ)

    async def _handle_eio_message(self, eio_sid: str, data: str | bytes) -> None:
        limit = self._limits.get(eio_sid)
        if limit is None:
            return
        try:
            if not data or not limit.allows(monotonic()):
                raise BadPacket("too many packets" if data else "empty packet")
            await super()._handle_eio_message(eio_sid, data)
        except BadPacket as problem:
            log.info("client broke the protocol", problem=str(problem))
            await self.hang_up(eio_sid)

    async def _handle_eio_disconnect(self, eio_sid: str, reason: str) -> None:
        if self._limits.pop(eio_sid, None) is not None:
            self._count.leave(address_of(self.environ[eio_sid]))
        await super()._handle_eio_disconnect(eio_sid, reason)


class PayloadValidation:
    """Middleware that refuses what a polling client posts unless the engine can decode it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            return await self._app(scope, receive, send)
        message = await receive()
        body = message.get("body", b"")
        while message.get("more_body"):
            message = await receive()
            body += message.get("body", b"")
        if not _is_payload(body):
            return await refuse(send, 400, "malformed", "This is no payload.")
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return whole.pop() if whole else await receive()

        return await self._app(scope, replay, send)


def address_of(environ: dict[str, Any]) -> str:
    """As limits count it."""
    client = environ.get("asgi.scope", {}).get("client")
    return counted(str(client[0])) if client else ""


def _is_payload(body: bytes) -> bool:
    try:
        packets = Payload(encoded_payload=body.decode()).packets
    except Exception:  # engineio fails in many ways
        return False
    return all(packet.packet_type in PACKET_TYPES for packet in packets)
