"""One WebSocket: what it is to be told waits in a short queue, so that nobody waits for one who does not read."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

import orjson
from starlette.types import Message, Receive, Send

MOST_WAITING: Final = 128 * 1024
"""Characters that may wait to be sent to one socket before it is dropped; the system's own buffers come first."""
NORMAL, UNWANTED, FAILED = 1000, 1008, 1011
"""Codes that a socket is closed with: all is well, the client broke a rule, we did."""

Hear = Callable[[Message], Awaitable[None]]
Write = Callable[[str], bool]
"""Sends a text at once; false if it has to wait, since the client is behind or gone."""


class Farewell(NamedTuple):
    code: int
    reason: str


class Line:
    def __init__(self, receive: Receive, send: Send, write: Write | None, most_waiting: int = MOST_WAITING) -> None:
        """The ends of a socket that will be accepted: the server's own, since each layer above them costs time.

        `write` is the short way, where the server has it.
        """
        self._receive = receive
        self._send = send
        self._write_now = write
        self._most = most_waiting
        self._waiting: deque[str] = deque()
        self._size = 0
        self._news = asyncio.Event()
        self._farewell: Farewell | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._is_busy = False
        """Whether a frame is being dealt with."""
        self._is_cut = False

    def say(self, text: str) -> None:
        """Never waits. Who has let too much pile up is dropped, and told how things stand after coming back."""
        if self._farewell is not None:
            return
        if self._size >= self._most:
            self._cut()
            return
        if self._size == 0 and self._write_now is not None and self._write_now(text):
            return
        self._waiting.append(text)
        self._size += len(text)
        self._news.set()

    def end(self, code: int = NORMAL, reason: str = "") -> None:
        """Closes the socket when all has been sent that was said before."""
        if self._farewell is None:
            self._farewell = Farewell(code, reason)
            self._news.set()

    def give_way(self) -> None:
        """To a newer socket of the same player."""
        self.say(frame("replaced"))
        self.end(reason="replaced")

    def _cut(self) -> None:
        """Without a farewell, which would wait behind all the rest.

        What the client has asked for is done first: an action may be stored already, and others have to hear of it.
        """
        self._farewell = Farewell(UNWANTED, "too slow")
        self._is_cut = True
        if self._hearing is not None and not self._is_busy:
            self._hearing.cancel()

    async def live(self, hear: Hear) -> None:
        """Hears one frame after the other, and returns when the connection is at its end.

        In a task of its own: here, each thing waited for would be handed down through all layers of the server.
        """
        writing = asyncio.create_task(self._write())
        self._hearing = asyncio.create_task(self._hear(hear))
        try:
            await asyncio.wait([self._hearing])
            if not self._hearing.cancelled():  # else it was cut
                self._hearing.result()
        finally:
            self._hearing.cancel()
            writing.cancel()
            await asyncio.gather(self._hearing, writing, return_exceptions=True)

    async def _hear(self, hear: Hear) -> None:
        while (message := await self._receive())["type"] != "websocket.disconnect":
            if self._farewell is None:
                self._is_busy = True
                await hear(message)
                self._is_busy = False
                if self._is_cut:
                    return

    async def _write(self) -> None:
        try:
            while True:
                while self._waiting:
                    text = self._waiting.popleft()
                    await self._send({"type": "websocket.send", "text": text})
                    self._size -= len(text)
                if self._farewell is not None:
                    code, reason = self._farewell
                    return await self._send({"type": "websocket.close", "code": code, "reason": reason})
                self._news.clear()
                await self._news.wait()
        except OSError:
            return None  # whoever hears will hear of it


def only_speaking(line: Line) -> Hear:
    """For sockets on which the client has nothing to say."""

    async def hear(_: Message) -> None:
        line.end(UNWANTED, "this socket only speaks")

    return hear


def frame(kind: str, *parts: Mapping[str, Any], **more: Any) -> str:
    """One object made of all the parts, as text."""
    content: dict[str, Any] = {"type": kind}
    for part in parts:
        content.update(part)
    content.update(more)
    return orjson.dumps(content).decode()
