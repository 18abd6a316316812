"""A back end that receives webhooks, on this machine, and misbehaves as a test wants."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple


class Got(NamedTuple):
    path: str
    headers: dict[str, str]
    """By small names."""
    body: bytes


Answer = Callable[[Got, asyncio.StreamWriter], Awaitable[None]]


def says(status: int, extra: str = "") -> Answer:
    async def answer(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status} So\r\nContent-Length: 2\r\n{extra}\r\nok".encode())

    return answer


def writes(raw: bytes) -> Answer:
    """Whatever bytes, and then the end of the connection."""

    async def answer(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        writer.close()

    return answer


async def says_nothing(got: Got, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def never_ends(got: Got, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
    while True:
        writer.write(b"x" * 1000)
        await writer.drain()
        await asyncio.sleep(0.001)


class Receiver:
    """Answers by path; 200 for a path without an entry."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.got: list[Got] = []
        self.answers: dict[str, Answer] = {}
        self.connections = 0
        self._desks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Receiver:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for desk in self._desks:
            desk.cancel()
        await asyncio.gather(*self._desks, return_exceptions=True)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http{'s' if self._tls else ''}://{host}:{self.port}{path}"

    def bodies(self, path: str = "/") -> list[bytes]:
        return [got.body for got in self.got if got.path == path]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        desk = asyncio.current_task()
        assert desk
        self._desks.add(desk)
        desk.add_done_callback(self._desks.discard)
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while not writer.is_closing():
                await self._answer(await self._read(reader), writer)
        writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Got:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        return Got(head[0].split()[1], headers, await reader.readexactly(int(headers["content-length"])))

    async def _answer(self, got: Got, writer: asyncio.StreamWriter) -> None:
        self.got.append(got)
        await self.answers.get(got.path, says(200))(got, writer)
