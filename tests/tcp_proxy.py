"""A TCP proxy for tests, on the running loop: it cuts, delays and half-opens the connections that go through it."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from random import Random
from typing import cast


class TcpProxy:
    """Listens on a free port and passes everything on to the target, whose port may be set later."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        """Where connections are passed on to."""
        self.delay = 0.0
        """Seconds by which everything is late from now on."""
        self.links: set[Link] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        self._server = await asyncio.get_running_loop().create_server(lambda: Link(self).client, "127.0.0.1", 0)

    @property
    def url(self) -> str:
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()
        return f"http://{host}:{port}"

    def cut(self, share: float, rng: Random) -> int:
        """Ends some connections without a word to either side; returns how many."""
        chosen = [link for link in self.links if rng.random() < share]
        for link in chosen:
            link.cut()
        return len(chosen)

    def stall(self, share: float, rng: Random) -> int:
        """Passes nothing on any more through some connections, which stay open for both sides; returns how many."""
        chosen = [link for link in self.links if rng.random() < share]
        for link in chosen:
            link.is_stalled = True
        return len(chosen)

    def cut_stalled(self) -> None:
        for link in [link for link in self.links if link.is_stalled]:
            link.cut()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for link in list(self.links):
            link.cut()
        await asyncio.sleep(0)  # lets the connections end before the loop does


class Link:
    """One client's connection and the one to the server."""

    def __init__(self, proxy: TcpProxy) -> None:
        self.proxy = proxy
        self.is_stalled = False
        self.client, self.server = Side(self), Side(self)
        self.connecting: asyncio.Task[None] | None = None

    def other(self, side: Side) -> Side:
        return self.server if side is self.client else self.client

    async def connect(self) -> None:
        try:
            await asyncio.get_running_loop().create_connection(lambda: self.server, "127.0.0.1", self.proxy.port)
        except OSError:
            self.cut()

    def cut(self) -> None:
        for side in (self.client, self.server):
            if side.transport is not None:
                side.transport.abort()


class Side(asyncio.Protocol):
    def __init__(self, link: Link) -> None:
        self.transport: asyncio.Transport | None = None
        self._link = link
        self._late: deque[tuple[float, bytes | None]] = deque()
        """What is to be passed on, and when; None is the end."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        link = self._link
        if self is link.client:
            self.transport.pause_reading()
            link.proxy.links.add(link)
            link.connecting = asyncio.create_task(link.connect())
        elif link.client.transport is None or link.client.transport.is_closing():
            self.transport.abort()
        else:
            link.client.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        self._take(data)

    def eof_received(self) -> bool:
        """A half-closed connection is passed on as one."""
        self._take(None)
        return True

    def _take(self, data: bytes | None) -> None:
        if self._link.is_stalled:
            return
        delay = self._link.proxy.delay
        if not delay and not self._late:
            self._pass_on(data)
            return
        loop = asyncio.get_running_loop()
        self._late.append((loop.time() + delay, data))
        if len(self._late) == 1:
            loop.call_later(delay, self._pass_late)

    def _pass_late(self) -> None:
        loop = asyncio.get_running_loop()
        while self._late and self._late[0][0] <= loop.time():
            self._pass_on(self._late.popleft()[1])
        if self._late:
            loop.call_at(self._late[0][0], self._pass_late)

    def _pass_on(self, data: bytes | None) -> None:
        to = self._link.other(self).transport
        if to is None or to.is_closing() or self._link.is_stalled:
            return
        if data is None:
            with suppress(OSError):  # the other side has just gone
                to.write_eof()
        else:
            to.write(data)

    def connection_lost(self, error: Exception | None) -> None:
        """A stalled connection stays open on the other side."""
        link = self._link
        to = link.other(self).transport
        if to is None or to.is_closing():
            link.proxy.links.discard(link)
        elif not link.is_stalled:
            to.close()

    def pause_writing(self) -> None:
        to = self._link.other(self).transport
        if to is not None:
            to.pause_reading()

    def resume_writing(self) -> None:
        to = self._link.other(self).transport
        if to is not None and not to.is_closing():
            to.resume_reading()
