"""uvicorn's WebSocket protocol with heartbeats, a direct way out for frames, and an end to clients that stop reading.

Rooms have Engine.IO's heartbeats; the arena's sockets use WebSocket pings.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any, Final, cast

from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State

from ludus.server.connections.gate import Slot, SlotProtocol
from ludus.server.websocket.tunnel import TUNNEL, ClientEnd, TunnelEnd

MAX_AFTER_CLOSE: Final = 16 * 1024
"""Bytes from a client after we have closed; parsing more of a flood would hold up everyone else for nothing."""
MAX_UNREAD: Final = 8
"""Messages of one client that may wait before reading from its connection pauses."""
PIECE: Final = 4096
"""Bytes that are parsed at once."""
PREFIX: Final = "/ws/"
PING_SECONDS: Final = 20.0
"""Between pings, and for a pong to arrive."""
LINGER_SECONDS: Final = 5.0
"""For the last frames to leave; then the connection is cut, since the client may never read them."""
MAX_JOINED: Final = 16 * 1024
"""Bytes of frames that wait for others to be written with them."""
MAX_FRAGMENTS: Final = 64
"""Of one message; each takes memory, even if it is empty."""
UNREAD: Final = "ludus.unread"
"""Our ASGI extension to ask how many of the client's messages wait."""
CUT: Final = "ludus.cut"
"""Our ASGI extension to end a connection whose client doesn't read: `cut(code, reason)`."""
WRITE: Final = "ludus.write"
"""Our ASGI extension to send a text without a queue: `write(text)` is False if it must be queued."""
WRITE_FRAME: Final = "ludus.write_frame"
"""The same for a frame, which may be one that others get too."""


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


class JoiningTransport:
    """A transport that joins the frames of one round of the event loop: each write is a system call.

    An acknowledgement and the message about the same move, for example, leave together. Everything else is written at
    once, after the frames that wait.
    """

    __slots__ = ("_frames", "_loop", "_size", "_transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._frames: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write_soon(self, frame: bytes) -> None:
        if not self._frames:
            self._loop.call_soon(self.flush)
        self._frames.append(frame)
        self._size += len(frame)
        if self._size > MAX_JOINED:
            self.flush()

    def flush(self) -> None:
        frames, self._frames, self._size = self._frames, [], 0
        if frames and not self._transport.is_closing():
            self._transport.write(frames[0] if len(frames) == 1 else b"".join(frames))

    def write(self, data: bytes) -> None:
        self.flush()
        self._transport.write(data)

    def close(self) -> None:
        self.flush()
        self._transport.close()


class BufferedProtocol(WebSocketsSansIOProtocol):
    """Pauses reading when several messages wait, not at each: pausing and resuming costs two system calls."""

    unparsed = b""
    """Bytes that have arrived: a quarter of a megabyte at once can hold forty thousand messages."""

    def data_received(self, data: bytes) -> None:
        self.unparsed += data
        self.parse()

    def parse(self) -> None:
        """Piece by piece, until enough messages wait."""
        if self.transport.is_closing():
            self.unparsed = b""
        elif self.close_sent and len(self.unparsed) > MAX_AFTER_CLOSE:
            self.unparsed = b""
            if not self.read_paused:
                self.read_paused = True  # for good: the connection ends without the client's own close frame
                self.transport.pause_reading()
        while self.unparsed and (self.close_sent or self.queue.qsize() < MAX_UNREAD):
            piece, self.unparsed = self.unparsed[:PIECE], self.unparsed[PIECE:]
            self.parse_piece(piece)
        if self.unparsed and not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    def parse_piece(self, data: bytes) -> None:
        """Refuses a handshake that cannot be parsed; uvicorn would leave the client waiting."""
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n")
            self.transport.close()

    def handle_parser_exception(self) -> None:
        """Invalid frames may come before the handshake is complete, when there is no close frame to send."""
        if self.conn.close_sent is not None:
            super().handle_parser_exception()
            return
        self.queue.put_nowait({"type": "websocket.disconnect", "code": CloseCode.ABNORMAL_CLOSURE, "reason": ""})
        self.close_sent = True
        self.transport.close()

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= MAX_FRAGMENTS:
            self.conn.fail(CloseCode.MESSAGE_TOO_BIG, "too many fragments")
            self.handle_parser_exception()
        else:
            super().handle_cont(event)

    def handle_ping(self) -> None:
        """A client that sends pings and reads no pongs gets none until it has caught up."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()

    def send_receive_event_to_app(self) -> None:
        with suppress(InvalidState):  # the text isn't UTF-8, and the client has closed the connection already
            if self.read_paused or self.queue.qsize() >= MAX_UNREAD:
                super().send_receive_event_to_app()
                return
            self.read_paused = True  # keeps the original from pausing
            super().send_receive_event_to_app()
            self.read_paused = False


class HeartbeatProtocol(SlotProtocol, BufferedProtocol):
    is_ours = False
    """Whether this is one of the arena's sockets."""
    unread: Unread
    joining: JoiningTransport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn narrows the transport too
        self.joining = JoiningTransport(transport, self.loop)
        super().connection_made(cast("asyncio.Transport", self.joining))

    def take(self, slot: Slot) -> None:
        """The connection's place at the gate, from the protocol that it began with."""
        self.slot = slot
        slot.hand_over(self)

    def time_out(self, reason: str) -> None:
        del reason
        self.transport.abort()

    def cut(self, code: int, reason: str) -> None:
        """The close frame follows what the transport holds; if that isn't read soon, the connection is aborted."""
        if self.conn.state is State.OPEN and not self.close_sent and not self.disconnected:
            self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
            self.conn.send_close(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = self.disconnected = True
            self.writable.set()  # for a send that waits; it fails
            self.close_timer = self.loop.call_later(LINGER_SECONDS, self.transport.abort)
            self._discard()

    def _discard(self) -> None:
        """Goes on reading: if input is left when a connection closes, the system drops the output as well."""
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self.parse()

    def handle_connect(self, event: Request) -> None:
        if event.path.startswith(PREFIX):
            self.is_ours = True
            self.ping_interval = self.ping_timeout = PING_SECONDS
        self.unread = Unread(self.loop)
        self.queue = cast("asyncio.Queue[ASGIReceiveEvent]", self.unread)
        super().handle_connect(event)

    def write(self, text: str) -> bool:
        """Sends a text at once, unless the client is behind or the socket isn't open."""
        return self.write_frame(Frame(Opcode.TEXT, text.encode()).serialize(mask=False))

    def write_frame(self, frame: bytes) -> bool:
        """The same for an unmasked frame that holds a whole message."""
        if not self.writable.is_set() or self.close_sent or self.conn.state is not State.OPEN or self.disconnected:
            return False
        self.joining.write_soon(frame)
        return True

    async def receive(self) -> ASGIReceiveEvent:
        if not self.queue.empty():
            await asyncio.sleep(0)  # a client that sends faster than it is served lets the others have their turn
        unread = self.unread
        while unread.empty():
            await unread.arrival()
        message = unread.get_nowait()
        if self.read_paused and unread.empty():
            self.parse()
            if not self.unparsed:
                self.read_paused = False
                self.transport.resume_reading()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if message["type"] == "websocket.accept":
            del self.request, self.response  # with all headers, and nobody needs them again
        if self.initial_response is not None:  # else uvicorn logs an error for every refused socket
            self.handshake_complete = True

    async def join(self, far: TunnelEnd, head: bytes) -> None:
        """Hands the connection over to a tunnel, before it is accepted; returns when that has ended."""
        self.connections.discard(self)
        near = ClientEnd(self.transport, self.slot, self.connections, far)
        self.slot = None
        self.transport.set_protocol(near)
        self.handshake_complete = True  # for uvicorn; the answer comes through the tunnel
        far.write(head)
        if self.disconnected or self.transport.is_closing():
            near.connection_lost(None)
        try:
            await near.ended
        finally:
            far.transport.close()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()

    async def run_asgi(self) -> None:
        extensions = cast("dict[str, object]", self.scope["extensions"])
        extensions[CUT] = self.cut
        extensions[UNREAD] = self.queue.qsize
        extensions[TUNNEL] = self.join
        extensions[WRITE_FRAME] = self.write_frame
        if self.is_ours:
            extensions[WRITE] = self.write
        await super().run_asgi()
        extensions.clear()  # a cycle of references, which would last until the next garbage collection
        self.loop.call_later(LINGER_SECONDS + self.close_timeout * self.close_sent, self.transport.abort)
