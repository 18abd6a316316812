"""Where players wait for an opponent. Whoever waits is a row in the store; a pair is taken out as its table opens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from ludus.core.errors import LudusError
from ludus.service.clock import UptimeClock
from ludus.service.ports import Bus, Conflict, PutEntry, Seated, Store, TakeEntry, Write
from ludus.service.ratings import BOT_RATINGS
from ludus.service.records import Entry
from ludus.service.table import Limits, Opening, Seat, SeatKind, Table
from ludus.service.tables import Tables

NEAR: Final = 200.0
"""Ratings this far apart meet at once."""
WIDENING: Final = 20.0
"""How much further they may be apart for each second that one of them has waited."""


ARENA: Final = "arena"
"""The door of agents."""
AGENTS: Final = ("arena/fast", "arena/standard")
"""The pools of agents, by lane."""
OPEN: Final = "open"
"""The pool of people who want to meet an agent; those of the fast lane who agreed to it take part."""
PEOPLE: Final = "meets_people"
"""Where an agent's entry says whether it may meet them; entries of older versions say nothing."""
SERIES: Final = 50
"""Games of a player among which the last meeting with another is sought, so that they change seats."""


class Stopping(LudusError):
    """The platform is about to close and starts no new games."""

    code = "stopping"


class Guest(NamedTuple):
    """Somebody who wants to play."""

    seat: Seat
    game: str
    mode: str
    pool: str
    """Who may meet: guests of one pool and game."""
    rating: float
    has_afk_limit: bool
    due: int | None
    """When they stop waiting, in platform time."""
    door: str = "rooms"
    is_rated: bool = False
    meets_people: bool = False
    """Of an agent: whether it agreed to."""


class Place(NamedTuple):
    """Where a guest ended up: at a table, or in line (1 is next)."""

    table: Table | None
    position: int = 0


async def _nowhere() -> None:
    return None


LimitsOf = Callable[[str, str, bool], Limits]
"""The limits of a table by door and mode, with or without an AFK limit."""


class Lobby:
    def __init__(
        self,
        store: Store,
        bus: Bus,
        tables: Tables,
        clock: UptimeClock,
        limits: LimitsOf,
        rng: Random,
        lonely: int | None = None,
    ) -> None:
        """An agent that has waited for `lonely` milliseconds meets a bot; None lets it wait."""
        self._store = store
        self._bus = bus
        self._tables = tables
        self._clock = clock
        self._limits = limits
        self._rng = rng
        self._lonely = lonely
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self.is_stopping = False

    async def join(self, guest: Guest, seated: Callable[[], Awaitable[Table | None]] = _nowhere) -> Place:
        """Seats the guest with somebody who waits or, where nobody fits, puts them in line.

        `seated` finds the table where somebody who is not in line sits already; it is asked while nobody can be seated.
        """
        self.refuse_if_stopping()
        entry = self._entry(guest)
        async with self._lock(guest.game, guest.pool):
            held = await self._store.entry_of(guest.game, guest.pool, guest.seat.key)
            if held is not None and held.seat["seat"]["session"] != guest.seat.session:
                await self._leave(guest.game, guest.pool, guest.seat.key)  # the newer ticket holds
                held = None
            if held is not None and held.seat.get(PEOPLE, False) != guest.meets_people:
                await self._leave(guest.game, guest.pool, guest.seat.key)
                entry, held = entry._replace(since=held.since), None  # another wish, the same place in line
            if held is None:
                table = await seated()
                if table is not None:
                    return Place(table)
                waiting = await self._waiting(guest.game, guest.pool, *beyond(guest.pool))
                table = await self._pair_first(entry, waiting, is_waiting=False)
                if table is not None:
                    return Place(table)
                await self._store.commit(PutEntry(entry))
            line = await self._store.entries(guest.game, guest.pool)
        position = next((i for i, other in enumerate(line, 1) if other.player == guest.seat.key), len(line))
        return Place(None, position)

    async def leave(self, game: str, pool: str, player: str) -> bool:
        """False if there was nothing to leave: the player does not wait, or has been told of a seat by now."""
        async with self._lock(game, pool):
            return await self._leave(game, pool, player)

    async def _leave(self, game: str, pool: str, player: str) -> bool:
        entry = await self._store.entry_of(game, pool, player)
        if entry is None:
            return False
        try:
            await self._store.commit(TakeEntry(entry.id))
        except Conflict:
            return False
        return True

    async def play_bot(self, guest: Guest, level: str) -> Table:
        """A table with a bot at once; a person moves first, an agent by chance and then by turns."""
        self.refuse_if_stopping()
        return await self._seat_with_bot(self._entry(guest), level)

    async def _seat_with_bot(self, entry: Entry, level: str, *taken: Write) -> Table:
        seats = [Seat.from_data(entry.seat["seat"]), bot_seat(level, entry.seat["mode"])]
        if entry.seat["door"] == ARENA:
            await self._draw(seats, entry.game)
        return await self._tables.open(self._opening(entry, (seats[0], seats[1])), *taken)

    async def sweep(self) -> None:
        """Pairs those who have waited long enough to accept each other, and sends away those whose time is up."""
        for game, pool in await self._store.pools():
            async with self._lock(game, pool):
                line = list(await self._store.entries(game, pool))
                for entry in [entry for entry in line if self._is_over(entry)]:
                    await self._leave(game, pool, entry.player)
                    line.remove(entry)
                if not self.is_stopping:
                    await self._pair_all(line)
                    await self._pair_beyond(game, pool)
                    await self._console(game, pool)

    async def clear(self, door: str) -> None:
        """Sends everybody away who waited behind this door: their connections are gone."""
        for game, pool in await self._store.pools():
            for entry in await self._store.entries(game, pool):
                if entry.seat["door"] == door:
                    await self.leave(game, pool, entry.player)

    async def _pair_beyond(self, game: str, pool: str) -> None:
        """Seats people who wait for an agent with agents who wait for anybody."""
        if pool != OPEN:
            return
        for entry in await self._store.entries(game, pool):
            await self._pair_first(entry, await self._waiting(game, *beyond(pool)), is_waiting=True)

    async def _waiting(self, game: str, *pools: str) -> list[Entry]:
        return [entry for pool in pools for entry in await self._store.entries(game, pool)]

    async def _console(self, game: str, pool: str) -> None:
        """Seats agents that have waited too long with the bot of the platform that is nearest in strength."""
        now = self._clock.moment().clock
        for entry in await self._store.entries(game, pool):
            if entry.seat["door"] != ARENA or self._lonely is None or now - entry.since < self._lonely:
                continue
            with suppress(Conflict):  # seated or gone meanwhile
                table = await self._seat_with_bot(entry, await self._nearest_bot(entry), TakeEntry(entry.id))
                await self._bus.publish(Seated(entry.player, table.id))

    async def _nearest_bot(self, entry: Entry) -> str:
        found = {level: await self._store.rating(f"bot/{level}", entry.game) for level in BOT_RATINGS}
        known = {level: rating.rating if rating else BOT_RATINGS[level] for level, rating in found.items()}
        return min(known, key=lambda level: abs(known[level] - entry.rating))

    async def _pair_all(self, line: list[Entry]) -> None:
        while len(line) > 1:
            entry = line.pop(0)
            table = await self._pair_first(entry, line, is_waiting=True)
            if table is not None:
                taken = {seat.key for seat in table.seats}
                line = [other for other in line if other.player not in taken]

    async def _pair_first(self, entry: Entry, waiting: Sequence[Entry], *, is_waiting: bool) -> Table | None:
        """A table with the nearest of those whom the entry accepts; None where there is none left."""
        now = self._clock.moment().clock
        fitting = [other for other in waiting if other.player != entry.player and _fits(entry, other, now)]
        for other in sorted(fitting, key=lambda other: (abs(other.rating - entry.rating), other.since)):
            try:
                return await self._seat(entry, other, is_waiting=is_waiting)
            except Conflict:
                continue  # the other one has been seated or has left meanwhile
        return None

    async def _seat(self, entry: Entry, other: Entry, *, is_waiting: bool) -> Table:
        seats = [Seat.from_data(each.seat["seat"]) for each in (entry, other)]
        if entry.seat["door"] == ARENA:
            await self._draw(seats, entry.game)
        else:
            self._rng.shuffle(seats)
        taken = [TakeEntry(other.id), *([TakeEntry(entry.id)] if is_waiting else [])]
        opening = self._opening(entry, (seats[0], seats[1]), other)
        table = await self._tables.open(opening, *taken)
        for each in (other, entry) if is_waiting else (other,):
            await self._bus.publish(Seated(each.player, table.id))
        return table

    async def _draw(self, seats: list[Seat], game: str) -> None:
        """By chance when two meet for the first time; then they change seats."""
        self._rng.shuffle(seats)
        one, two = seats[0].key, seats[1].key
        if await self._began_last(one, two, game):
            seats.reverse()

    async def _began_last(self, one: str, two: str, game: str) -> bool:
        """Whether the first of them had the first seat when these two met last."""
        for row in await self._store.tables_of(one, SERIES):
            if row.game == game and two in [player["key"] for player in row.players]:
                return bool(row.players[0]["key"] == one)
        return False

    def _opening(self, entry: Entry, seats: tuple[Seat, Seat], other: Entry | None = None) -> Opening:
        """Against an agent a person's terms hold, with a limit and not rated; else the limit of either is for both."""
        terms, is_rated = entry.seat, entry.seat["is_rated"]
        has_afk_limit = terms["has_afk_limit"]
        if other is not None and other.seat["door"] != terms["door"]:
            terms, is_rated = other.seat if terms["door"] == ARENA else terms, False
            has_afk_limit = True  # nobody watches whether an agent is there: it loses by its clock alone
        elif other is not None:
            has_afk_limit = has_afk_limit or other.seat["has_afk_limit"]
        return Opening(
            table=self._tables.new_id(),
            game=entry.game,
            mode=terms["mode"],
            door=terms["door"],
            seats=seats,
            limits=self._limits(terms["door"], terms["mode"], has_afk_limit),
            is_rated=is_rated,
            seed=self._tables.seed_for(entry.game),
        )

    def _entry(self, guest: Guest) -> Entry:
        data = {
            "seat": guest.seat.to_data(),
            "mode": guest.mode,
            "door": guest.door,
            "has_afk_limit": guest.has_afk_limit,
            "is_rated": guest.is_rated,
            PEOPLE: guest.meets_people,
        }
        since = self._clock.moment().clock
        return Entry(
            self._tables.new_id(), guest.game, guest.pool, guest.seat.key, guest.rating, since, guest.due, data
        )

    def _lock(self, game: str, pool: str) -> asyncio.Lock:
        """Held by whoever pairs the players of a pool, until they are seated; pools that meet share it."""
        return self._locks.setdefault((game, beyond(OPEN)[0] if pool == OPEN else pool), asyncio.Lock())

    def _is_over(self, entry: Entry) -> bool:
        return entry.due is not None and entry.due <= self._clock.moment().clock

    def refuse_if_stopping(self) -> None:
        if self.is_stopping:
            raise Stopping("the server is about to stop; try again in a moment")


def beyond(pool: str) -> tuple[str, ...]:
    """The pools, besides its own, whose players somebody may meet."""
    if pool == OPEN:
        return AGENTS[:1]
    return (OPEN,) if pool in AGENTS[:1] else ()


def bot_seat(level: str, mode: str) -> Seat:
    """A bot; what it does in test games does not count for its rating elsewhere."""
    key = f"test-bot/{level}" if mode == "test" else f"bot/{level}"
    return Seat(key, f"bot-{level}", f"{level.capitalize()} bot", SeatKind.BOT, level)


def _fits(one: Entry, two: Entry, now: int) -> bool:
    if one.pool == two.pool == OPEN:
        return False
    agents = [each for each in (one, two) if each.seat["door"] == ARENA]
    if len(agents) == 2:
        return True  # agents meet whoever is nearest, however far
    if agents and not agents[0].seat.get(PEOPLE, False):
        return False
    waited = max(now - one.since, now - two.since) / 1000
    return abs(one.rating - two.rating) <= NEAR + WIDENING * waited
