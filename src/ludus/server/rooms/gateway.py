"""The gateway of rooms: admits connections and dispatches their events. One serves all namespaces."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from time import monotonic
from typing import Any, Final
from urllib.parse import parse_qs

import structlog

from ludus.core.errors import LudusError
from ludus.server.http.cpu_budget import PAYER, OverBudget, Payer
from ludus.server.http.errors import Malformed, public
from ludus.server.http.guest_games import GuestGames, TooManyGames
from ludus.server.http.rate_limit import EventLimit, SocketCount
from ludus.server.metrics import Metrics
from ludus.server.rooms.client import Client
from ludus.server.rooms.handlers import Handler, TableHandlers
from ludus.server.rooms.matchmaking import Matchmaking
from ludus.server.rooms.seats import Ack, Seats
from ludus.server.socketio.engine import SocketServer, address_of
from ludus.service import origins
from ludus.service.commands import (
    AcceptDraw,
    AcceptResignation,
    DeclineDraw,
    DeclineResignation,
    OfferDraw,
    Resign,
    TakeBack,
)
from ludus.service.platform import Platform
from ludus.service.ports.bus import (
    AdviceFound,
    DeadlinesMoved,
    HintFound,
    Note,
    PhraseSaid,
    PlayerErased,
    PlayerSeated,
    PresenceChanged,
    SessionCancelled,
    TableChanged,
    TableRedacted,
)
from ludus.service.ports.store import Unreadable
from ludus.service.records import Session
from ludus.service.sessions import Forbidden
from ludus.service.tables import NotFound
from ludus.service.tokens import Unauthorized

log = structlog.get_logger(__name__)

COSTS: Final[Mapping[str, int]] = {
    "game:reconnect": 20,
    "game:spectate": 20,
    "game:boards": 10,
    "game:hint": 10,
    "game:tutor": 10,
    "matchmaking:join": 10,
}
"""Events that send or store a lot, as multiples of an ordinary one."""


CUBE_EVENTS: Final[Mapping[str, str]] = {
    "game:roll": "roll",
    "game:double:offer": "double",
    "game:double:take": "take",
    "game:double:drop": "drop",
    "game:double:beaver": "beaver",
}
"""Events that stand for a `game:move` with one of these decisions."""


class TooFast(LudusError):
    """More events or connections than one client is allowed."""

    code = "too_fast"


class RoomGateway:
    def __init__(
        self,
        sio: SocketServer,
        platform: Platform,
        metrics: Metrics,
        sockets: SocketCount,
        guest_games: GuestGames,
        *,
        has_guests: bool,
        events_per_second: int,
    ) -> None:
        self._sio = sio
        self._platform = platform
        self._metrics = metrics
        self.sockets = sockets
        self._events_per_second = events_per_second
        self._clients: dict[str, Client] = {}
        self._seats = Seats(sio, platform, guest_games)
        self._matchmaking = Matchmaking(self._emit, platform, self._seats, guest_games, has_guests=has_guests)
        self._table_handlers = table = TableHandlers(self._emit, platform, metrics, guest_games)
        self._handlers: dict[str, Handler] = {
            "matchmaking:join": self._matchmaking.join,
            "matchmaking:leave": self._matchmaking.leave,
            "game:reconnect": self._seats.reconnect,
            "game:spectate": self._seats.spectate,
            "game:get_moves": table.get_moves,
            "game:move": table.move,
            "game:resign": table.command(Resign),
            "game:resign:offer": table.offer_resignation,
            "game:resign:accept": table.command(AcceptResignation),
            "game:resign:decline": table.command(DeclineResignation),
            **{event: table.move_of({"cube": word}) for event, word in CUBE_EVENTS.items()},
            "game:draw:offer": table.command(OfferDraw),
            "game:draw:accept": table.command(AcceptDraw),
            "game:draw:decline": table.command(DeclineDraw),
            "game:takeback": table.command(TakeBack),
            "game:hint": table.hint,
            "game:tutor": table.advise,
            "game:boards": table.boards,
            "game:phrase": table.say,
            "game:rematch": table.ask_rematch,
            "afk:check": table.afk_check,
        }
        self.is_stopping = False
        platform.bus.subscribe(self._on_note, self._seats.is_concerned)
        platform.catch_up_hooks += (self._matchmaking.catch_up, self.end_erased)
        sio.on_refused = self.refuse

    @property
    def waiting(self) -> int:
        """Number of players who wait for an opponent on connections to this process."""
        return len(self._matchmaking)

    def spectators(self, table: str) -> int:
        return self._seats.spectators(table)

    async def connect(self, sid: str, game: str, environ: dict[str, Any], auth: object) -> None:
        """Raises a `LudusError` if the connection is refused."""
        address = address_of(environ)
        if not self.sockets.enter(address):
            raise TooFast("too many connections from this address")
        try:
            limit = EventLimit(self._events_per_second, monotonic())
            engine = self._sio.manager.eio_sid_from_sid(sid, f"/{game}")
            client = Client(sid, engine, game, address, limit, self._platform.tokens)
            client.is_compact = _is_compact(auth)
            await self._admit(client, environ, auth)
            if self._sio.get_environ(sid, namespace=f"/{game}") is None:
                raise Unauthorized("the connection was lost")  # python-socketio would not report it any more
        except BaseException:
            self.sockets.leave(address)
            raise
        self._clients[sid] = client
        self._metrics.sockets.inc()
        payer: Payer | None = environ.get(PAYER)
        if payer is not None and client.player is not None:
            payer.identity = client.player.key

    async def disconnect(self, sid: str) -> None:
        """While the server stops, players who lose their connection do not count as away."""
        client = self._clients.pop(sid, None)
        if client is None:
            return
        client.is_gone = True
        self._metrics.sockets.dec()
        self.sockets.leave(client.address)
        try:
            await self._seats.leave_all(client, is_noted=not self.is_stopping)
        finally:
            if not self.is_stopping:
                await self._matchmaking.stop_waiting(client, is_lost=True)

    async def receive(self, sid: str, event: str, payload: object) -> Ack:
        """Handles one event of a client and returns its acknowledgement."""
        client = self._clients.get(sid)
        if client is None:
            return {"ok": False, "error": {"code": Unauthorized.code, "message": "you are not connected"}}
        try:
            if not client.limit.allows(monotonic(), COSTS.get(event, 1)):
                raise TooFast("too many events; slow down")
            handler = self._handlers.get(event)
            if handler is None:
                raise Malformed("there is no such event")
            ack = await handler(client, payload)
        except Exception as error:
            return await self._refuse(client, event, error)
        self._metrics.socket_event(event)
        return ack

    async def refuse(self, sid: str, event: str, error: OverBudget) -> None:
        """An event that was not handled, since its sender has used too much of the processor; ends the connection."""
        client = self._clients.get(sid)
        if client is not None:
            await self._refuse(client, event, error)

    async def broadcast(self, event: str, data: dict[str, Any]) -> None:
        for client in list(self._clients.values()):
            await self._emit(client, event, data)

    async def _refuse(self, client: Client, event: str, error: Exception) -> Ack:
        problem = public(error)
        if problem.code == "internal":
            log.error("socket event failed", event_name=event[:64], table=client.table, exc_info=error)
        self._metrics.socket_event(event, problem.code)
        data: dict[str, Any] = {"code": problem.code, "message": problem.message}
        if isinstance(error, TooManyGames | OverBudget):
            data["retryAfter"] = error.retry_after
        await self._emit(client, "game:error", data | {"event": event[:64]})
        if isinstance(error, TooFast | OverBudget):
            await self._disconnect(client)
        return {"ok": False, "error": data}

    async def _disconnect(self, client: Client) -> None:
        namespace = f"/{client.game}"
        await self._sio.disconnect(client.sid, namespace=namespace)  # clients told so do not reconnect
        await self._sio.hang_up(client.engine, politely=True)

    async def _admit(self, client: Client, environ: dict[str, Any], auth: object) -> None:
        token = _find_token(environ, auth)
        if token is None:
            return
        client.guest = self._platform.tokens.read_guest(token)
        if client.guest is not None:
            table = (await self._platform.tables.load(client.guest.table)).table
            seat = table.seat_of(client.guest.key)
            if seat is None or table.opening.game != client.game:
                raise Unauthorized("the token is not valid here")
            client.player = table.seats[seat]
            if client.player.session is not None:
                client.session = await self._platform.sessions.get(client.player.session)
                await self._refuse_origin(client.session, environ)
            return
        session, client.claims = await self._platform.sessions.admit(token)
        if session.game != client.game:
            raise Forbidden(f"the token is for {session.game}")
        await self._refuse_origin(session, environ)
        client.session = session
        client.player = self._platform.sessions.seat(session, client.claims)

    async def _refuse_origin(self, session: Session, environ: dict[str, Any]) -> None:
        """Our own page is always allowed: who may embed it was decided when it was served."""
        origin = environ.get("HTTP_ORIGIN")
        if origin is None or origins.is_own(origin, environ.get("HTTP_HOST")):
            return
        keys = [key for key in await self._platform.store.keys(session.tenant) if key.revoked_at is None]
        if not any(origins.is_allowed(origin, key.origins) for key in keys):
            raise Forbidden("Origin not allowed for this API key")

    async def _on_note(self, note: Note) -> None:
        match note:
            case PlayerSeated():
                await self._matchmaking.start(note)
            case TableChanged():
                await self._seats.broadcast(note)
            case PresenceChanged():
                await self._seats.show_presence(note)
            case PhraseSaid():
                await self._seats.show_phrase(note)
            case HintFound():
                await self._seats.show_hint(note)
            case AdviceFound():
                await self._seats.show_advice(note)
            case TableRedacted(table):
                await self._seats.redact(table)
            case SessionCancelled(session):
                for client in [each for each in self._clients.values() if each.session and each.session.id == session]:
                    await self._matchmaking.cancel(client)
            case DeadlinesMoved():
                for client in list(self._clients.values()):
                    await self._table_handlers.announce_deadline(client)
                    await asyncio.sleep(0)  # there may be thousands
            case PlayerErased(player):
                for client in [each for each in self._clients.values() if each.player and each.player.key == player]:
                    await self._disconnect(client)

    async def end_erased(self) -> None:
        """Ends the connections of players who were erased while this process could not be notified."""
        for client in list(self._clients.values()):
            if client.table is not None and not await self._is_seated(client):
                await self._disconnect(client)

    async def _is_seated(self, client: Client) -> bool:
        """Whether the seat is still the client's: erased players have another key, and their tables may be gone."""
        id, seat, player = client.table, client.seat, client.player
        if id is None or seat is None or player is None:
            return True  # has just left
        try:
            return (await self._platform.tables.load(id)).table.seats[seat].key == player.key
        except NotFound:
            return False
        except Unreadable:
            return True

    async def _emit(self, client: Client, event: str, data: object) -> None:
        await self._sio.send_event((client.engine,), f"/{client.game}", event, data)


def _is_compact(auth: object) -> bool:
    """What the client asks for in the handshake."""
    wanted = auth.get("compact", False) if isinstance(auth, dict) else False
    if not isinstance(wanted, bool):
        raise Malformed("compact: must be true or false")
    return wanted


def _find_token(environ: dict[str, Any], auth: object) -> str | None:
    """From the handshake's `auth` or, for clients that can't send it, from the query."""
    token = auth.get("token") if isinstance(auth, dict) else None
    if not token:
        token = parse_qs(environ.get("QUERY_STRING", "")).get("token", [None])[0]
    if not token:
        return None
    if not isinstance(token, str):
        raise Unauthorized("the token is not valid")
    return token
