"""Connections of Socket.IO end when they should, and leave nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from engineio.async_socket import AsyncSocket
from engineio.packet import MESSAGE, NOOP, Packet
from tests.service.platforms import until

from ludus.server.connections.backlog import Backlogs
from ludus.server.http.cpu_budget import CpuBudget
from ludus.server.socketio import engine, transport
from ludus.server.socketio.engine import SPARE_CONNECTIONS, SocketServer
from ludus.server.socketio.transport import WebSocketTransport

NAME = "/lobby"
PLENTY = 1_000_000
ENVIRON = {"asgi.scope": {"client": ("192.0.2.1", 1)}}


class Engines:
    def __init__(self) -> None:
        self.backlogs = Backlogs(PLENTY, PLENTY)
        self.server = SocketServer([NAME], self.backlogs, CpuBudget(1000, 1000), max_sockets=1, max_events=PLENTY)
        self.server.on("connect", lambda *_: None, namespace=NAME)
        self.answers: list[object] = []

    async def open(self, sid: str) -> AsyncSocket:
        socket = self.server.eio.sockets[sid] = AsyncSocket(self.server.eio, sid)
        socket.queue.put_nowait(None)
        self.answers.append(await self.server._handle_eio_connect(sid, dict(ENVIRON)))
        return socket

    def is_open(self, sid: str) -> bool:
        return sid in self.server.eio.sockets


def run(deed: Callable[[Engines], Awaitable[None]]) -> None:
    async def happen() -> None:
        await deed(Engines())

    asyncio.run(happen())


def test_a_connection_must_join_a_namespace_in_time() -> None:
    async def deed(engines: Engines) -> None:
        idle, joined = await engines.open("idle"), await engines.open("joined")
        left = engines.server._joining["idle"].when() - asyncio.get_running_loop().time()
        assert engine.JOIN_SECONDS - 5 < left <= engine.JOIN_SECONDS
        await engines.server._handle_eio_message("joined", f"0{NAME},")
        for sid in ("idle", "joined"):
            engines.server.end_unless_joined(sid)
        await until(lambda: idle.closed)
        assert not joined.closed and engines.is_open("joined") and not engines.is_open("idle")

    run(deed)


def test_nothing_is_left_of_a_connection_that_has_ended() -> None:
    async def deed(engines: Engines) -> None:
        await engines.open("one")
        await engines.server._handle_eio_message("one", "0/nowhere,")
        assert engines.backlogs.size > 0
        await engines.server._handle_eio_disconnect("one", "transport close")
        assert engines.backlogs.size == 0 and not engines.is_open("one")
        assert not engines.server._joining and not engines.server._queues and not engines.server._limits

    run(deed)


def test_nothing_is_left_of_a_connection_too_many() -> None:
    async def deed(engines: Engines) -> None:
        for number in range(SPARE_CONNECTIONS + 1):
            await engines.open(f"engine {number}")
        before = engines.backlogs.size
        socket = engines.server.eio.sockets["more"] = AsyncSocket(engines.server.eio, "more")
        await socket.queue.put(Packet(NOOP))
        answer = await engines.server._handle_eio_connect("more", dict(ENVIRON))
        assert isinstance(answer, dict) and answer["code"] == "too_fast"
        assert engines.backlogs.size == before and "more" not in engines.server._queues

    run(deed)


def test_a_websocket_that_stays_after_its_session_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of a client which reads nothing, not even its pings."""
    monkeypatch.setattr(engine, "LINGER_SECONDS", 0.0)

    async def deed(engines: Engines) -> None:
        told: list[object] = []
        socket = await engines.open("stuck")
        socket.queue.cut = lambda *reason: told.append(reason)
        await socket.queue.put(Packet(MESSAGE, "x" * 1000))
        await socket.close(wait=False)
        assert told == [] and socket.queue.qsize() > 1
        await until(lambda: told == [(1008, "too slow")])
        assert socket.queue.qsize() == 1  # since engineio keeps the session for a while

    run(deed)


class Upgrade:
    """A WebSocket that a polling client has opened, and on which it says nothing."""

    def __init__(self, socket: AsyncSocket) -> None:
        self._silence: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.sent: list[Any] = []
        self._socket = WebSocketTransport(socket._websocket_handler, socket.server)

    async def run(self) -> str:
        async def receive() -> Any:
            return await self._silence

        async def send(message: Any) -> None:
            self.sent.append(message["type"])

        return await self._socket({"asgi.receive": receive, "asgi.send": send, "asgi.scope": {}})


def test_an_upgrade_must_be_finished_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "UPGRADE_SECONDS", 0.01)

    async def deed(engines: Engines) -> None:
        socket = await engines.open("polling")
        socket.connected = True
        upgrade = Upgrade(socket)
        assert await upgrade.run() == "" and upgrade.sent == ["websocket.accept"]
        assert not socket.upgraded and not socket.upgrading and not socket.closed

    run(deed)


def test_a_session_has_one_upgrade_at_a_time() -> None:
    async def deed(engines: Engines) -> None:
        socket = await engines.open("polling")
        socket.connected = True
        first = asyncio.create_task(Upgrade(socket).run())
        await until(lambda: socket.upgrading)
        assert await Upgrade(socket).run() == ""
        assert socket.upgrading and not first.done()
        first.cancel()

    run(deed)
