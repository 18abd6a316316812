"""Matchmaking: this process's clients that wait for an opponent."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import nullcontext
from typing import Final
from weakref import WeakValueDictionary

from ludus.server.http.guest_games import GuestGames
from ludus.server.rooms import requests
from ludus.server.rooms.client import Client, Queue
from ludus.server.rooms.requests import parse
from ludus.server.rooms.seats import Ack, Seats, refuse_other_player
from ludus.service.lobby import Seeker, pool_for
from ludus.service.platform import Platform
from ludus.service.ports.bus import PlayerSeated
from ludus.service.ports.store import Conflict
from ludus.service.ratings import START
from ludus.service.records import Session
from ludus.service.sessions import PAGE_TENANT, TRAINING_POOL, Forbidden, pool_of
from ludus.service.table import Seat, SeatKind
from ludus.service.tokens import Claims, Unauthorized

DEFAULT_LEVEL: Final = "medium"
Emit = Callable[[Client, str, object], Awaitable[None]]


class Matchmaking:
    def __init__(
        self, emit: Emit, platform: Platform, seats: Seats, guest_games: GuestGames, *, has_guests: bool
    ) -> None:
        self._emit = emit
        self._platform = platform
        self._seats = seats
        self._guest_games = guest_games
        self._has_guests = has_guests
        self._waiting: dict[str, set[Client]] = {}
        """By player; a player may have several connections."""
        self._queued: dict[str, Seeker] = {}
        """Those of them whose entry is known to be stored, with what they asked for."""
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By player; held while connections are taken to a table."""
        platform.lobby.is_waiting = self._waiting.__contains__
        platform.lobby.waiting = self._by_queue
        platform.lobby.requeue = self.requeue

    def __len__(self) -> int:
        return len(self._waiting)

    async def join(self, client: Client, payload: object) -> Ack:
        request = parse(requests.Join, payload)
        if request.botDifficulty is not None:
            self._platform.roster.player(request.botDifficulty, client.game)  # refuses an unknown level
        await self._forget_ended_game(client)
        if client.guest is not None or client.table is not None:
            return await self._seats.resume(client)
        if client.session is None:
            return await self._join_as_guest(client, request)
        refuse_other_player(client, request.playerId)
        client.session = session = await self._platform.sessions.get(client.session.id)
        if request.sessionId not in (None, session.id):
            raise Forbidden("the token is for another session")
        if session.status != "pending":
            return await self._seats.resume(client)
        return await self._join_with_session(client, session, request)

    async def _forget_ended_game(self, client: Client) -> None:
        """A guest whose game is over may play another, as a new guest."""
        if client.table is None or client.player is None or client.player.session is not None:
            return
        if (await self._platform.tables.load(client.table)).table.outcome:
            await self._seats.leave_table(client)
            client.guest = client.player = None

    async def _join_as_guest(self, client: Client, request: requests.Join) -> Ack:
        if not self._has_guests:
            raise Unauthorized("this server does not accept guests; connect with a session's token")
        if client.player is None:
            id = str(uuid.uuid4())
            client.player = Seat(f"guest/{id}", id, request.username or "Guest", SeatKind.PERSON)
        has_limit, variant = request.afkTimeoutEnabled is not False, request.variant(client.game)
        pool = pool_for(TRAINING_POOL, None, variant)
        guest = Seeker(client.player, client.game, "training", pool, START[0], has_limit, None, variant=variant)
        level = (request.botDifficulty or DEFAULT_LEVEL) if request.wantsBot else None
        is_counted = client.queue is not None and level is None
        with nullcontext() if is_counted else self._guest_games.starting(client.address):
            return await self._place(client, guest, level)

    async def _join_with_session(self, client: Client, session: Session, request: requests.Join) -> Ack:
        assert client.player is not None
        if client.queue is None:  # else the player waits already
            self._platform.sessions.refuse_to_start(session, client.claims)
        is_private = session.match_type == "private"  # friends meet whatever their ratings
        is_limit_refused = request.afkTimeoutEnabled is False
        rating = START[0] if is_private else (await self._platform.rating_of(client.player.key, session.game)).rating
        level = None
        if session.match_type == "bot":
            level = session.bot_level or request.botDifficulty or DEFAULT_LEVEL
        elif session.match_type == "matchmaking" and request.wantsBot:
            level = request.botDifficulty or session.bot_level or DEFAULT_LEVEL
        is_rated = session.mode != "training" and not (session.tenant == PAGE_TENANT and level)
        if is_rated and session.tenant == PAGE_TENANT:
            await self._platform.address_marks.note(client.player.key, client.address)
        guest = Seeker(
            seat=client.player,
            game=session.game,
            mode=session.mode,
            pool=pool_of(session),
            rating=rating,
            has_afk_limit=session.has_afk_limit and not (session.is_afk_limit_optional and is_limit_refused),
            due=None,
            is_rated=is_rated,
            time_control=session.time_control,
            opponent=session.opponent,
            is_public=session.is_public,
            variant=session.variant,
        )
        other = self._absent_friend(session, client.player)
        return await (self._open_room(client, guest, other) if other else self._place(client, guest, level))

    def _absent_friend(self, session: Session, player: Seat) -> Seat | None:
        """The other player of a room on our page in which the players need not be there at the same time."""
        is_page = session.tenant == PAGE_TENANT and session.match_type == "private"
        if not is_page or session.time_control is None or session.time_control.needs_presence:
            return None
        others = [each["id"] for each in session.players if each["id"] != player.id]
        return self._platform.sessions.seat(session, Claims(session.id, others[0], 0)) if others else None

    async def _open_room(self, client: Client, guest: Seeker, other: Seat) -> Ack:
        try:
            table = await self._platform.lobby.open_room(guest, other)
        except Conflict:  # the other player, or another connection, was faster
            return await self._seats.resume(client)
        await self.start(PlayerSeated(other.key, table.id))  # first: a player who waits here is not away
        if client.table is None:
            await self._seats.start(client, table)
        await self._platform.presence.reconcile(table.id)
        return {"ok": True, "roomId": table.id}

    async def _place(self, client: Client, guest: Seeker, bot_level: str | None) -> Ack:
        """A table against a bot, if a level is given; else one against a waiting player, or a place in the queue."""
        if bot_level is not None:
            return await self._play_bot(client, guest, bot_level)
        client.queue = Queue(guest.game, guest.pool)
        self._waiting.setdefault(guest.seat.key, set()).add(client)  # first: a pair may be found at once
        place = await self._platform.lobby.join(guest)
        if place.table is not None:
            await self.start(PlayerSeated(guest.seat.key, place.table.id))
        await self._until_seated(guest.seat.key)
        if client.table is not None:
            return {"ok": True, "roomId": client.table}
        if client.is_gone:
            await self.stop_waiting(client, is_lost=True)
        else:
            self._queued[guest.seat.key] = guest
        data = {"playerId": guest.seat.id, "position": place.position}
        await self._emit(client, "matchmaking:waiting", data)
        return {"ok": True, **data}

    async def _play_bot(self, client: Client, guest: Seeker, level: str) -> Ack:
        self._platform.roster.player(level, guest.game, guest.variant)  # refuses an unknown level
        await self.stop_waiting(client)
        if client.table is not None:  # an opponent was found in the meantime
            return {"ok": True, "roomId": client.table}
        try:
            table = await self._platform.lobby.play_bot(guest, level)
        except Conflict:  # another connection of the same player was faster
            return await self._seats.resume(client)
        await self._seats.start(client, table)
        return {"ok": True, "roomId": client.table}

    async def leave(self, client: Client, payload: object) -> Ack:
        refuse_other_player(client, parse(requests.Leave, payload).playerId)
        await self.stop_waiting(client)
        if client.table is not None:
            await self._emit(client, "matchmaking:already_started", {"roomId": client.table})
            return {"ok": True, "roomId": client.table}
        await self._cancel_invitation(client)
        await self._emit(client, "matchmaking:left", {})
        return {"ok": True}

    async def cancel(self, client: Client) -> None:
        """The client's session was cancelled by its tenant."""
        if client.table is None:
            await self.stop_waiting(client, is_lost=True)  # a newer session may wait at another process
            await self._emit(client, "matchmaking:left", {})

    async def _cancel_invitation(self, client: Client) -> None:
        """Expires a private session made on our own page, so that the friend doesn't wait in vain."""
        if client.session is None or client.player is None or client.player.key in self._waiting:
            return
        session = await self._platform.sessions.get(client.session.id)
        is_own = session.tenant == PAGE_TENANT and session.players[0]["id"] == client.player.id
        if not is_own or session.match_type != "private" or session.status != "pending":
            return
        try:
            await self._platform.sessions.expire(session)
        except Conflict:  # the friend has just joined, or the session has just expired
            await self._cancel_invitation(client)

    async def stop_waiting(self, client: Client, *, is_lost: bool = False) -> None:
        """Leaves the queue, unless the player also waits on another connection or has just been seated.

        With a lost connection the player may wait at another process, and does not leave the queue there.
        """
        queue, player = client.queue, client.player
        if queue is None or player is None:
            return
        try:
            await self._until_seated(player.key)
            if self._waiting.get(player.key) == {client}:
                self._queued.pop(player.key, None)  # first, so that the player is not queued again
                has_left = await self._platform.lobby.leave(*queue, player.key, is_lost=is_lost)
                if has_left and client.session is None:
                    self._guest_games.take_back(client.address)
                if not has_left and (table := await self._table_of(client)) is not None:
                    await self.start(PlayerSeated(player.key, table))  # the note of it is on its way
        finally:  # if it failed, the lobby does so before it pairs
            client.queue = None
            others = self._waiting.get(player.key, set())
            others.discard(client)
            if not others:
                self._waiting.pop(player.key, None)
                self._queued.pop(player.key, None)

    def _by_queue(self) -> Mapping[tuple[str, str], Collection[str]]:
        found: dict[tuple[str, str], set[str]] = {}
        for player, seeker in self._queued.items():
            found.setdefault((seeker.game, seeker.pool), set()).add(player)
        return found

    async def catch_up(self) -> None:
        """Finds those who were paired by another process while this one could not be notified."""
        for player, seeker in list(self._queued.items()):
            if await self._platform.store.entry_of(seeker.game, seeker.pool, player) is None:
                await self.requeue(player)

    async def requeue(self, player: str) -> None:
        """Takes a waiting player without an entry to their table or, if they have none, back to the queue."""
        seeker = self._queued.get(player)
        if seeker is None:
            return
        if seeker.seat.session is None:
            rows = await self._platform.store.live_tables_of(player)
            table, may_wait = next((row.id for row in rows if row.game == seeker.game), None), True
        else:
            session = await self._platform.store.session(seeker.seat.session)
            table, may_wait = session and session.table, session is not None and session.status == "pending"
        if table is None and not may_wait:
            await self._end_waiting(player)
        elif table is None and self._queued.get(player) is seeker:
            table = await self._join_again(seeker)
        if table is not None:
            await self.start(PlayerSeated(player, table))

    async def _join_again(self, seeker: Seeker) -> str | None:
        if self._platform.lobby.is_stopping:
            return None
        joined = await self._platform.lobby.join(seeker)
        if seeker.seat.key not in self._waiting:  # the last connection was lost in the meantime
            await self._platform.lobby.leave(seeker.game, seeker.pool, seeker.seat.key, is_lost=True)
        return joined.table.id if joined.table else None

    async def _end_waiting(self, player: str) -> None:
        self._queued.pop(player, None)
        for client in self._waiting.pop(player, set()):
            client.queue = None
            await self._emit(client, "matchmaking:left", {})

    async def _table_of(self, client: Client) -> str | None:
        """Where a player sits who is no longer in the queue; None if they only left it."""
        if client.session is not None:
            return (await self._platform.sessions.get(client.session.id)).table
        assert client.player is not None
        tables = await self._platform.store.live_tables_of(client.player.key)
        return tables[0].id if tables else None

    async def start(self, note: PlayerSeated) -> None:
        """Takes all of a player's waiting connections to the table."""
        async with self._lock(note.player):
            clients = self._waiting.pop(note.player, None)
            self._queued.pop(note.player, None)
            if not clients:
                return
            table = (await self._platform.tables.load(note.table)).table
            sessions = {seat.session for seat in table.seats}
            for client in clients:
                client.queue = None
                if client.session is None or client.session.id in sessions:
                    await self._seats.start(client, table)
                else:  # the player was seated with a newer session
                    await self._emit(client, "matchmaking:left", {})

    async def _until_seated(self, player: str) -> None:
        """Waits if the player is being seated just now."""
        async with self._lock(player):
            pass

    def _lock(self, player: str) -> asyncio.Lock:
        return self._locks.setdefault(player, asyncio.Lock())
