"""The arena's WebSockets: who may open one, and what has happened in the platform for those who have."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, cast

import structlog
from starlette.requests import Request
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from ludus.server.arena.asking import refused
from ludus.server.arena.desk import count_headers, refuse_too_many
from ludus.server.arena.errors import NoSuchPage
from ludus.server.arena.sockets.agent import Listeners
from ludus.server.arena.sockets.game import Players, TooFast, TooManySockets
from ludus.server.arena.sockets.watch import Watchers
from ludus.server.http.rate_limit import SocketCount
from ludus.server.websocket.connection import FAILED, Line
from ludus.server.websocket.protocol import WRITE
from ludus.service.agents import player_key
from ludus.service.ports import Note, TableChanged
from ludus.service.records import Agent

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

log = structlog.get_logger("ludus.arena")

GONE: Final = (OSError, WebSocketDisconnect)
"""What is raised when the client has left before it was let in."""

Serve = Callable[[Line], Awaitable[None]]


def routes(arena: Arena) -> list[BaseRoute]:
    """All there is to wire: from here on the sockets hear what the arena hears."""
    sockets = Sockets(arena)
    arena.listeners.append(sockets.on_note)
    arena.watchers = sockets.watchers
    return [
        WebSocketRoute("/ws/agent", Door(sockets.agent)),
        WebSocketRoute("/ws/game/{match}", Door(sockets.game)),
        WebSocketRoute("/ws/watch/{match}", Door(sockets.watch)),
        WebSocketRoute("/ws/{rest:path}", Door(sockets.nowhere)),
    ]


class Door:
    """An application, where Starlette would put a layer of its own around a function's messages."""

    def __init__(self, enter: Callable[[WebSocket, Line], Awaitable[None]]) -> None:
        self._enter = enter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        write = scope.get("extensions", {}).get(WRITE)
        await self._enter(WebSocket(scope, receive, send), Line(receive, send, write))


class Sockets:
    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._count = SocketCount(arena.settings.max_sockets)
        self._players = Players(arena)
        self._watchers = Watchers(arena)
        self._listeners = Listeners(arena, self._players.is_at)

    def watchers(self, match: str) -> int:
        return self._watchers.count(match)

    async def agent(self, socket: WebSocket, line: Line) -> None:
        await self._open(socket, line, self._admit_listener)

    async def game(self, socket: WebSocket, line: Line) -> None:
        await self._open(socket, line, self._admit_player)

    async def watch(self, socket: WebSocket, line: Line) -> None:
        await self._open(socket, line, self._admit_watcher)

    async def nowhere(self, socket: WebSocket, line: Line) -> None:
        await self._open(socket, line, self._admit_nobody)

    async def on_note(self, note: Note) -> None:
        if not isinstance(note, TableChanged):
            return
        is_news = note.version == 1 and len(self._listeners) > 0
        if is_news or self._players.has(note.table) or self._watchers.has(note.table):
            tables = self._arena.platform.tables
            live = tables.cached(note.table) or await tables.load(note.table)
            if is_news:
                self._listeners.announce(live.table)
            await self._players.show(live.table)
            if self._watchers.has(note.table):
                self._watchers.show(live)

    async def _admit_listener(self, socket: WebSocket) -> Serve:
        agent = await self._agent_of(socket)
        return lambda line: self._listeners.serve(line, agent)

    async def _admit_player(self, socket: WebSocket) -> Serve:
        agent = await self._agent_of(socket)
        at = await self._arena.seat(socket.path_params["match"], agent)
        base = self._base(socket)
        return lambda line: self._players.serve(line, agent, at, base)

    async def _admit_watcher(self, socket: WebSocket) -> Serve:
        self._count_request(socket, f"address/{_address(socket)}")
        table = await self._arena.table(socket.path_params["match"])
        base = self._base(socket)
        return lambda line: self._watchers.serve(line, table.id, base)

    async def _admit_nobody(self, socket: WebSocket) -> Serve:
        self._count_request(socket, f"address/{_address(socket)}")
        raise NoSuchPage("there is no such socket")

    async def _agent_of(self, socket: WebSocket) -> Agent:
        who = f"address/{_address(socket)}"
        try:
            agent = await self._arena.authenticate(socket.headers)
            who = player_key(agent.id)
        finally:  # who fails to say who they are is counted as well
            self._count_request(socket, who)
        return agent

    def _count_request(self, socket: WebSocket, who: str) -> None:
        """The answer, whatever it is, tells how far they have come."""
        socket.state.verdict = self._arena.desk.count(who)
        refuse_too_many(socket.state.verdict)

    def _base(self, socket: WebSocket) -> str:
        return self._arena.desk.base(socket.url.scheme, socket.headers)

    async def _open(self, socket: WebSocket, line: Line, admit: Callable[[WebSocket], Awaitable[Serve]]) -> None:
        """Whoever is not let in is told why in the answer to the request, before there is a socket."""
        address = _address(socket)
        if not self._count.enter(address):
            socket.state.verdict = self._arena.desk.count(f"address/{address}")
            return await _refuse(socket, TooManySockets("too many sockets from this address"))
        self._arena.metrics.sockets.inc()
        try:
            serve = await admit(socket)
        except Exception as error:
            await _refuse(socket, error)
        else:
            await _serve(socket, line, serve)
        finally:
            self._arena.metrics.sockets.dec()
            self._count.leave(address)


async def _serve(socket: WebSocket, line: Line, serve: Serve) -> None:
    try:
        headers = [(name.lower().encode(), value.encode()) for name, value in _counts(socket).items()]
        await socket.accept(headers=headers)
        await serve(line)
    except GONE:
        pass
    except Exception:
        log.exception("a socket failed", path=socket.url.path)
        with suppress(*GONE, RuntimeError):  # it may be closed already
            await socket.close(FAILED)


async def _refuse(socket: WebSocket, error: Exception) -> None:
    response = refused(cast("Request", socket), error)  # of which it only looks at the address
    for name, value in _counts(socket).items():
        response.headers.setdefault(name, value)
    if isinstance(error, TooFast):
        response.headers["Retry-After"] = str(error.retry_seconds)
    with suppress(*GONE):
        await socket.send_denial_response(response)


def _counts(socket: WebSocket) -> dict[str, str]:
    return count_headers(getattr(socket.state, "verdict", None))


def _address(socket: WebSocket) -> str:
    return socket.client.host if socket.client else ""
