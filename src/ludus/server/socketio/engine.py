"""The Socket.IO server, told what to do with clients that do not keep to the protocol: it hangs up on them."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, Final

import engineio
import socketio
import structlog
from engineio.packet import packet_names
from engineio.payload import Payload
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus.server.http.middleware import refuse
from ludus.server.http.rate_limit import EventLimit, SocketCount
from ludus.server.socketio.packets import NoPacket

log = structlog.get_logger(__name__)

UNKNOWN: Final = -1
KNOWN: Final = frozenset(range(len(packet_names)))
"""The kinds of packets that the engine has names for."""
SPARE: Final = 16
"""Connections of an address beyond its sockets, so that whoever has too many can be told so."""


class Engine(engineio.AsyncServer):  # type: ignore[misc]  # python-engineio is untyped
    async def disconnect(self, sid: str | None = None) -> None:
        """Never waits for what a client may not come to fetch."""
        for each in [sid] if sid is not None else list(self.sockets):
            if (socket := self.sockets.pop(each, None)) is not None:
                await socket.close(wait=False)


class RoomServer(socketio.AsyncServer):  # type: ignore[misc]  # python-socketio is untyped
    def __init__(self, sockets: int, events: int, address: Callable[[dict[str, Any]], str], **options: Any) -> None:
        """`sockets` an address may have open at once, `events` a second one of them may bring."""
        self._count = SocketCount(sockets + SPARE)
        self._events = events
        self._address = address
        self._limits: dict[str, EventLimit] = {}
        super().__init__(**options)

    def _engineio_server_class(self) -> type[Engine]:
        return Engine

    async def hang_up(self, engine: str, *, politely: bool = False) -> None:
        """Politely, whoever polls may first fetch what there is to be told."""
        socket = self.eio.sockets.get(engine)
        if socket is not None and (socket.upgraded or not politely):
            await socket.close(wait=False)

    async def _handle_eio_connect(self, eio_sid: str, environ: dict[str, Any]) -> object:
        if not self._count.enter(self._address(environ)):
            return {"code": "too_fast", "message": "too many connections from this address"}
        self._limits[eio_sid] = EventLimit(4 * self._events, monotonic())
        return await super()._handle_eio_connect(eio_sid, environ)

    async def _handle_eio_message(self, eio_sid: str, data: str | bytes) -> None:
        limit = self._limits.get(eio_sid)
        if limit is None:
            return
        try:
            if not data or not limit.allows(monotonic()):
                raise NoPacket("too many packets" if data else "an empty packet")
            await super()._handle_eio_message(eio_sid, data)
        except NoPacket as problem:
            log.info("a client does not keep to the protocol", problem=str(problem))
            await self.hang_up(eio_sid)

    async def _handle_eio_disconnect(self, eio_sid: str, reason: str) -> None:
        if self._limits.pop(eio_sid, None) is not None:
            self._count.leave(self._address(self.environ[eio_sid]))
        await super()._handle_eio_disconnect(eio_sid, reason)


class WholePolls:
    """Refuses what a client posts while polling unless the engine can read it."""

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
        try:
            kinds = {packet.packet_type for packet in Payload(encoded_payload=body.decode()).packets}
        except Exception:  # what is no payload fails in many ways
            kinds = {UNKNOWN}
        if not kinds <= KNOWN:
            return await refuse(send, 400, "malformed", "This is no payload.")
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return whole.pop() if whole else await receive()

        return await self._app(scope, replay, send)
