"""uvicorn's WebSocket protocol with heartbeats, a direct way out for frames, and an end to clients that stop reading.

Rooms have Engine.IO's heartbeats; the arena's sockets use WebSocket pings.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, cast

from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request
from websockets.protocol import State

MAX_UNREAD: Final = 8
"""Messages of one client that may wait before reading from its connection pauses."""
PREFIX: Final = "/ws/"
PING_SECONDS: Final = 20.0
"""Between pings, and for a pong to arrive."""
LINGER_SECONDS: Final = 5.0
"""For the last frames to leave; then the connection is cut, since the client may never read them."""
WRITE: Final = "ludus.write"
"""Our ASGI extension to send a text at once: `write(text)` is False if it must be queued."""


class Unread:
    """A queue with one reader; `asyncio.Queue`, which serves many, costs more than the frames do."""

    __slots__ = ("_loop", "_messages", "_reader")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._messages: deque[ASGIReceiveEvent] = deque()
        self._reader: asyncio.Future[None] | None = None

    def qsize(self) -> int:
        return len(self._messages)

    def empty(self) -> bool:
        return not self._messages

    def put_nowait(self, message: ASGIReceiveEvent) -> None:
        self._messages.append(message)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def arrival(self) -> asyncio.Future[None]:
        """Done when there is something to read."""
        self._reader = self._loop.create_future()
        return self._reader

    def get_nowait(self) -> ASGIReceiveEvent:
        return self._messages.popleft()


class BufferedProtocol(WebSocketsSansIOProtocol):
    """Pauses reading when several messages wait, not at each: pausing and resuming costs two system calls."""

    def data_received(self, data: bytes) -> None:
        """Refuses a handshake that cannot be parsed; uvicorn would leave the client waiting."""
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n")
            self.transport.close()

    def send_receive_event_to_app(self) -> None:
        if self.read_paused or self.queue.qsize() >= MAX_UNREAD:
            super().send_receive_event_to_app()
            return
        self.read_paused = True  # keeps the original from pausing
        super().send_receive_event_to_app()
        self.read_paused = False


class HeartbeatProtocol(BufferedProtocol):
    is_ours = False
    """Whether this is one of the arena's sockets."""
    unread: Unread

    def handle_connect(self, event: Request) -> None:
        if event.path.startswith(PREFIX):
            self.is_ours = True
            self.ping_interval = self.ping_timeout = PING_SECONDS
            self.unread = Unread(self.loop)
            self.queue = cast("asyncio.Queue[ASGIReceiveEvent]", self.unread)
        super().handle_connect(event)

    def write(self, text: str) -> bool:
        """Sends a text at once, unless the client is behind or the socket isn't open."""
        if not self.writable.is_set() or self.close_sent or self.conn.state is not State.OPEN or self.disconnected:
            return False
        self.conn.send_text(text.encode())
        self.transport.write(b"".join(self.conn.data_to_send()))
        return True

    async def receive(self) -> ASGIReceiveEvent:
        if not self.is_ours:
            return await super().receive()
        unread = self.unread
        while unread.empty():
            await unread.arrival()
        message = unread.get_nowait()
        if self.read_paused and unread.empty():
            self.read_paused = False
            self.transport.resume_reading()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if self.initial_response is not None:  # else uvicorn logs an error for every refused socket
            self.handshake_complete = True

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()

    async def run_asgi(self) -> None:
        if self.is_ours:
            extensions = cast("dict[str, object]", self.scope["extensions"])
            extensions[WRITE] = self.write
        await super().run_asgi()
        self.loop.call_later(LINGER_SECONDS + self.close_timeout * self.close_sent, self.transport.abort)
