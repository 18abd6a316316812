"""Who sits where: takes clients to the rooms of their games, and out again."""

from __future__ import annotations

from typing import Any

import socketio

from ludus.server.rooms import requests
from ludus.server.rooms.client import Client
from ludus.server.rooms.requests import read
from ludus.server.rooms.room import Room
from ludus.service.platform import Platform
from ludus.service.ports import TableMoved
from ludus.service.sessions import Expired, Forbidden
from ludus.service.table import EventKind, Table
from ludus.service.tables import Live, NotFound

Answer = dict[str, Any]
ALL_PARTS = 10**9
"""The last part of a version that a client names without one."""


def refuse_other(client: Client, id: str | None) -> None:
    """An id alone opens nothing: it must be the socket's own."""
    if id is not None and client.id is not None and id != client.id:
        raise Forbidden("you can act for yourself only")


class Seats:
    def __init__(self, sio: socketio.AsyncServer, platform: Platform) -> None:
        self._sio = sio
        self._platform = platform
        self._rooms: dict[str, Room] = {}

    async def sit(self, client: Client, table: Table) -> None:
        """Seats a client at a table that has just opened."""
        assert client.player is not None
        seat = table.seat_of(client.player.key)
        assert seat is not None
        await self._take_seat(client, table, seat)
        await self._enter(client, table, None, "game:started")

    async def reconnect(self, client: Client, payload: object) -> Answer:
        wanted = read(requests.Reconnect, payload)
        refuse_other(client, wanted.playerId)
        if wanted.version is None:
            return await self.come_back(client, None)
        seen = (wanted.version, ALL_PARTS if wanted.part is None else wanted.part)
        return await self.come_back(client, seen, wanted.roomId)

    async def come_back(self, client: Client, seen: tuple[int, int] | None, room: str | None = None) -> Answer:
        """Takes a client to its game: what it missed, where it says what it saw, and the state."""
        table = await self._table_of(client)
        if room not in (None, table.id):
            seen = None  # it saw another game, of which this is the rematch
        assert client.player is not None
        seat = table.seat_of(client.player.key)
        if seat is None:
            raise Forbidden("this is not your game")
        if client.table not in (None, table.id):
            await self.step_out(client)
        if client.table is None:
            await self._take_seat(client, table, seat)
        live = await self._enter(client, table, seen, "game:reconnected")
        if live.table.rematch is not None and not client.is_gone:  # agreed on while the client came in
            return await self.come_back(client, None)
        if live.table.outcome and not client.is_gone:
            room_after = self._room(table)  # held: asked for twice, it might be made anew for a client that is lost
            if seen is None:
                await room_after.repeat_end(client)
            await room_after.welcome(client)
        return {"ok": True, "roomId": table.id, "version": live.table.version}

    async def _take_seat(self, client: Client, table: Table, seat: int) -> None:
        client.table, client.seat, client.player = table.id, seat, table.seats[seat]
        await self._platform.presence.arrive(table.id, seat)

    async def _enter(self, client: Client, table: Table, seen: tuple[int, int] | None, message: str) -> Live:
        """Lets a client into a table's room, and out again if its connection was lost on the way."""
        live = await self._room(table).add(client, seen, message)
        if client.is_gone:
            await self.leave_all(client, is_noted=True)
            await self._leave(client, table.id)
        return live

    async def _table_of(self, client: Client) -> Table:
        """The client's game: that of the token, or the last rematch that followed it."""
        id = client.table
        if id is None and client.guest is not None:
            id = client.guest.table
        if id is None and client.session is not None:
            client.session = await self._platform.sessions.get(client.session.id)
            id = client.session.table
            if id is None and client.session.status == "ended":
                raise Expired("the session has expired; create a new one")
        if id is None:
            raise NotFound("there is no game to come back to")
        table = (await self._platform.tables.see(id)).table
        while table.rematch is not None:
            table = (await self._platform.tables.see(table.rematch)).table
        return table

    async def watch(self, client: Client, payload: object) -> Answer:
        id = read(requests.Spectate, payload).roomId
        table = (await self._platform.tables.see(id)).table
        if table.opening.game != client.game or id == client.table:
            raise NotFound("there is no such room to watch")
        client.watched.add(id)
        live = await self._enter(client, table, None, "game:spectate:joined")
        if live.table.outcome and not client.is_gone:
            await self._room(table).repeat_end(client)
        return {"ok": True, "roomId": id, "version": live.table.version}

    async def step_out(self, client: Client, *, is_noted: bool = True) -> None:
        """Leaves the table; the platform notes it unless it is closing."""
        if client.table is None or client.seat is None:
            return
        table, seat = client.table, client.seat
        client.table = client.seat = None
        await self._leave(client, table)
        if is_noted:
            await self._platform.presence.depart(table, seat, client.sid)
            if room := self._rooms.get(table):
                await room.miss(seat, client.sid)

    async def leave_all(self, client: Client, *, is_noted: bool) -> None:
        for id in list(client.watched):
            await self._leave(client, id)
        await self.step_out(client, is_noted=is_noted)

    def spectators(self, id: str) -> int:
        """How many connections watch a room without playing in it."""
        room = self._rooms.get(id)
        return sum(client.table != id for client in room.clients) if room else 0

    async def show_news(self, note: TableMoved) -> None:
        room = self._rooms.get(note.table)
        if room is None:
            return
        for event in await room.show_news():
            if event.kind == EventKind.REMATCHED:
                await self._seat_again(room, event.data["table"])

    async def _seat_again(self, room: Room, id: str) -> None:
        """Takes the players who are still in the room to the rematch; the others are missed there."""
        table = (await self._platform.tables.see(id)).table
        for client in [client for client in room.clients if client.table == room.id]:
            await self.step_out(client)
            await self.sit(client, table)
        await self._platform.presence.note_absent(id)

    def _room(self, table: Table) -> Room:
        room = self._rooms.get(table.id)
        if room is None:
            room = self._rooms[table.id] = Room(self._sio, self._platform.tables, table)
        return room

    async def _leave(self, client: Client, id: str) -> None:
        room = self._rooms.get(id)
        if room is not None:
            await room.remove(client)
            if room.is_empty:
                self._rooms.pop(id, None)
