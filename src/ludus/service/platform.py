"""The platform: all its parts put together, opened, kept going and closed."""

from __future__ import annotations

import asyncio
import logging
import secrets
import uuid
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from random import Random, SystemRandom
from typing import Final, NamedTuple

from structlog.contextvars import bound_contextvars

from ludus.service.bots import Bots, Watcher
from ludus.service.clock import UptimeClock, WallClock
from ludus.service.decisions import Tick
from ludus.service.dice import SEED_BYTES
from ludus.service.engine_pool import EnginePool
from ludus.service.lobby import Lobby
from ludus.service.ports import Bus, Clock, Conflict, Store, Write
from ludus.service.presence import Presence
from ludus.service.rating_updates import RatingUpdates
from ludus.service.records import Rating, Session
from ludus.service.sessions import Sessions, player_key, pool_of
from ludus.service.table import Limits
from ludus.service.tables import Tables
from ludus.service.tokens import Tokens
from ludus.service.webhooks.delivery import ordered_id

log = logging.getLogger(__name__)

SWEEP_SECONDS: Final = 0.2
"""How often deadlines are looked at."""
BEAT_SECONDS: Final = 1.0
GRACE: Final = 3_000
"""Milliseconds between two beats that do not count as closed."""
BATCH: Final = 100
"""How many due rows are taken at once."""
SYSTEM_RANDOM: Final = SystemRandom()


class Timeouts(NamedTuple):
    """The platform's limits, in milliseconds, and the scale of the bots' pauses."""

    warn: int = 60_000
    idle: int = 90_000
    reconnect: int = 60_000
    session: int = 300_000
    room: int = 600_000
    bot_pause: float = 1.0
    fast_turn: int = 15 * 60_000
    standard_turn: int = 65 * 60_000
    fast_queue: int = 20 * 60_000
    standard_queue: int = 65 * 60_000
    lonely: int | None = 20_000
    """How long an agent waits for another until it meets a bot of the platform; None if it never does."""

    def limits(self, door: str, mode: str, has_afk_limit: bool) -> Limits:
        """Those of a table: in the arena the mode is the lane."""
        if door == "arena":
            return Limits(None, self.fast_turn if mode == "fast" else self.standard_turn, None)
        if not has_afk_limit:
            return Limits(None, None, self.reconnect)
        return Limits(self.warn, self.idle, self.reconnect)

    def queue(self, lane: str) -> int:
        """How long an agent may wait in line."""
        return self.fast_queue if lane == "fast" else self.standard_queue


class Platform:
    def __init__(
        self,
        store: Store,
        bus: Bus,
        thinker: EnginePool,
        secret: bytes,
        hours: Timeouts,
        clock: Clock | None = None,
        rng: Random | None = None,
        watch: Watcher | None = None,
        open_modes: Collection[str] = ("test", "training"),
    ) -> None:
        """In sessions of the `open_modes` people may meet agents."""
        rng = rng or SYSTEM_RANDOM
        self.store = store
        self.bus = bus
        self.hours = hours
        self.open_modes = open_modes
        self.clock = UptimeClock(clock or WallClock())
        self.tokens = Tokens(secret)
        self.tables = Tables(store, bus, self.clock, self._new_id, lambda: secrets.token_bytes(SEED_BYTES))
        self.sessions = Sessions(
            store, self.clock, self.tokens, lambda: str(uuid.uuid4()), secrets.choice, hours.session, hours.room
        )
        self.lobby = Lobby(store, bus, self.tables, self.clock, hours.limits, rng, hours.lonely)
        self.settling = RatingUpdates(store)
        self.presence = Presence(self.tables)
        self.bots = Bots(self.tables, thinker, rng, hours.bot_pause, watch or (lambda _game, _seconds: None))
        self.thinker = thinker
        self.roster = thinker.roster
        self._tasks: list[asyncio.Task[None]] = []
        self.expiry_annexes: list[Callable[[Session], Awaitable[Sequence[Write]]]] = []
        self.tables.annexes += [self.sessions.annex, self.settling.annex]
        bus.subscribe(self.bots.on_note)

    async def open(self) -> None:
        """From here on the platform answers; what was going on when it closed is taken up in the background."""
        await self.store.open()
        await self.store.claim()
        await self._beat(grace=0)  # whoever opens was closed
        await self.lobby.clear("rooms")
        await self.thinker.start()
        self._tasks = [asyncio.create_task(self._take_up()), asyncio.create_task(self._keep_going())]

    async def close(self) -> None:
        """Everything accepted is stored already: this only stops what runs."""
        self.lobby.is_stopping = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.bots.stop()  # last, since the sweep wakes bots
        await self.thinker.stop()
        with suppress(Exception):
            await self._beat()
        await self.store.close()

    async def sweep(self) -> None:
        """Fires what is due."""
        now = self.clock.moment().clock
        await asyncio.gather(*map(self._tick, await self.store.tables_due(now, BATCH)))
        for session in await self.store.sessions_due(now, BATCH):
            with _going_on("session", session.id), suppress(Conflict):
                await self._expire(session)

    async def _tick(self, table: str) -> None:
        with _going_on("table", table):
            await self.tables.do(table, Tick())
            self.bots.consider((await self.tables.see(table)).table)

    async def _expire(self, session: Session) -> None:
        """Ends the session unless one of its players is in line."""
        for player in session.players:
            key = player_key(session, player["id"])
            if await self.store.entry_of(session.game, pool_of(session), key) is not None:
                return await self.sessions.prolong(session)
        extra = [write for annex in self.expiry_annexes for write in await annex(session)]
        return await self.sessions.expire(session, *extra)

    def _new_id(self) -> str:
        """In the order of time: games that are played together lie together in the store, and share what it writes."""
        return ordered_id(self.clock.moment().at, secrets.randbits(32), SYSTEM_RANDOM)

    async def rating_of(self, player: str, game: str) -> Rating:
        return await self.settling.rating_of(player, game, self.clock.moment().at)

    async def _beat(self, grace: int = GRACE) -> None:
        self.clock.closed = await self.store.beat(self.clock.moment().at, grace)

    async def _take_up(self) -> None:
        """Notes who is missing at the tables that were live, and lets their bots go on."""
        rows = await self.store.live_tables()
        for start in range(0, len(rows), BATCH):  # together, so that they share trips to the disk
            await asyncio.gather(*[self._take_up_table(row.id) for row in rows[start : start + BATCH]])

    async def _take_up_table(self, table: str) -> None:
        with _going_on("table", table), suppress(Conflict):
            await self.presence.note_absent(table)
            self.bots.consider((await self.tables.see(table)).table)

    async def _keep_going(self) -> None:
        clock = asyncio.get_running_loop().time
        beat_at = 0.0
        while True:
            try:
                if clock() >= beat_at:
                    beat_at = clock() + BEAT_SECONDS
                    await self._beat()
                    await self.lobby.sweep()
                await self.sweep()
            except Exception:
                log.exception("the sweep failed; it is tried again")
            await asyncio.sleep(SWEEP_SECONDS)


@contextmanager
def _going_on(what: str, id: str) -> Iterator[None]:
    """Logs what is wrong with one table or session, so that the others have their turn."""
    with bound_contextvars(**{what: id}):
        try:
            yield
        except Exception:
            log.exception("a %s could not be looked after", what)
