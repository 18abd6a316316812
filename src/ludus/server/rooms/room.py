"""The clients of one table in this process; each gets every message once and in order."""

from __future__ import annotations

import asyncio
from asyncio import sleep
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.server.rooms.messages import Message, MessageRenderer, render_departure, render_return
from ludus.server.socketio.engine import SocketServer
from ludus.service.presence import QUIET
from ludus.service.public import public_seats
from ludus.service.records import Event
from ludus.service.table import EventKind, SeatKind, Table
from ludus.service.tables import LoadedTable, Tables

if TYPE_CHECKING:
    from ludus.server.rooms.client import Client


class Cursor(NamedTuple):
    """The last message a client received."""

    version: int
    part: int


START = Cursor(0, 0)
AT_THE_END = ("game:over", "game:rematch:offered")


class Room:
    def __init__(self, sio: SocketServer, tables: Tables, table: Table) -> None:
        self._sio = sio
        self._tables = tables
        self._renderer = MessageRenderer(table)
        self._public_renderer: MessageRenderer | None = None
        """For spectators, while there are any: they see no person's name, and no id of an app's."""
        self._lock = asyncio.Lock()
        self.id = table.id
        self._spectators = f"{table.id}/spectators"
        self.namespace = f"/{table.opening.game}"
        self.clients: set[Client] = set()
        self._joining = 0
        self._broadcast: list[Event] = []
        """Events whose messages were sent, but that `broadcast` has not returned yet."""
        self._quiet: dict[int, asyncio.Task[None]] = {}
        """Seats whose player has left or returned just now, after the end."""
        self._departures: dict[int, Message] = {}
        """What the other player is told when it is no longer so quiet."""

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
        await self._catch_up()
        live = await self._tables.load(self.id)
        is_player = client.table == self.id
        if not is_player and self._public_renderer is None:
            self._public_renderer = self._rendered(live, is_public=True)
        if since is not None and client not in self.clients:  # a client in the room has missed nothing
            for message in self._messages_after(since, live, client):
                await self._send(message, client.sid)
        await self._send(Message(state_event, self.serialize(client, live.table)), client.sid)
        if since is None and self._renderer.version == 1:  # the first turn may open with a roll, like any other
            for message in self._messages_after(START, live, client):
                await self._send(message, client.sid)
        if not client.is_gone:
            self.clients.add(client)
            if is_player:  # may have been a spectator before
                await self._sio.leave_room(client.sid, self._spectators, namespace=self.namespace)
            room = self.id if is_player else self._spectators
            await self._sio.enter_room(client.sid, room, namespace=self.namespace)
        return live

    async def send_end(self, client: Client) -> None:
        """Tells a client that comes after the end how the game ended, and who offered a rematch."""
        live = await self._tables.load(self.id)
        for message in self._messages_after(START, live, client):
            if message.event in AT_THE_END:
                await self._send(message, client.sid)

    async def announce_departure(self, seat: int, socket: str) -> None:
        """After the end, tells the other player that this one has left; not stored in the table."""
        async with self._lock:
            await self._catch_up()
            table = (await self._tables.load(self.id)).table
            if table.outcome and table.rematch is None and not self._clients_at(seat):
                await self._announce_departure(seat, render_departure(table, seat, socket))

    async def announce_return(self, client: Client) -> None:
        """After the end, tells a returning player if the other one is gone, and otherwise the other one."""
        async with self._lock:
            table = (await self._tables.load(self.id)).table
            if client.seat is None or client.table != self.id or table.rematch is not None:
                return
            other = 1 - client.seat
            if not self._clients_at(other) and table.seats[other].kind == SeatKind.PERSON:
                await self._send(render_departure(table, other, ""), client.sid)
            elif self._clients_at(client.seat) == [client] and self._departures.pop(client.seat, None) is None:
                await self._announce(client.seat, render_return(table, client.seat))

    async def _announce_departure(self, seat: int, message: Message) -> None:
        """If the player has just left and returned, the other one is told a little later, unless this one returns."""
        if seat in self._quiet:
            self._departures[seat] = message
        else:
            await self._announce(seat, message)

    async def _announce(self, seat: int, message: Message) -> None:
        await self._send_all(message, self._clients_at(1 - seat))
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
            live = await self._tables.load(self.id)
            self._renderer = self._rendered(live, is_public=False)
            if self._public_renderer is not None:
                self._public_renderer = self._rendered(live, is_public=True)

    async def leave(self, client: Client) -> None:
        self.clients.discard(client)
        for room in (self.id, self._spectators):
            await self._sio.leave_room(client.sid, room, namespace=self.namespace)

    def serialize(self, client: Client, table: Table) -> dict[str, Any]:
        """The whole state, with the client's private fields."""
        renderer = self._renderer if client.table == self.id else self._public_renderer
        assert renderer is not None
        state = renderer.state(table) | {"moveHistory": renderer.history()}
        return state | client.private_fields(table)

    async def _catch_up(self) -> None:
        if all(client.table == self.id for client in self.clients):
            self._public_renderer = None
        live = await self._tables.load(self.id)
        for event in live.events[self._renderer.version : live.table.version]:
            self._broadcast.append(event)
            for message in self._renderer.render(event, live.table):
                await self._send(message, self.id)
            if self._public_renderer is not None:
                for message in self._public_renderer.render(event, live.table):
                    await self._send(message, self._spectators)
            if event.kind == EventKind.RETURNED:
                await self._send_state(live.table)

    async def _send_state(self, table: Table) -> None:
        """Both players get the whole state when one of them has returned."""
        for client in list(self.clients):
            if client.table == self.id:
                await self._send(Message("game:reconnected", self.serialize(client, table)), client.sid)

    def _rendered(self, live: LoadedTable, *, is_public: bool) -> MessageRenderer:
        """A renderer that has rendered what was sent to the room so far."""
        renderer = self._new_renderer(live, is_public=is_public)
        for event in live.events[: self._renderer.version]:
            renderer.render(event, live.table)
        return renderer

    def _new_renderer(self, live: LoadedTable, *, is_public: bool) -> MessageRenderer:
        return MessageRenderer(live.table, public_seats(live.table) if is_public else None)

    def _messages_after(self, cursor: Cursor, live: LoadedTable, client: Client) -> list[Message]:
        """Of those sent to the room so far, as the client may see them."""
        renderer = self._new_renderer(live, is_public=client.table != self.id)
        events = live.events[: self._renderer.version]
        messages = [message for event in events for message in renderer.render(event, live.table)]
        return [message for message in messages if (message.data["version"], message.data["part"]) > cursor]

    def _clients_at(self, seat: int) -> list[Client]:
        return [client for client in self.clients if client.table == self.id and client.seat == seat]

    async def _send_all(self, message: Message, clients: list[Client]) -> None:
        for client in clients:
            await self._send(message, client.sid)

    async def _send(self, message: Message, to: str) -> None:
        await self._sio.emit(message.event, message.data, to=to, namespace=self.namespace)
