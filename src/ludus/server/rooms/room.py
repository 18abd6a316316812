"""The clients of one table in this process; each gets every message once and in order."""

from __future__ import annotations

import asyncio
from asyncio import sleep
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ludus.server.rooms.messages import Forms, Message, render_advice, render_departure, render_hint, render_return
from ludus.server.rooms.rendering import Cursor, Rendering, Renderings
from ludus.server.socketio.engine import SocketServer
from ludus.service.game_clock import clock_now
from ludus.service.ports.bus import AdviceFound, HintFound
from ludus.service.presence import QUIET
from ludus.service.records import Event
from ludus.service.table import EventKind, Table
from ludus.service.tables import LoadedTable, Tables

if TYPE_CHECKING:
    from ludus.server.rooms.client import Client


START = Cursor(0, 0)
AT_THE_END = ("game:over", "game:rematch:offered")
DEPARTURE = ("player:disconnected",)


class Room:
    def __init__(self, sio: SocketServer, tables: Tables, renderings: Renderings, table: Table) -> None:
        self._sio = sio
        self._tables = tables
        self._renderings = renderings
        self._version = table.version
        """Of the last event whose messages were sent; only clients that join may need earlier ones."""
        self._for_players: Rendering | None = None
        self._for_spectators: Rendering | None = None
        """They see no person's name, and no id of an app's. Both only while there is anyone to see them."""
        self._lock = asyncio.Lock()
        self.id = table.id
        self.namespace = f"/{table.opening.game}"
        self.clients: set[Client] = set()
        self._joining = 0
        self._broadcast: list[Event] = []
        """Events whose messages were sent, but that `broadcast` has not returned yet."""
        self._quiet: dict[int, asyncio.Task[None]] = {}
        """Seats whose player has left or returned just now, after the end."""
        self._departures: dict[int, Message] = {}
        """Messages held back until a seat is no longer quiet."""

    @property
    def is_empty(self) -> bool:
        return not self.clients and not self._joining

    async def broadcast(self) -> list[Event]:
        """Sends the messages of new events, and returns those events. Each event is returned once."""
        async with self._lock:
            await self._catch_up()
            events, self._broadcast = self._broadcast, []
            return events

    async def join(self, client: Client, since: Cursor | None, state_event: str) -> LoadedTable:
        """Adds a client: it gets the messages after `since`, then the state as `state_event`."""
        self._joining += 1
        try:
            async with self._lock:
                return await self._join(client, since, state_event)
        finally:
            self._joining -= 1

    async def _join(self, client: Client, since: Cursor | None, state_event: str) -> LoadedTable:
        live = await self._catch_up()
        is_player = client.table == self.id
        rendering = self._rendering(live, is_public=not is_player)
        if since is not None and client not in self.clients:  # a client in the room has missed nothing
            for message in rendering.after(since, live, is_compact=client.is_compact):
                await self._send(message, client)
        await self._send_state(rendering, client, live.table, state_event)
        if since is None and self._version == 1:  # the first turn may open with a roll, like any other
            for message in rendering.after(START, live, is_compact=client.is_compact):
                await self._send(message, client)
        elif state_event == "game:started" and client.seat is not None and live.table.away[1 - client.seat] is not None:
            for message in rendering.of_kinds(DEPARTURE, live)[-1:]:  # they left before this one came
                await self._send(message, client)
        if not client.is_gone:
            self.clients.add(client)
        self._renderings.keep(rendering)
        return live

    async def send_end(self, client: Client) -> None:
        """Tells a client that comes after the end how the game ended, and who offered a rematch."""
        live = await self._tables.load(self.id)
        rendering = self._rendering(live, is_public=client.table != self.id)
        for message in rendering.of_kinds(AT_THE_END, live):
            await self._send(message, client)
        self._renderings.keep(rendering)

    async def announce_departure(self, seat: int, socket: str) -> None:
        """After the end, tells the other player that this one has left; not stored in the table."""
        async with self._lock:
            await self._catch_up()
            table = (await self._tables.load(self.id)).table
            if table.outcome and table.rematch is None and not self.clients_at(seat):
                await self._announce_departure(seat, render_departure(table, seat, socket))

    async def show_absence(self, client: Client) -> None:
        """After the end, tells a returning player that the other one is gone."""
        async with self._lock:
            table = (await self._tables.load(self.id)).table
            if client.seat is not None and client.table == self.id and table.rematch is None:
                await self._send(render_departure(table, 1 - client.seat, ""), client)

    async def announce_return(self, seat: int) -> None:
        """After the end, tells the other player that this one is back."""
        async with self._lock:
            table = (await self._tables.load(self.id)).table
            if table.rematch is None and self._departures.pop(seat, None) is None:
                await self._announce(seat, render_return(table, seat))

    async def show_phrase(self, seat: int, phrase: str) -> None:
        """To both players, on all their connections."""
        async with self._lock:
            table = (await self._tables.load(self.id)).table
            data = {"roomId": self.id, "playerId": table.seats[seat].id, "phrase": phrase}
            await self._send(Message("game:phrase:said", data), *self.clients_at(0), *self.clients_at(1))

    async def show_hint(self, found: HintFound) -> None:
        """To the player who asked, unless the game has gone on."""
        async with self._lock:
            table = (await self._catch_up()).table
            if table.version == found.version:
                await self._send(render_hint(table, found.move), *self.clients_at(found.seat))

    async def show_advice(self, found: AdviceFound) -> None:
        """As hints."""
        async with self._lock:
            table = (await self._catch_up()).table
            if table.version == found.version:
                await self._send(render_advice(table, found), *self.clients_at(found.seat))

    def is_only_client(self, client: Client) -> bool:
        """Whether it is the player's only connection to this room."""
        return client.seat is not None and self.clients_at(client.seat) == [client]

    async def _announce_departure(self, seat: int, message: Message) -> None:
        """Held back if the player has just left and returned; dropped if the player returns again meanwhile."""
        if seat in self._quiet:
            self._departures[seat] = message
        else:
            await self._announce(seat, message)

    async def _announce(self, seat: int, message: Message) -> None:
        await self._send(message, *self.clients_at(1 - seat))
        if seat not in self._quiet:
            self._quiet[seat] = asyncio.create_task(self._end_quiet(seat))

    async def _end_quiet(self, seat: int) -> None:
        await sleep(QUIET / 1000)
        async with self._lock:
            del self._quiet[seat]
            if seat in self._departures:
                await self._announce(seat, self._departures.pop(seat))

    async def redact(self) -> None:
        """Renders everything again: the names and ids of the players have changed."""
        async with self._lock:
            self._for_players = self._for_spectators = None

    def leave(self, client: Client) -> None:
        self.clients.discard(client)

    async def _catch_up(self) -> LoadedTable:
        """Sends what has happened since, in the order of the events."""
        live = await self._tables.load(self.id)
        for event in live.events[self._version : live.table.version]:
            self._broadcast.append(event)
            for rendering, clients in self._audiences(live):
                forms = Forms(not all(each.is_compact for each in clients), any(each.is_compact for each in clients))
                for message in rendering.render(event, live.table, forms):
                    await self._send(message, *clients)
            self._version = event.version
            if event.kind == EventKind.RETURNED:
                await self._send_states(live)
        return live

    def _audiences(self, live: LoadedTable) -> Iterator[tuple[Rendering, list[Client]]]:
        """Those who are here, each with a rendering that has followed the table as far as the room."""
        players = [client for client in self.clients if client.table == self.id]
        if players:
            yield self._rendering(live, is_public=False), players
        if len(players) < len(self.clients):
            spectators = [client for client in self.clients if client.table != self.id]
            yield self._rendering(live, is_public=True), spectators

    def _rendering(self, live: LoadedTable, *, is_public: bool) -> Rendering:
        rendering = self._for_spectators if is_public else self._for_players
        if rendering is None or rendering.version > self._version or not rendering.is_of(live.table):
            rendering = self._renderings.get(live.table, is_public=is_public)
            if is_public:
                self._for_spectators = rendering
            else:
                self._for_players = rendering
        rendering.catch_up(live, self._version)
        return rendering

    async def _send_states(self, live: LoadedTable) -> None:
        """Both players get the whole state when one of them has returned, unless they asked for less."""
        players = [client for client in self.clients if client.table == self.id and not client.is_compact]
        if players:
            rendering = self._rendering(live, is_public=False)
            for client in players:
                await self._send_state(rendering, client, live.table, "game:reconnected")

    async def _send_state(self, rendering: Rendering, client: Client, table: Table, event: str) -> None:
        """The whole state, with the client's own fields."""
        own = client.private_fields(table) | clock_now(table, self._tables.uptime())
        await self._send(Message(event, rendering.state(table, own)), client)

    def clients_at(self, seat: int) -> list[Client]:
        return [client for client in self.clients if client.table == self.id and client.seat == seat]

    async def _send(self, message: Message, *clients: Client) -> None:
        """Each form of the message is encoded once."""
        if message.compact is None:
            await self._send_form(message.event, message.data, clients)
            return
        for is_compact, data in ((False, message.data), (True, message.compact)):
            await self._send_form(message.event, data, [each for each in clients if each.is_compact is is_compact])

    async def _send_form(self, event: str, data: object, clients: Sequence[Client]) -> None:
        if clients:
            engines = [client.engine for client in clients]
            await self._sio.send_event(engines, self.namespace, event, data)
