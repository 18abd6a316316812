"""WebSockets to an arena: frames of one JSON object each, on one socket after the other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Final, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from ludus.client.answers import Body, as_object
from ludus.client.errors import Refused, Unexpected, Unreachable
from ludus.client.line import BUSY, Line

MOST_BYTES: Final = 1 << 20
LONG: Final = 5.0
"""Seconds after which a socket that broke was worth opening."""


class Frames:
    """What comes on one socket until it closes, for whatever reason; a `replaced` is one that must not be followed."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.number = 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Body:
        try:
            text = await self._socket.recv()
        except ConnectionClosed:
            raise StopAsyncIteration from None
        self.number += 1
        frame = _object(text)
        if frame.get("type") == "replaced":
            raise Refused(0, {"error": "replaced", "details": "another program plays as this agent"})
        return frame

    async def send(self, text: str) -> None:
        with suppress(ConnectionClosed):  # reading will say so
            await self._socket.send(text)


async def frames(line: Line, path: str) -> AsyncGenerator[Frames, None]:
    """A socket, and when that is done with another, with growing pauses while none brings more than a greeting."""
    clock, failures = asyncio.get_running_loop().time, 0
    while True:
        try:
            async with await _open(line, path) as socket:
                heard, since = Frames(socket), clock()
                yield heard
                failures = 0 if heard.number > 1 or clock() - since > LONG else failures + 1
        except (OSError, EOFError, InvalidHandshake) as error:
            if isinstance(error, InvalidStatus) and error.response.status_code not in BUSY:
                raise Unreachable(f"{line.url}{path} is refused: {error}") from error
            failures += 1
        if failures:
            await line.pause(failures, path)


async def _open(line: Line, path: str) -> ClientConnection:
    """Without compression, which costs more than it saves on messages this short."""
    url = "ws" + line.url.removeprefix("http") + path
    return await connect(url, additional_headers=line.headers, compression=None, max_size=MOST_BYTES)


def _object(text: str | bytes) -> Body:
    try:
        return as_object(json.loads(text))
    except (ValueError, RecursionError, Unexpected):
        raise Unexpected("the arena sent a frame that is not a JSON object") from None
