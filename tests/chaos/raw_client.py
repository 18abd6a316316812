"""One asyncio connection of a player; `on_event` gets the server's events in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from ..rooms import frames

ANSWER_SECONDS = 20.0
"""Seconds for an answer of a server that lives."""

KEEPALIVE_SECONDS = 2.0
"""Between two pings of a client that notices a server which does not answer."""

OnEvent = Callable[[str, dict[str, Any]], None]


class Lost(Exception):
    """The connection was lost."""


class Refused(Exception):
    """The server refused the connection."""

    def __init__(self, answer: Any) -> None:
        super().__init__(answer)
        self.code = answer.get("data", {}).get("code") if isinstance(answer, dict) else None


class RawClient:
    def __init__(self, socket: ClientConnection, namespace: str, on_event: OnEvent, patience: float) -> None:
        self._socket = socket
        self._patience = patience
        self._namespace = namespace
        self._on_event = on_event
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._asked = 0
        self._news = asyncio.Event()
        self._is_gone = False
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def open(
        cls, url: str, game: str, token: str | None, on_event: OnEvent, patience: float = ANSWER_SECONDS
    ) -> RawClient:
        """Raises `Lost` or `Refused`. A client with less patience than usual also sends pings, as browsers can't."""
        try:
            async with asyncio.timeout(patience):
                return await cls._open(url, f"/{game}", token, on_event, patience)
        except (OSError, WebSocketException) as error:  # a timeout is an OSError
            raise Lost from error

    @classmethod
    async def _open(cls, url: str, namespace: str, token: str | None, on_event: OnEvent, patience: float) -> RawClient:
        address, pings = frames.address(url), KEEPALIVE_SECONDS if patience < ANSWER_SECONDS else None
        socket = await connect(
            address, compression=None, ping_interval=pings, ping_timeout=patience, max_size=None, close_timeout=1
        )
        try:
            await socket.recv()  # the engine's greeting
            await socket.send(frames.connect(namespace, {"token": token} if token else None))
            answer = frames.parse(str(await socket.recv()))
            if answer.kind != frames.CONNECTED:
                raise Refused(answer.data)
        except BaseException:
            await socket.close()
            raise
        return cls(socket, namespace, on_event, patience)

    async def ask(self, name: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Sends an event and waits for its acknowledgement."""
        if self._is_gone:
            raise Lost
        self._asked += 1
        answer = self._answers[self._asked] = asyncio.get_running_loop().create_future()
        try:
            await self._socket.send(frames.event(self._namespace, name, payload, id=self._asked))
            async with asyncio.timeout(self._patience):
                return dict(await answer)
        except (OSError, WebSocketException) as error:
            raise Lost from error

    async def changed(self, seconds: float) -> None:
        """Waits for the next message, or that many seconds; raises `Lost` if the connection is."""
        self._news.clear()
        if not self._is_gone:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), seconds)
        if self._is_gone:
            raise Lost

    def abort(self) -> None:
        self._socket.transport.abort()

    async def close(self) -> None:
        await self._socket.close()
        await self._reader

    async def _read(self) -> None:
        try:
            async for text in self._socket:
                if text == frames.PING:
                    await self._socket.send(frames.PONG)
                elif str(text).startswith("4"):
                    self._take(frames.parse(str(text)))
        except (OSError, WebSocketException):
            pass
        finally:
            self._end()

    def _take(self, frame: frames.Frame) -> None:
        if frame.kind == frames.ACK and frame.id is not None:
            answer = self._answers.pop(frame.id)
            if not answer.done():
                answer.set_result(frame.data[0])
        elif frame.kind == frames.EVENT:
            self._on_event(frame.data[0], frame.data[1])
        self._news.set()

    def _end(self) -> None:
        self._is_gone = True
        self._news.set()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(Lost())
                answer.exception()  # marks it as retrieved
