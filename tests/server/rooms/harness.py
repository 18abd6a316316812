"""Rooms without a network: a real Socket.IO server on an engine that records what it is given to send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from engineio.async_socket import AsyncSocket
from socketio.packet import ACK, CONNECT, CONNECT_ERROR, DISCONNECT, EVENT, Packet
from tests.room_schemas import check_ack, problems
from tests.service.parts import FakeClock
from tests.service.platforms import open_platform, run_in

from ludus.games import GAMES
from ludus.server.connections.backlog import Backlogs
from ludus.server.http.cpu_budget import CpuBudget
from ludus.server.http.guest_games import GuestGames
from ludus.server.http.rate_limit import SocketCount
from ludus.server.metrics import Metrics
from ludus.server.rooms.gateway import RoomGateway
from ludus.server.rooms.namespace import RoomNamespace
from ludus.server.socketio.engine import SocketServer
from ludus.server.socketio.packets import Json, MessagePacket
from ludus.service.engine_pool import EnginePool
from ludus.service.platform import Platform
from ludus.service.ports.writes import PutTenant
from ludus.service.records import Tenant
from ludus.service.sessions import NewSession, Ticket
from ludus.service.table import Table

PLENTY = 10**6


class SentPacket(Packet):  # type: ignore[misc]  # python-socketio is untyped
    """Decodes everything that a server may send."""

    json = Json


class Received(NamedTuple):
    event: str
    data: Any


class RecordingServer(SocketServer):
    record: Callable[[str, SentPacket], Awaitable[None]]
    """Called with the connection and each packet for it."""

    async def _send_eio_packet(self, eio_sid: str, eio_pkt: MessagePacket) -> None:
        await self.record(eio_sid, SentPacket(encoded_packet=eio_pkt.data))


class Tab:
    """One connection of a client."""

    def __init__(self, harness: RoomHarness, engine: str, game: str) -> None:
        self._harness = harness
        self.engine = engine
        self.game = game
        self.received: list[Received] = []
        self.acks: dict[int, Any] = {}
        self.refusal: Any = None
        self.is_open = False
        self.is_compact = False
        self._ids = count()

    async def emit(self, event: str, payload: Any = None) -> Any:
        """Sends an event, and returns its acknowledgement."""
        id = next(self._ids)
        await self.send(EVENT, [event] if payload is None else [event, payload], id)
        ack = self.acks.pop(id, None)
        if ack is not None:
            check_ack(self.game, event, [payload], ack)
        return ack

    async def send(self, kind: int, data: Any = None, id: int | None = None) -> None:
        """A packet as a client writes it, with any JSON in it."""
        text = f"{kind}/{self.game},{'' if id is None else id}{'' if data is None else json.dumps(data)}"
        await self._harness.sio._handle_eio_message(self.engine, text)
        await self._harness.platform.bus.drain()

    async def act(self, event: str, **payload: Any) -> Any:
        """An event in the room where this player sits."""
        return await self.emit(event, {"roomId": self.room, **payload})

    async def drop(self) -> None:
        self._harness.tabs.pop(self.engine, None)
        await self._harness.sio._handle_eio_disconnect(self.engine, "transport close")
        await self._harness.settle()

    def all(self, event: str) -> list[Any]:
        return [data for name, data in self.received if name == event]

    def last(self, event: str) -> Any:
        return self.all(event)[-1]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.received]

    @property
    def room(self) -> str:
        return str(self.last("game:started")["roomId"])

    @property
    def id(self) -> str:
        return str(self.last("game:started")["playerId"])

    def take(self, packet: Any) -> None:
        kind = packet.packet_type
        if kind == EVENT:
            self.received.append(Received(*packet.data))
            kind_of_message = "received compact" if self.is_compact else "received"
            self._harness.problems += problems(self.game, kind_of_message, *packet.data)
        elif kind == ACK:
            (self.acks[packet.id],) = packet.data
        elif kind == CONNECT_ERROR:
            self.refusal = packet.data
        elif kind in (CONNECT, DISCONNECT):
            self.is_open = kind == CONNECT


class RoomHarness:
    def __init__(
        self,
        platform: Platform,
        *,
        has_guests: bool = True,
        events: int = PLENTY,
        sockets: int = PLENTY,
        guest_games: int = PLENTY,
        max_guest_games: int = PLENTY,
        budget: CpuBudget | None = None,
    ) -> None:
        self.platform = platform
        backlogs = Backlogs(PLENTY, PLENTY)
        self.budget = budget or CpuBudget(1000, 1000)
        self.sio = RecordingServer(
            [f"/{game}" for game in GAMES], backlogs, self.budget, max_sockets=PLENTY, max_events=PLENTY
        )
        self.sio.record = self._take
        self.sockets = SocketCount(sockets)
        self.guest_games = GuestGames(
            platform.tables, guest_games, max_guest_games, lambda: platform.clock.moment().at / 1000
        )
        platform.bus.subscribe(self.guest_games.on_note)
        self.gateway = RoomGateway(
            self.sio,
            platform,
            Metrics(),
            self.sockets,
            self.guest_games,
            has_guests=has_guests,
            events_per_second=events,
        )
        self._namespaces = [RoomNamespace(game, self.gateway) for game in GAMES]
        for namespace in self._namespaces:
            self.sio.register_namespace(namespace)
        self.tabs: dict[str, Tab] = {}
        self.before: Callable[[Tab, str], Awaitable[None]] | None = None
        """Called with each event before it is sent, so that something can happen in between."""
        self.drops: list[asyncio.Task[None]] = []
        """Connections that are being lost."""
        self.problems: list[str] = []
        """What was wrong with messages."""
        self._numbers = count(1)

    async def connect(
        self, token: str | None = None, game: str = "checkers", *, address: str = "192.0.2.1", **environ: str
    ) -> Tab:
        return await self.connect_with({"token": token} if token else None, game, address=address, **environ)

    async def connect_compact(self, token: str | None = None, game: str = "checkers") -> Tab:
        return await self.connect_with({"compact": True} | ({"token": token} if token else {}), game)

    async def connect_with(
        self, auth: Any, game: str = "checkers", *, address: str = "192.0.2.1", **environ: str
    ) -> Tab:
        tab = Tab(self, f"engine-{next(self._numbers)}", game)
        tab.is_compact = bool(auth and auth.get("compact"))
        self.tabs[tab.engine] = tab
        scope = {"asgi.scope": {"client": (address, 5000)}}
        self.sio.eio.sockets[tab.engine] = AsyncSocket(self.sio.eio, tab.engine)
        await self.sio._handle_eio_connect(tab.engine, environ | scope)
        await tab.send(CONNECT, auth)
        return tab

    async def settle(self) -> None:
        """Waits until those who left are gone, and the others know."""
        for namespace in self._namespaces:
            await asyncio.gather(*namespace._disconnects)
        await self.platform.bus.drain()

    async def session(self, name: str, **changes: Any) -> Ticket:
        player = {"id": name, "displayName": name.capitalize()}
        wanted = NewSession("acme", "checkers", "live", "matchmaking", (player,), "easy", True, None)
        return await self.platform.sessions.create(wanted._replace(**changes))

    async def enter(self, name: str, **changes: Any) -> Tab:
        """A player with a session who asks for a game."""
        ticket = await self.session(name, **changes)
        tab = await self.connect(ticket.token, ticket.session.game)
        await tab.emit("matchmaking:join", {"username": name})
        return tab

    async def pair(self, **changes: Any) -> tuple[Tab, Tab]:
        """Two players at one table, the one to move first in front."""
        tabs = await self.enter("ann", **changes), await self.enter("ben", **changes)
        first = tabs[0].last("game:started")["currentPlayerId"]
        one, two = sorted(tabs, key=lambda tab: tab.id != first)
        return one, two

    async def guests(self, game: str = "checkers") -> tuple[Tab, Tab]:
        tabs = await self.connect(game=game), await self.connect(game=game)
        for tab in tabs:
            await tab.emit("matchmaking:join", {"username": "Gus"})
        return tabs

    async def table(self, tab: Tab) -> Table:
        return (await self.platform.tables.load(tab.room)).table

    async def seat(self, tab: Tab) -> int:
        return next(number for number, seat in enumerate((await self.table(tab)).seats) if seat.id == tab.id)

    async def away(self, tab: Tab) -> bool:
        return (await self.table(tab)).away[await self.seat(tab)] is not None

    async def _take(self, engine: str, packet: Any) -> None:
        await asyncio.sleep(0)  # so that something else may happen in between
        tab = self.tabs.get(engine)
        if tab is None:
            return
        if self.before is not None and packet.packet_type == EVENT:
            await self.before(tab, packet.data[0])
        if engine in self.tabs:
            tab.take(packet)


@asynccontextmanager
async def open_harness(
    folder: Path, clock: FakeClock, engine_pool: EnginePool | None = None, **limits: Any
) -> AsyncIterator[RoomHarness]:
    async with open_platform(folder, clock, engine_pool) as platform:
        await platform.store.commit(PutTenant(Tenant("acme", "Acme", 0)))
        harness = RoomHarness(platform, **limits)
        yield harness
        assert not harness.problems


with_harness = run_in(open_harness)
"""Decorates a test whose first argument is a harness."""
