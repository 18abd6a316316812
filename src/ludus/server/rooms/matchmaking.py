"""Those who wait for an opponent on this process's connections."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from ludus.server.rooms import requests
from ludus.server.rooms.client import Client, Waiting
from ludus.server.rooms.requests import read
from ludus.server.rooms.seats import Answer, Seats, refuse_other
from ludus.service.lobby import Guest
from ludus.service.platform import Platform
from ludus.service.ports import Conflict, Seated
from ludus.service.ratings import START
from ludus.service.records import Session
from ludus.service.sessions import ANYBODY, Forbidden, pool_of
from ludus.service.table import Seat, SeatKind
from ludus.service.tokens import Unauthorized

PAGE: Final = "page"
"""The tenant of those who come to the page without an account."""
Emit = Callable[[Client, str, object], Awaitable[None]]


class Wish(NamedTuple):
    guest: Guest
    level: str | None
    """Of the bot that is wanted, if one is."""


class Line:
    def __init__(self, emit: Emit, platform: Platform, seats: Seats, *, has_guests: bool) -> None:
        self._emit = emit
        self._platform = platform
        self._seats = seats
        self._has_guests = has_guests
        self._waiting: dict[str, set[Client]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    async def join(self, client: Client, payload: object) -> Answer:
        wanted = read(requests.Join, payload)
        await self._let_go(client)
        if client.guest is not None or client.table is not None:
            return await self._seats.come_back(client, None)
        if client.session is None:
            return await self._place(client, self._as_guest(client, wanted))
        refuse_other(client, wanted.playerId)
        client.session = session = await self._platform.sessions.get(client.session.id)
        if wanted.sessionId not in (None, session.id):
            raise Forbidden("the token is for another session")
        if session.status != "pending":
            return await self._seats.come_back(client, None)
        return await self._place(client, await self._as_player(client, session, wanted))

    async def _let_go(self, client: Client) -> None:
        """A guest whose game is over is nobody again, and may play another."""
        if client.table is None or client.player is None or client.player.session is not None:
            return
        if (await self._platform.tables.see(client.table)).table.outcome:
            await self._seats.step_out(client)
            client.guest = client.player = None

    def _as_guest(self, client: Client, wanted: requests.Join) -> Wish:
        if not self._has_guests:
            raise Unauthorized("guests are not let in here; connect with a session's token")
        if client.player is None:
            id = str(uuid.uuid4())
            client.player = Seat(f"guest/{id}", id, wanted.username or "Guest", SeatKind.PERSON)
        has_limit = wanted.afkTimeoutEnabled is not False
        guest = Guest(client.player, client.game, "training", ANYBODY, START[0], has_limit, None)
        return Wish(guest, (wanted.botDifficulty or "medium") if wanted.wantsBot else None)

    async def _as_player(self, client: Client, session: Session, wanted: requests.Join) -> Wish:
        assert client.player is not None
        is_private = session.match_type == "private"  # friends meet however strong they are
        rating = START[0] if is_private else (await self._platform.rating_of(client.player.key, session.game)).rating
        guest = Guest(
            seat=client.player,
            game=session.game,
            mode=session.mode,
            pool=pool_of(session),
            rating=rating,
            has_afk_limit=session.has_afk_limit,
            due=None,
            is_rated=session.mode != "training",
        )
        if session.match_type == "bot":
            return Wish(guest, session.bot_level)
        wants_bot = session.match_type == "matchmaking" and wanted.wantsBot
        return Wish(guest, (wanted.botDifficulty or session.bot_level) if wants_bot else None)

    async def _place(self, client: Client, wish: Wish) -> Answer:
        """A table with a bot, a table with somebody who waits, or a place in line."""
        guest, level = wish
        if level is not None:
            self._platform.roster.player(level, guest.game)  # refuses one that is not there
            await self.stop_waiting(client)
            if client.table is not None:  # somebody came before the bot
                return {"ok": True, "roomId": client.table}
            try:
                table = await self._platform.lobby.play_bot(guest, level)
            except Conflict:  # another tab was faster
                return await self._seats.come_back(client, None)
            await self._seats.sit(client, table)
            return {"ok": True, "roomId": client.table}
        client.waiting = Waiting(guest.game, guest.pool)
        self._waiting.setdefault(guest.seat.key, set()).add(client)  # first: the pair may be made at once
        place = await self._platform.lobby.join(guest)
        if place.table is not None:
            await self.seat(Seated(guest.seat.key, place.table.id))
        if client.table is not None:
            return {"ok": True, "roomId": client.table}
        if client.is_gone:
            await self.stop_waiting(client)
        data = {"playerId": guest.seat.id, "position": place.position}
        await self._emit(client, "matchmaking:waiting", data)
        return {"ok": True, **data}

    async def leave(self, client: Client, payload: object) -> Answer:
        refuse_other(client, read(requests.Leave, payload).playerId)
        await self.stop_waiting(client)
        if client.table is not None:
            await self._emit(client, "matchmaking:already_started", {"roomId": client.table})
            return {"ok": True, "roomId": client.table}
        await self._call_off(client)
        await self._emit(client, "matchmaking:left", {})
        return {"ok": True}

    async def _call_off(self, client: Client) -> None:
        """Closes a room that a visitor of the page made for a friend, who would wait there for ever."""
        if client.session is None or client.player is None or client.player.key in self._waiting:
            return
        session = await self._platform.sessions.get(client.session.id)
        is_own = session.tenant == PAGE and session.players[0]["id"] == client.player.id
        if not is_own or session.match_type != "private" or session.status != "pending":
            return
        try:
            await self._platform.sessions.expire(session)
        except Conflict:  # the friend has just joined, or the time was over
            await self._call_off(client)

    async def stop_waiting(self, client: Client) -> None:
        """Leaves the line, unless the same player waits on another connection too or has just been seated."""
        waiting, player = client.waiting, client.player
        if waiting is None or player is None:
            return
        if self._waiting.get(player.key) == {client}:
            await self._platform.lobby.leave(*waiting, player.key)
        client.waiting = None
        others = self._waiting.get(player.key, set())
        others.discard(client)
        if not others:
            self._waiting.pop(player.key, None)

    async def seat(self, note: Seated) -> None:
        """Takes a player's connections from the line to the table."""
        clients = self._waiting.pop(note.player, set())
        table = (await self._platform.tables.see(note.table)).table
        sessions = {seat.session for seat in table.seats}
        for client in clients:
            client.waiting = None
            if client.session is None or client.session.id in sessions:
                await self._seats.sit(client, table)
            else:  # an older ticket of a player who has taken a newer one
                await self._emit(client, "matchmaking:left", {})
