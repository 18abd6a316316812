"""One WebSocket with a bounded send queue, so that a client that doesn't read holds up no one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

import orjson
from starlette.types import Message, Receive, Send

MAX_QUEUED: Final = 128 * 1024
"""Characters queued for one socket before it is dropped; the system's own buffers come first."""
NORMAL, POLICY_VIOLATION, INTERNAL_ERROR = 1000, 1008, 1011
"""Close codes."""

OnMessage = Callable[[Message], Awaitable[None]]
Write = Callable[[str], bool]
"""Sends a text at once; False if it must be queued, since the client is behind or gone."""


class Close(NamedTuple):
    code: int
    reason: str


class Connection:
    def __init__(self, receive: Receive, send: Send, write: Write | None, max_queued: int = MAX_QUEUED) -> None:
        """Takes the ASGI server's own callables, since each layer above them costs time.

        `write` is the direct way out, where the server has it.
        """
        self._receive = receive
        self._send = send
        self._write = write
        self._max_queued = max_queued
        self._queue: deque[str] = deque()
        self._size = 0
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
        if self._size >= self._max_queued:
            self._cut()
            return
        if self._size == 0 and self._write is not None and self._write(text):
            return
        self._queue.append(text)
        self._size += len(text)
        self._wakeup.set()

    def close(self, code: int = NORMAL, reason: str = "") -> None:
        """After everything queued has been sent."""
        if self._closing is None:
            self._closing = Close(code, reason)
            self._wakeup.set()

    def replace(self) -> None:
        """Makes way for the same player's newer socket."""
        self.send(frame("replaced"))
        self.close(reason="replaced")

    def _cut(self) -> None:
        """Without a close frame, which would wait behind everything else.

        A message being handled is finished first: its action may already be stored, and others must hear of it.
        """
        self._closing = Close(POLICY_VIOLATION, "too slow")
        self._is_cut = True
        if self._reader is not None and not self._is_busy:
            self._reader.cancel()

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
                    self._size -= len(text)
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
