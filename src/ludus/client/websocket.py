"""WebSockets to an arena: frames of one JSON object each, with reconnection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Final, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from ludus.client.errors import Refused, Unexpected, Unreachable
from ludus.client.http import BUSY, HttpClient
from ludus.client.responses import Body, as_object

MOST_BYTES: Final = 1 << 20
STABLE_SECONDS: Final = 5.0
"""How long a connection must last for its loss not to count as a failure."""


class Connection:
    """Iterates over the frames until the socket closes, for whatever reason."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.received = 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Body:
        try:
            text = await self._socket.recv()
        except ConnectionClosed:
            raise StopAsyncIteration from None
        self.received += 1
        frame = _parse(text)
        if frame.get("type") == "replaced":  # reconnecting would only replace the other program in turn
            raise Refused(0, {"error": "replaced", "details": "another program plays as this agent"})
        return frame

    async def send(self, text: str) -> None:
        with suppress(ConnectionClosed):  # the next read reports it
            await self._socket.send(text)


async def connections(http: HttpClient, path: str) -> AsyncGenerator[Connection, None]:
    """One connection after the other, with growing pauses as long as connections bring no more than a greeting."""
    clock, failures = asyncio.get_running_loop().time, 0
    while True:
        try:
            async with await _open(http, path) as socket:
                connection, since = Connection(socket), clock()
                yield connection
                failures = 0 if connection.received > 1 or clock() - since > STABLE_SECONDS else failures + 1
        except (OSError, EOFError, InvalidHandshake) as error:
            if isinstance(error, InvalidStatus) and error.response.status_code not in BUSY:
                raise Unreachable(f"{http.url}{path} is refused: {error}") from error
            failures += 1
        if failures:
            await http.pause(failures, path)


async def _open(http: HttpClient, path: str) -> ClientConnection:
    """Opens a connection without compression, which costs more than it saves on messages this short."""
    url = "ws" + http.url.removeprefix("http") + path
    return await connect(url, additional_headers=http.headers, compression=None, max_size=MOST_BYTES)


def _parse(text: str | bytes) -> Body:
    try:
        return as_object(json.loads(text))
    except (ValueError, RecursionError, Unexpected):
        raise Unexpected("the arena sent a frame that is not a JSON object") from None
