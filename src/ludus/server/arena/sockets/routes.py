"""The arena's WebSockets: who may open one, and the platform's news for those who have."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import structlog
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from ludus.server.arena.sockets.agent import Listeners
from ludus.server.arena.sockets.game import Players, TooFast, TooManySockets
from ludus.server.arena.sockets.watch import Watchers
from ludus.server.connections.backlog import Backlogs
from ludus.server.http.cpu_budget import PAUSE, PAYER, OverBudget, Timed
from ludus.server.http.errors import PathNotFound, TooManyRequests
from ludus.server.http.request import address_of, quota_headers
from ludus.server.websocket.connection import INTERNAL_ERROR, Connection
from ludus.server.websocket.protocol import CUT, UNREAD, WRITE
from ludus.service.ports.bus import Note, PlayerErased, PlayerSeated, SocketOpened, TableChanged
from ludus.service.tables import LoadedTable

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

log = structlog.get_logger("ludus.arena")

SOCKET: Final = "socket"
OUTSIDE: Final = 300e-6
"""Seconds that the handshake takes outside the timed part."""
GONE: Final = (OSError, WebSocketDisconnect)
"""Raised when the client leaves before its socket is accepted."""

Serve = Callable[[Connection], Awaitable[None]]
Admit = Callable[[WebSocket], Awaitable[Serve]]


def routes(arena: Arena) -> list[BaseRoute]:
    """From here on the sockets get the arena's notes."""
    sockets = Sockets(arena)
    arena.listeners.append(sockets.on_note)
    arena.platform.catch_up_hooks.append(sockets.catch_up)
    arena.watchers = sockets.watchers
    arena.shows = sockets.shows
    return [
        WebSocketRoute("/ws/agent", SocketEndpoint(sockets.agent, arena.backlogs)),
        WebSocketRoute("/ws/game/{match}", SocketEndpoint(sockets.game, arena.backlogs)),
        WebSocketRoute("/ws/watch/{match}", SocketEndpoint(sockets.watch, arena.backlogs)),
        WebSocketRoute("/ws/{rest:path}", SocketEndpoint(sockets.not_found, arena.backlogs)),
    ]


class SocketEndpoint:
    """An ASGI application: Starlette wraps functions in a layer of its own."""

    def __init__(self, serve: Callable[[WebSocket, Connection], Awaitable[None]], backlogs: Backlogs) -> None:
        self._serve = serve
        self._backlogs = backlogs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        extensions = scope.get("extensions", {})
        connection = Connection(receive, send, self._backlogs, extensions.get(WRITE), extensions.get(CUT))
        try:
            await self._serve(WebSocket(scope, receive, send), connection)
        finally:
            connection.release()


class Sockets:
    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._pipeline = arena.pipeline
        self._sockets = arena.sockets
        self._players = Players(arena)
        self._watchers = Watchers(arena)
        self._listeners = Listeners(arena, self._players.is_at)

    def watchers(self, match: str) -> int:
        return self._watchers.count(match)

    def shows(self, match: str) -> bool:
        return self._players.has(match) or self._watchers.has(match)

    async def agent(self, socket: WebSocket, connection: Connection) -> None:
        await self._open(socket, connection, self._admit_listener)

    async def game(self, socket: WebSocket, connection: Connection) -> None:
        await self._open(socket, connection, self._admit_player)

    async def watch(self, socket: WebSocket, connection: Connection) -> None:
        await self._open(socket, connection, self._admit_watcher)

    async def not_found(self, socket: WebSocket, connection: Connection) -> None:
        await self._open(socket, connection, self._admit_none)

    async def catch_up(self) -> None:
        await self._listeners.catch_up()

    async def on_note(self, note: Note) -> None:
        tables = self._arena.platform.tables
        match note:
            case TableChanged(table, 1):
                if live := tables.cached(table):  # else of another process; its agents get a note of their own
                    self._listeners.announce(live.table)
                    await self._show(live)
            case TableChanged(table) if self.shows(table):
                await self._show(await tables.load(table))
            case PlayerSeated(player, table) if self._listeners.has(player):
                self._listeners.announce((await tables.load(table)).table)
            case PlayerErased(player):
                self._listeners.close(player)
            case SocketOpened():
                self._players.end_earlier(note)
                self._listeners.end_earlier(note)

    async def _show(self, live: LoadedTable) -> None:
        await self._players.show(live.table)
        if self._watchers.has(live.table.id):
            self._watchers.show(live)

    async def _admit_listener(self, socket: WebSocket) -> Serve:
        await self._pipeline.admit(socket, self._arena.authenticate)
        agent = socket.user
        return lambda connection: self._listeners.serve(connection, agent)

    async def _admit_player(self, socket: WebSocket) -> Serve:
        await self._pipeline.admit(socket, self._arena.authenticate)
        agent = socket.user
        at = await self._arena.seat(socket.path_params["match"], agent, is_current=True)
        base = self._arena.base_url(socket)
        payer = socket.scope[PAYER]
        return lambda connection: self._players.serve(connection, agent, at, base, payer)

    async def _admit_watcher(self, socket: WebSocket) -> Serve:
        self._pipeline.count(socket)
        table = await self._arena.table(socket.path_params["match"], is_current=True)
        base = self._arena.base_url(socket)
        return lambda connection: self._watchers.serve(connection, table.id, base)

    async def _admit_none(self, socket: WebSocket) -> Serve:
        self._pipeline.count(socket)
        raise PathNotFound("there is no such socket")

    async def _open(self, socket: WebSocket, connection: Connection, admit: Admit) -> None:
        """A refusal is the response to the upgrade request, before there is a socket."""
        address = address_of(socket)
        if not self._sockets.enter(address):
            with suppress(TooManyRequests):  # the answer is the same
                self._pipeline.count(socket)
            return await self._refuse(socket, TooManySockets("too many sockets from this address"))
        self._arena.metrics.sockets.inc()
        budget = self._arena.budget
        payer = socket.scope[PAYER] = budget.payer(address, has_connection=True)
        payer.unread = socket.scope.get("extensions", {}).get(UNREAD)
        price = budget.price(SOCKET)
        try:
            await budget.admit(payer, price)
            await Timed(budget, payer, SOCKET, price, self._admit(socket, connection, admit), OUTSIDE)
        except OverBudget as error:
            await budget.sleep(PAUSE)
            await self._refuse(socket, error)
        finally:
            self._arena.metrics.sockets.dec()
            self._sockets.leave(address)

    async def _admit(self, socket: WebSocket, connection: Connection, admit: Admit) -> None:
        try:
            serve = await admit(socket)
        except Exception as error:
            await self._refuse(socket, error)
        else:
            await _serve(socket, connection, serve)

    async def _refuse(self, socket: WebSocket, error: Exception) -> None:
        response = self._pipeline.refusal(socket, error)
        if isinstance(error, TooFast):
            response.headers["Retry-After"] = str(error.retry_after)
        with suppress(*GONE):
            await socket.send_denial_response(response)


async def _serve(socket: WebSocket, connection: Connection, serve: Serve) -> None:
    try:
        headers = [(name.lower().encode(), value.encode()) for name, value in quota_headers(socket).items()]
        await socket.accept(headers=headers)
        await serve(connection)
    except GONE:
        pass
    except Exception:
        log.exception("socket failed", path=socket.url.path)
        with suppress(*GONE, RuntimeError):  # it may be closed already
            await socket.close(INTERNAL_ERROR)
