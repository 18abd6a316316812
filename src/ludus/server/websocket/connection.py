"""One WebSocket with a bounded send queue, so that a client that doesn't read holds up no one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

import orjson
from starlette.types import Message, Receive, Send

from ludus.server.connections.backlog import Backlogs, memory_of

TOO_SLOW: Final = "too slow"
"""Why a client that leaves too much unread is cut off, with the code POLICY_VIOLATION."""
NORMAL, POLICY_VIOLATION, INTERNAL_ERROR = 1000, 1008, 1011
"""Close codes."""

OnMessage = Callable[[Message], Awaitable[None]]
Write = Callable[[str], bool]
"""Sends a text at once; False if it must be queued, since the client is behind or gone."""
Cut = Callable[[int, str], None]
"""Ends a connection with a code and a reason, without waiting for the client to read what came before."""


class Close(NamedTuple):
    code: int
    reason: str


class Connection:
    def __init__(
        self, receive: Receive, send: Send, backlogs: Backlogs, write: Write | None = None, cut: Cut | None = None
    ) -> None:
        """Takes the ASGI server's own callables, since each layer above them costs time.

        `write` is the direct way out and `cut` the direct way to the end, where the server has them.
        """
        self._receive = receive
        self._send = send
        self._write = write
        self._cut = cut
        self._queue: deque[str] = deque()
        self._backlog = backlogs.open(self._drop)
        self._wakeup = asyncio.Event()
        self._closing: Close | None = None
        self._reader: asyncio.Task[None] | None = None
        self._is_busy = False
        """Whether a message is being handled."""
        self._is_cut = False

    def send(self, text: str) -> None:
        """Never waits. A client with too much queued is dropped; it gets the current state when it reconnects."""
        if self._closing is not None:
            return
        if self._backlog.size == 0 and self._write is not None and self._write(text):
            return
        self._queue.append(text)
        self._wakeup.set()
        self._backlog.add(memory_of(text))

    def close(self, code: int = NORMAL, reason: str = "") -> None:
        """After everything queued has been sent."""
        if self._closing is None:
            self._closing = Close(code, reason)
            self._wakeup.set()

    def replace(self) -> None:
        """Makes way for the same player's newer socket."""
        self.send(frame("replaced"))
        self.close(reason="replaced")

    def _drop(self) -> None:
        """Forgets everything queued; the close frame goes past it where the server can do that.

        A message being handled is finished first: its action may already be stored, and others must be notified.
        """
        self._closing = Close(POLICY_VIOLATION, TOO_SLOW)
        self._queue.clear()
        self._is_cut = True
        if self._cut is not None:
            self._cut(*self._closing)
        if self._reader is not None and not self._is_busy:
            self._reader.cancel()

    def release(self) -> None:
        """The socket has ended; what is left for it counts no more."""
        self._backlog.close()

    async def run(self, on_message: OnMessage) -> None:
        """Handles one message after the other; returns when the connection ends.

        In a task of its own: from here, every await would pass through all layers of the server.
        """
        writer = asyncio.create_task(self._drain())
        self._reader = asyncio.create_task(self._read(on_message))
        try:
            await asyncio.wait([self._reader])
            if not self._reader.cancelled():  # else it was cut
                self._reader.result()
        finally:
            self._reader.cancel()
            writer.cancel()
            await asyncio.gather(self._reader, writer, return_exceptions=True)

    async def _read(self, on_message: OnMessage) -> None:
        while (message := await self._receive())["type"] != "websocket.disconnect":
            if self._closing is None:
                self._is_busy = True
                await on_message(message)
                self._is_busy = False
                if self._is_cut:
                    return

    async def _drain(self) -> None:
        try:
            while True:
                while self._queue:
                    text = self._queue.popleft()
                    await self._send({"type": "websocket.send", "text": text})
                    self._backlog.remove(memory_of(text))
                if self._closing is not None:
                    code, reason = self._closing
                    return await self._send({"type": "websocket.close", "code": code, "reason": reason})
                self._wakeup.clear()
                await self._wakeup.wait()
        except OSError:
            return None  # the reader notices too


def refuse_messages(connection: Connection) -> OnMessage:
    """For sockets that only send."""

    async def on_message(_: Message) -> None:
        connection.close(POLICY_VIOLATION, "this socket only speaks")

    return on_message


def frame(kind: str, *parts: Mapping[str, Any], **more: Any) -> str:
    """All parts in one JSON object."""
    content: dict[str, Any] = {"type": kind}
    for part in parts:
        content.update(part)
    content.update(more)
    return orjson.dumps(content).decode()
