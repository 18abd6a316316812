"""Takes clients into the rooms of their games, and out again."""

from __future__ import annotations

from typing import Any

from ludus.server.http.guest_games import GuestGames
from ludus.server.rooms import requests
from ludus.server.rooms.client import Client
from ludus.server.rooms.rendering import Cursor, Renderings
from ludus.server.rooms.requests import parse
from ludus.server.rooms.room import Room
from ludus.server.socketio.engine import SocketServer
from ludus.service.platform import Platform
from ludus.service.ports.bus import AdviceFound, HintFound, PhraseSaid, PresenceChanged, TableChanged
from ludus.service.privacy import may_see
from ludus.service.sessions import Expired, Forbidden, seat_at
from ludus.service.table import EventKind, SeatKind, Table
from ludus.service.tables import LoadedTable, NotFound

Ack = dict[str, Any]
ALL_PARTS = 10**9
"""A client that names no part has received the whole version."""


def refuse_other_player(client: Client, id: str | None) -> None:
    """Ids are public, so an id gives no rights: it must be the client's own."""
    if id is not None and client.id is not None and id != client.id:
        raise Forbidden("you can act for yourself only")


class Seats:
    def __init__(self, sio: SocketServer, platform: Platform, guest_games: GuestGames) -> None:
        self._sio = sio
        self._platform = platform
        self._guest_games = guest_games
        self._rooms: dict[str, Room] = {}
        self._renderings = Renderings(platform.tables)

    async def start(self, client: Client, table: Table) -> None:
        """Seats a client at a new table."""
        assert client.player is not None
        seat = seat_at(table, client.player)
        assert seat is not None
        await self._take_seat(client, table, seat)
        await self._join(client, table, None, "game:started")

    async def reconnect(self, client: Client, payload: object) -> Ack:
        request = parse(requests.Reconnect, payload)
        refuse_other_player(client, request.playerId)
        if request.version is None:
            return await self.resume(client)
        cursor = Cursor(request.version, ALL_PARTS if request.part is None else request.part)
        return await self.resume(client, cursor, request.roomId)

    async def resume(self, client: Client, since: Cursor | None = None, room: str | None = None) -> Ack:
        """Takes a client back to its game: sends the messages after `since`, if given, and the state."""
        table = await self._table_of(client)
        if room not in (None, table.id):
            since = None  # it belongs to an earlier game, of which this is the rematch
        assert client.player is not None
        seat = seat_at(table, client.player)
        if seat is None:
            raise Forbidden("this is not your game")
        if client.table not in (None, table.id):
            await self.leave_table(client)
        if client.table is None:
            await self._take_seat(client, table, seat)
        live = await self._join(client, table, since, "game:reconnected")
        if live.table.rematch is not None and not client.is_gone:  # agreed while the client was joining
            return await self.resume(client)
        if live.table.outcome and not client.is_gone:
            ended = self._room(table)  # kept: a second look-up could create a new room for a client that is lost
            if since is None:
                await ended.send_end(client)
            await self._announce_return(ended, client, live.table)
        return {"ok": True, "roomId": table.id, "version": live.table.version}

    async def _take_seat(self, client: Client, table: Table, seat: int) -> None:
        client.table, client.seat, client.player = table.id, seat, table.seats[seat]
        self._platform.bots.note_owner(table, self._platform.address_marks.mark(client.address))
        if client.is_guest:
            self._guest_games.note(table, client.address)
        try:
            await self._platform.presence.arrive(table.id, seat)
        except BaseException:  # not seated: the client may try again
            client.table = client.seat = None
            raise

    async def _join(self, client: Client, table: Table, since: Cursor | None, state_event: str) -> LoadedTable:
        """Joins the table's room, and leaves it again if the connection was lost meanwhile."""
        live = await self._room(table).join(client, since, state_event)
        if client.is_gone:
            await self.leave_all(client, is_noted=True)
            await self._leave(client, table.id)
        return live

    async def _table_of(self, client: Client) -> Table:
        """The client's game, or the latest rematch of it."""
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
        table = (await self._platform.tables.current(id)).table
        while table.rematch is not None:
            table = (await self._platform.tables.current(table.rematch)).table
        return table

    async def spectate(self, client: Client, payload: object) -> Ack:
        id = parse(requests.Spectate, payload).roomId
        table = (await self._platform.tables.current(id)).table
        own = client.player.key if client.player else None
        if table.opening.game != client.game or id == client.table or not may_see(table, own):
            raise NotFound("there is no such room to watch")
        client.watched.add(id)
        live = await self._join(client, table, None, "game:spectate:joined")
        if live.table.outcome and not client.is_gone:
            await self._room(table).send_end(client)
        return {"ok": True, "roomId": id, "version": live.table.version}

    async def _announce_departure(self, table: str, seat: int, socket: str) -> None:
        """After the end, to the other player's connections here and at other processes."""
        loaded = self._platform.tables.cached(table)
        if loaded is not None and not (loaded.table.outcome and loaded.table.rematch is None):
            return
        if room := self._rooms.get(table):
            await room.announce_departure(seat, socket)
        if not self._platform.cluster.is_sole and not await self._platform.presence.is_here(table, seat):
            await self._platform.bus.publish(PresenceChanged(table, seat, socket, is_here=False))

    async def _announce_return(self, room: Room, client: Client, table: Table) -> None:
        """After the end: the player sees whether the other one is gone; otherwise the other one sees the return."""
        seat = client.seat
        if seat is None or client.table != table.id:
            return
        other = 1 - seat
        if table.seats[other].kind == SeatKind.PERSON and not await self._platform.presence.is_here(table.id, other):
            await room.show_absence(client)
        elif room.is_only_client(client):
            await room.announce_return(seat)
            if not self._platform.cluster.is_sole:
                await self._platform.bus.publish(PresenceChanged(table.id, seat, client.sid, is_here=True))

    async def show_presence(self, note: PresenceChanged) -> None:
        """What another process has seen at a finished table; our own clients know already."""
        room = self._rooms.get(note.table)
        if room is None or room.clients_at(note.seat):
            return
        if note.is_here:
            await room.announce_return(note.seat)
        else:
            await room.announce_departure(note.seat, note.socket)

    async def show_phrase(self, note: PhraseSaid) -> None:
        if room := self._rooms.get(note.table):
            await room.show_phrase(note.seat, note.phrase)

    async def show_hint(self, note: HintFound) -> None:
        if room := self._rooms.get(note.table):
            await room.show_hint(note)

    async def show_advice(self, note: AdviceFound) -> None:
        if room := self._rooms.get(note.table):
            await room.show_advice(note)

    async def redact(self, table: str) -> None:
        """A player of the finished table has been deleted."""
        if room := self._rooms.get(table):
            await room.redact()

    async def leave_table(self, client: Client, *, is_noted: bool = True) -> None:
        """Unless `is_noted` is false, the player counts as away from now on."""
        if client.table is None or client.seat is None:
            return
        table, seat = client.table, client.seat
        client.table = client.seat = None
        await self._leave(client, table)
        if is_noted:
            await self._platform.presence.depart(table, seat, client.sid)
            await self._announce_departure(table, seat, client.sid)

    async def leave_all(self, client: Client, *, is_noted: bool) -> None:
        for id in list(client.watched):
            await self._leave(client, id)
        await self.leave_table(client, is_noted=is_noted)

    def spectators(self, id: str) -> int:
        """Number of connections that watch a room without playing in it."""
        room = self._rooms.get(id)
        return sum(client.table != id for client in room.clients) if room else 0

    def is_concerned(self, note: TableChanged) -> bool:
        """Whether anybody here shows the table."""
        return note.table in self._rooms

    async def broadcast(self, note: TableChanged) -> None:
        room = self._rooms.get(note.table)
        if room is None:
            return
        for event in await room.broadcast():
            if event.kind == EventKind.REMATCHED:
                await self._start_rematch(room, event.data["table"])

    async def _start_rematch(self, room: Room, id: str) -> None:
        """Moves the players who are still in the room to the new table; the others count as away there."""
        table = (await self._platform.tables.load(id)).table
        for client in [client for client in room.clients if client.table == room.id]:
            await self.leave_table(client)
            await self.start(client, table)
        await self._platform.presence.reconcile(id)

    def _room(self, table: Table) -> Room:
        room = self._rooms.get(table.id)
        if room is None:
            room = self._rooms[table.id] = Room(self._sio, self._platform.tables, self._renderings, table)
        return room

    async def _leave(self, client: Client, id: str) -> None:
        room = self._rooms.get(id)
        if room is not None:
            room.leave(client)
            if room.is_empty:
                self._rooms.pop(id, None)
