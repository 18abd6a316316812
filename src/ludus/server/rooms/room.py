"""A table as this process shows it: everybody in it gets every message once and in order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import socketio

from ludus.server.rooms.messages import Message, Story, back, gone
from ludus.service.records import Event
from ludus.service.table import EventKind, SeatKind, Table
from ludus.service.tables import Live, Tables

if TYPE_CHECKING:
    from ludus.server.rooms.client import Client


class Room:
    def __init__(self, sio: socketio.AsyncServer, tables: Tables, table: Table) -> None:
        self._sio = sio
        self._tables = tables
        self._story = Story(table)
        self._lock = asyncio.Lock()
        self.id = table.id
        self.namespace = f"/{table.opening.game}"
        self.clients: set[Client] = set()
        self._entering = 0
        self._news: list[Event] = []
        """What has been sent and not yet been returned by `show_news`."""

    @property
    def is_empty(self) -> bool:
        return not self.clients and not self._entering

    async def show_news(self) -> list[Event]:
        """Sends what has happened since the last time; returns the events, each once."""
        async with self._lock:
            await self._catch_up()
            news, self._news = self._news, []
            return news

    async def add(self, client: Client, seen: tuple[int, int] | None, *messages: str) -> Live:
        """Lets a client in between two messages: first what it missed since `seen`, then the state as `messages`."""
        self._entering += 1
        try:
            async with self._lock:
                return await self._let_in(client, seen, messages)
        finally:
            self._entering -= 1

    async def _let_in(self, client: Client, seen: tuple[int, int] | None, messages: tuple[str, ...]) -> Live:
        await self._catch_up()
        live = await self._tables.see(self.id)
        if seen is not None and client not in self.clients:  # whoever is in the room has missed nothing
            for message in self._missed(live, *seen):
                await self._send(message, client.sid)
        for event in messages:
            await self._send(Message(event, self.state_for(client, live.table)), client.sid)
        if seen is None and self._story.version == 1:  # the first turn opens as every turn does, with its dice
            for message in self._missed(live, 0, 0):
                await self._send(message, client.sid)
        if not client.is_gone:
            self.clients.add(client)
            await self._sio.enter_room(client.sid, self.id, namespace=self.namespace)
        return live

    async def repeat_end(self, client: Client) -> None:
        """Tells a client that comes after the end how it ended, and who would play again."""
        live = await self._tables.see(self.id)
        for message in self._missed(live, 0, 0):
            if message.event in ("game:over", "game:rematch:offered"):
                await self._send(message, client.sid)

    async def miss(self, seat: int, socket: str) -> None:
        """Tells the player who stays after the end that the other is gone; the table does not remember it."""
        async with self._lock:
            await self._catch_up()
            table = (await self._tables.see(self.id)).table
            if table.outcome and table.rematch is None and not self._at(seat):
                await self._tell(self._at(1 - seat), gone(table, seat, socket))

    async def welcome(self, client: Client) -> None:
        """Tells a player who comes after the end whether the other is there, and the other that this one is."""
        async with self._lock:
            table = (await self._tables.see(self.id)).table
            if client.seat is None or client.table != self.id or table.rematch is not None:
                return
            other = 1 - client.seat
            if not self._at(other) and table.seats[other].kind == SeatKind.PERSON:
                await self._tell([client], gone(table, other, ""))
            elif self._at(client.seat) == [client]:
                await self._tell(self._at(other), back(table, client.seat))

    async def remove(self, client: Client) -> None:
        self.clients.discard(client)
        await self._sio.leave_room(client.sid, self.id, namespace=self.namespace)

    def state_for(self, client: Client, table: Table) -> dict[str, Any]:
        """The whole state, as the client's own copy."""
        state = self._story.state(table) | {"moveHistory": self._story.history()}
        return state | client.own_part(table)

    async def _catch_up(self) -> None:
        live = await self._tables.see(self.id)
        for event in live.events[self._story.version : live.table.version]:
            self._news.append(event)
            for message in self._story.tell(event, live.table):
                await self._send(message, self.id)
            if event.kind == EventKind.RETURNED:
                await self._show_state(live.table)

    async def _show_state(self, table: Table) -> None:
        """Somebody is back: both players see where the game stands."""
        for client in list(self.clients):
            if client.table == self.id:
                await self._send(Message("game:reconnected", self.state_for(client, table)), client.sid)

    def _missed(self, live: Live, version: int, part: int) -> list[Message]:
        """What came after that part of that version."""
        story = Story(live.table)
        told = [message for event in live.events[: self._story.version] for message in story.tell(event, live.table)]
        return [message for message in told if (message.data["version"], message.data["part"]) > (version, part)]

    def _at(self, seat: int) -> list[Client]:
        """The connections of the player who sits there."""
        return [client for client in self.clients if client.table == self.id and client.seat == seat]

    async def _tell(self, clients: list[Client], message: Message) -> None:
        for client in clients:
            await self._send(message, client.sid)

    async def _send(self, message: Message, to: str) -> None:
        await self._sio.emit(message.event, message.data, to=to, namespace=self.namespace)
