"""Matchmaking. A queued player is a row in the store; opening a table removes its players in the same transaction."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from ludus.core.errors import LudusError
from ludus.service.clock import UptimeClock
from ludus.service.cluster import Cluster, Work
from ludus.service.player_keys import person_in
from ludus.service.ports.bus import Bus, PlayerSeated
from ludus.service.ports.store import Conflict, Store, Unavailable
from ludus.service.ports.writes import PutEntry, TakeEntry, Write
from ludus.service.ratings import BOT_RATINGS
from ludus.service.records import Entry
from ludus.service.table import Limits, Opening, Seat, SeatKind, Table
from ludus.service.tables import MAX_TRIES, Tables
from ludus.service.time_control import TimeControl

NEAR: Final = 200.0
"""Players whose ratings differ by no more than this are paired at once."""
WIDENING: Final = 20.0
"""How much that difference grows with each second of waiting."""

ARENA: Final = "arena"
"""The agents' channel."""
AGENTS: Final = ("arena/fast", "arena/standard")
"""The agents' pools, by lane."""
OPEN: Final = "open"
"""The pool of people who want to play an agent; agents of the fast lane may opt in."""
PRIVATE: Final = "room/"
"""How the pools of private rooms start; each has one session's players."""
WITH_OPTIONS: Final = "#"
"""Between a pool's name and the variant that all in it have chosen, with its options."""
TIMED: Final = "@"
"""Between a pool's name, or the variant, and the time control that all in it have chosen."""
PLAIN: Final = "standard"
"""The variant of those who have chosen none."""
PARTS: Final = re.compile(f"[{WITH_OPTIONS}{TIMED}]")
PEOPLE: Final = "meets_people"
"""The key of the opt-in in an agent's entry; entries of older versions lack it."""
MEMBER: Final = "member"
"""The key of the process that a person in the queue is connected to; entries of older versions lack it."""
OPPONENT: Final = "opponent"
"""The key of the wanted opponent in an entry; those who take anyone lack it."""
PUBLIC: Final = "is_public"
"""The key of a private room's entry whose game anyone may watch; other entries lack it."""
TIME_CONTROL: Final = "time_control"
"""The key of the time control in an entry; entries without one, and those of older versions, lack it."""
VARIANT: Final = "variant"
"""The key of the variant in an entry; entries of plain games, and those of older versions, lack it."""
RESERVED: Final = "is_reserved"
"""The key of an entry that only keeps other processes from seating the same agent; nobody is paired with it."""
RESERVATION_SECONDS: Final = 0.05
"""Between two looks at whether another process has seated an agent by now."""
SERIES: Final = 50
"""How many of a player's games are searched for the last one against the same opponent, to alternate seats."""


class Stopping(LudusError):
    """The platform is shutting down and starts no new games."""

    code = "stopping"


class Seeker(NamedTuple):
    """A player who wants a game."""

    seat: Seat
    game: str
    mode: str
    pool: str
    """Seekers of one pool and game may be paired."""
    rating: float
    has_afk_limit: bool
    due: int | None
    """When they leave the queue, in uptime."""
    channel: str = "rooms"
    is_rated: bool = False
    meets_people: bool = False
    """Whether an agent has opted in to play people."""
    opponent: str = ""
    """The key of the only player they want to play; empty for anyone."""
    time_control: TimeControl | None = None
    """The same for all of a pool."""
    is_public: bool = False
    """Whether anyone may watch, though the players meet by a room's code."""
    variant: str = PLAIN
    """With the options of the game; the same for all of a pool."""


class JoinResult(NamedTuple):
    """A table, or a position in the queue (1 is next)."""

    table: Table | None
    position: int = 0
    is_new: bool = True
    """False for a table at which the seeker was seated already."""


Seated = Callable[[], Awaitable[Table | None]]
"""Looks for a table where a seeker already plays."""


async def _no_table() -> None:
    return None


async def _ignore(_player: str) -> None:
    return None


LimitsOf = Callable[[str, str, bool, Sequence[Seat], TimeControl | None], Limits]
"""The limits of a table by its channel and mode, with or without an AFK limit, for these players and their clocks."""


class Lobby:
    def __init__(
        self,
        store: Store,
        bus: Bus,
        tables: Tables,
        clock: UptimeClock,
        limits: LimitsOf,
        cluster: Cluster,
        rng: Random,
        bot_fallback: int | None = None,
    ) -> None:
        """An agent that has waited for `bot_fallback` milliseconds is paired with a bot; with None it keeps waiting."""
        self._store = store
        self._bus = bus
        self._tables = tables
        self._clock = clock
        self._limits = limits
        self._cluster = cluster
        self._rng = rng
        self._bot_fallback = bot_fallback
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self.is_stopping = False
        self.has_lease = True
        """Without it another process may be pairing the same players."""
        self.is_waiting: Callable[[str], bool] = lambda _player: True
        """Whether a person in the queue still has a connection to this process; set by the rooms. Agents need none."""
        self.waiting: Callable[[], Mapping[tuple[str, str], Collection[str]]] = dict
        """The people who wait at this process, by game and pool; set by the rooms."""
        self.requeue: Callable[[str], Awaitable[None]] = _ignore
        """Called with one of these people whose entry is gone; set by the rooms."""
        self._own_pools: set[tuple[str, str]] = set()
        """Where this process has stored entries that it may have to remove."""

    async def join(self, seeker: Seeker, seated: Seated = _no_table) -> JoinResult:
        """Pairs the seeker with a queued player or, where none fits, adds them to the queue.

        `seated` is called while pairing is locked.
        """
        self.refuse_if_stopping()
        entry = self._entry(seeker)
        async with self._lock(seeker.game, seeker.pool):
            for _ in range(MAX_TRIES):
                with suppress(Conflict):  # another process has just queued or seated the same player
                    return await self._join(entry, seated)
        raise Conflict("the player joins at several places; try again")

    async def _join(self, entry: Entry, seated: Seated) -> JoinResult:
        held = await self._store.entry_of(entry.game, entry.pool, entry.player)
        if held is not None and held.seat.get(RESERVED):
            if await self._is_reserved_elsewhere(held):
                return await self._place_of(entry)
            await self._take(held)
            held = None
        if held is not None and held.seat["seat"]["session"] != entry.seat["seat"]["session"]:
            await self._take(held)  # the newer session wins
            held = None
        if held is not None and _terms(held) != _terms(entry):
            await self._take(held)
            entry, held = entry._replace(since=held.since), None  # same place in the queue
        if held is not None:
            return await self._place_of(entry)
        if (table := await seated()) is not None:
            return JoinResult(table, is_new=False)
        reserved = await self._reserve(entry) if self._needs_reservation(entry) else None
        if reserved is not None and (table := await seated()) is not None:
            await self._take(reserved)
            return JoinResult(table, is_new=False)
        waiting = await self._waiting(entry.game, entry.pool, *pools_across(entry.pool))
        others = await self._without_ghosts([other for other in waiting if other.player != entry.player])
        table = await self._pair_first(reserved or entry, others, is_waiting=reserved is not None)
        if table is not None:
            return JoinResult(table)
        await self._put(entry, *([TakeEntry(reserved.id)] if reserved else []))
        if not self._cluster.is_sole and (table := await self._pair_again(entry, waiting)):
            return JoinResult(table)
        return await self._place_of(entry)

    async def _place_of(self, entry: Entry) -> JoinResult:
        queue = await self._store.entries(entry.game, entry.pool)
        position = next((i for i, other in enumerate(queue, 1) if other.player == entry.player), len(queue))
        return JoinResult(None, position)

    def _needs_reservation(self, entry: Entry) -> bool:
        """A person's session is compared and set; an agent has none."""
        return not self._cluster.is_sole and entry.seat["door"] == ARENA

    async def _reserve(self, entry: Entry) -> Entry:
        """An entry by which no other process can seat the agent; a conflict if one may be doing so.

        A table that another process opened has taken that process's entry, so it can be found by now.
        """
        reserved = entry._replace(id=self._tables.new_id(), seat={**entry.seat, RESERVED: True})
        await self._put(reserved)
        return reserved

    async def _put(self, entry: Entry, *taken: TakeEntry) -> None:
        if not self._cluster.is_sole:
            self._own_pools.add((entry.game, entry.pool))
        await self._store.commit(*taken, PutEntry(entry))

    async def _is_reserved_elsewhere(self, entry: Entry) -> bool:
        """False for what was left behind: this process reserves only while it holds the pool's lock."""
        member = self._member_of(entry)
        return member != self._cluster.id and await self._cluster.is_alive(member)

    async def _pair_again(self, entry: Entry, before: Sequence[Entry]) -> Table | None:
        """Looks for those who were queued by another process at the same time; both look, but only one pairs."""
        waiting = await self._waiting(entry.game, entry.pool, *pools_across(entry.pool))
        new = [other for other in waiting if other not in before and other.id != entry.id]
        return await self._pair_first(entry, await self._without_ghosts(new), is_waiting=True) if new else None

    async def leave(self, game: str, pool: str, player: str, *, is_lost: bool = False) -> bool:
        """False if the player was not queued, or has just been seated.

        A player whose connection was lost may be waiting at another process by now; that process's entry stays.
        """
        async with self._lock(game, pool):
            entry = await self._store.entry_of(game, pool, player)
            if entry is None or (is_lost and self._member_of(entry) != self._cluster.id):
                return False
            return await self._take(entry)

    async def _take(self, entry: Entry) -> bool:
        """Removes this very entry, not one that has replaced it."""
        try:
            await self._store.commit(TakeEntry(entry.id))
        except Conflict:
            return False
        return True

    def _member_of(self, entry: Entry) -> str:
        return str(entry.seat.get(MEMBER, self._cluster.id))

    async def play_bot(self, seeker: Seeker, level: str) -> Table:
        """Opens a table with a bot at once. A person moves first; an agent's first seat is random, then alternates."""
        self.refuse_if_stopping()
        table = await self._seat_with_bot(self._entry(seeker), level)
        await self._announce(table)
        return table

    async def open_room(self, seeker: Seeker, other: Seat) -> Table:
        """Opens the table of a private room though the other player may be absent, or may be waiting."""
        self.refuse_if_stopping()
        entry = self._entry(seeker)
        async with self._lock(seeker.game, seeker.pool):
            found = [await self._store.entry_of(seeker.game, seeker.pool, key) for key in (entry.player, other.key)]
            waiting = [each for each in found if each is not None]
            seats = [seeker.seat, other]
            self._rng.shuffle(seats)
            opening = self._opening(entry, (seats[0], seats[1]))
            table = await self._tables.open(opening, *[TakeEntry(each.id) for each in waiting])
        await self._announce(table, *[each.player for each in waiting])
        return table

    async def resume_or_play_bot(self, seeker: Seeker, level: str, seated: Seated) -> JoinResult:
        """Takes an agent out of the queue, and to its table or to a new one with a bot."""
        self.refuse_if_stopping()
        entry = self._entry(seeker)
        if not self._needs_reservation(entry):
            await self.leave(seeker.game, seeker.pool, seeker.seat.key)
            # no longer in the queue, so nobody else can seat it now
            table = await seated()
            return JoinResult(table, is_new=False) if table else JoinResult(await self.play_bot(seeker, level))
        for _ in range(MAX_TRIES):
            with suppress(Conflict):  # another process has just queued or seated the same agent
                async with self._lock(seeker.game, seeker.pool):
                    return await self._resume_or_play_bot(entry, level, seated)
            await asyncio.sleep(RESERVATION_SECONDS)
        raise Conflict("the agent joins at several places; try again")

    async def _resume_or_play_bot(self, entry: Entry, level: str, seated: Seated) -> JoinResult:
        held = await self._store.entry_of(entry.game, entry.pool, entry.player)
        if held is not None and held.seat.get(RESERVED) and await self._is_reserved_elsewhere(held):
            raise Conflict("another process is seating this agent")
        if held is not None:
            await self._take(held)
        reserved = await self._reserve(entry)
        if (table := await seated()) is not None:
            await self._take(reserved)
            return JoinResult(table, is_new=False)
        table = await self._seat_with_bot(entry, level, TakeEntry(reserved.id))
        await self._announce(table)
        return JoinResult(table)

    async def _seat_with_bot(self, entry: Entry, level: str, *taken: Write) -> Table:
        seats = [Seat.from_data(entry.seat["seat"]), bot_seat(level, entry.seat["mode"])]
        if entry.seat["door"] == ARENA:
            await self._shuffle(seats, entry.game)
        return await self._tables.open(self._opening(entry, (seats[0], seats[1])), *taken)

    async def sweep(self) -> None:
        """Removes expired entries and pairs the rest, whose rating range has widened."""
        shards = self._cluster.shards[Work.SWEEP]
        for game, pool in await self._store.pools() if shards else ():  # a worker has none, and reads nothing
            if not self._cluster.has(Work.SWEEP, f"{game}/{pool}"):
                continue
            async with self._lock(game, pool):
                queue = await self._without_ghosts(await self._store.entries(game, pool))
                for entry in [entry for entry in queue if self._is_over(entry)]:
                    await self._take(entry)
                    queue.remove(entry)
                if not self.is_stopping:
                    await self._pair_all([entry for entry in queue if not entry.seat.get(RESERVED)])
                    await self._pair_across(game, pool)
                    await self._fall_back_to_bots(game, pool)
        if not self._cluster.is_sole:
            await self._sweep_own()

    async def _sweep_own(self) -> None:
        """Removes this process's entries of those who have left, and queues again those who wait without an entry.

        Such a player waited at several processes, and the one that the entry named has lost them.
        """
        waiting = self.waiting()
        for game, pool in {*waiting, *self._own_pools}:
            async with self._lock(game, pool):
                queue = await self._store.entries(game, pool)
                own = [entry for entry in queue if self._member_of(entry) == self._cluster.id]
                if not own:
                    self._own_pools.discard((game, pool))
                await self._without_ghosts(own)
            for player in set(waiting.get((game, pool), ())) - {entry.player for entry in queue}:
                await self.requeue(player)

    async def clear(self, channel: str) -> None:
        """Removes all entries of a channel, whose connections are gone."""
        for game, pool in await self._store.pools():
            for entry in await self._store.entries(game, pool):
                if entry.seat["door"] == channel:
                    await self.leave(game, pool, entry.player)

    async def _pair_across(self, game: str, pool: str) -> None:
        """Pairs people who wait for an agent with agents that have opted in."""
        if not is_open(pool):
            return
        for entry in await self._without_ghosts(await self._store.entries(game, pool)):
            await self._pair_first(entry, await self._waiting(game, *pools_across(pool)), is_waiting=True)

    async def _without_ghosts(self, queue: Sequence[Entry]) -> list[Entry]:
        """Removes players who have left without the store being updated: it failed, or their process has died."""
        ghosts = [entry for entry in queue if await self._is_ghost(entry)]
        for entry in ghosts:
            await self._take(entry)
        return [entry for entry in queue if entry not in ghosts]

    async def _is_ghost(self, entry: Entry) -> bool:
        if entry.seat.get(RESERVED):
            return not await self._is_reserved_elsewhere(entry)
        if entry.seat["door"] == ARENA:
            return False
        if self._member_of(entry) == self._cluster.id:
            return not self.is_waiting(entry.player)
        return not await self._cluster.is_alive(self._member_of(entry))

    async def _waiting(self, game: str, *pools: str) -> list[Entry]:
        return [entry for pool in pools for entry in await self._store.entries(game, pool)]

    async def _fall_back_to_bots(self, game: str, pool: str) -> None:
        """Pairs agents that have waited too long with the house bot of the nearest rating."""
        now = self._clock.moment().clock
        for entry in await self._store.entries(game, pool):
            if entry.seat["door"] != ARENA or self._bot_fallback is None or now - entry.since < self._bot_fallback:
                continue
            if entry.seat.get(RESERVED):
                continue
            with suppress(Conflict):  # paired or gone in the meantime
                table = await self._seat_with_bot(entry, await self._nearest_bot(entry), TakeEntry(entry.id))
                await self._announce(table, entry.player)

    async def _nearest_bot(self, entry: Entry) -> str:
        found = {level: await self._store.rating(f"bot/{level}", entry.game) for level in BOT_RATINGS}
        known = {level: rating.rating if rating else BOT_RATINGS[level] for level, rating in found.items()}
        return min(known, key=lambda level: abs(known[level] - entry.rating))

    async def _pair_all(self, queue: list[Entry]) -> None:
        while len(queue) > 1:
            entry = queue.pop(0)
            table = await self._pair_first(entry, queue, is_waiting=True)
            if table is not None:
                taken = {seat.key for seat in table.seats}
                queue = [other for other in queue if other.player not in taken]

    async def _pair_first(self, entry: Entry, waiting: Sequence[Entry], *, is_waiting: bool) -> Table | None:
        """A table with the nearest acceptable opponent; None where there is none."""
        now = self._clock.moment().clock
        free = [other for other in waiting if other.player != entry.player and not other.seat.get(RESERVED)]
        fitting = await self._without_blocked(entry, [other for other in free if _fits(entry, other, now)])
        for other in sorted(fitting, key=lambda other: (abs(other.rating - entry.rating), other.since)):
            try:
                return await self._seat(entry, other, is_waiting=is_waiting)
            except Conflict:
                continue  # the other was paired or has left in the meantime
        return None

    async def _without_blocked(self, entry: Entry, others: list[Entry]) -> list[Entry]:
        """Leaves out blocked people of the page, on either side; an invitation to a room is not affected."""
        person = person_in(entry.player)
        ids = [id for other in others if (id := person_in(other.player))]
        if person is None or not ids or entry.pool.startswith(PRIVATE):
            return others
        apart = {id for block in await self._store.blocks_between(person, ids) for id in (block.person, block.blocked)}
        return [other for other in others if person_in(other.player) not in apart]

    async def _seat(self, entry: Entry, other: Entry, *, is_waiting: bool) -> Table:
        seats = [Seat.from_data(each.seat["seat"]) for each in (entry, other)]
        if entry.seat["door"] == ARENA:
            await self._shuffle(seats, entry.game)
        else:
            self._rng.shuffle(seats)
        taken = [TakeEntry(other.id), *([TakeEntry(entry.id)] if is_waiting else [])]
        opening = self._opening(entry, (seats[0], seats[1]), other)
        table = await self._tables.open(opening, *taken)
        await self._announce(table, *[each.player for each in ((other, entry) if is_waiting else (other,))])
        return table

    async def _announce(self, table: Table, *waiting: str) -> None:
        """To those who wait, and in a cluster to all: they may have connections to other processes."""
        others = [] if self._cluster.is_sole else [seat.key for seat in table.seats if seat.kind != SeatKind.BOT]
        for player in dict.fromkeys([*waiting, *others]):
            await self._bus.publish(PlayerSeated(player, table.id))

    async def _shuffle(self, seats: list[Seat], game: str) -> None:
        """Random seats at the first meeting of two players, then alternating."""
        self._rng.shuffle(seats)
        one, two = seats[0].key, seats[1].key
        if await self._began_last(one, two, game):
            seats.reverse()

    async def _began_last(self, one: str, two: str, game: str) -> bool:
        """Whether `one` had the first seat when these two last met."""
        for row in await self._store.tables_of(one, SERIES):
            if row.game == game and two in [player["key"] for player in row.players]:
                return bool(row.players[0]["key"] == one)
        return False

    def _opening(self, entry: Entry, seats: tuple[Seat, Seat], other: Entry | None = None) -> Opening:
        """Against an agent, a person's terms apply, unrated and with an AFK limit; else either's limit binds both."""
        terms, is_rated = entry.seat, entry.seat["is_rated"]
        has_afk_limit = terms["has_afk_limit"]
        if other is not None and other.seat["door"] != terms["door"]:
            terms, is_rated = other.seat if terms["door"] == ARENA else terms, False
            has_afk_limit = True  # an agent's presence is not tracked, so only its clock can end the game
        elif other is not None:
            has_afk_limit = has_afk_limit or other.seat["has_afk_limit"]
        chosen = terms.get(TIME_CONTROL)
        time_control = None if chosen is None else TimeControl.from_data(chosen)
        return Opening(
            table=self._tables.new_id(),
            game=entry.game,
            mode=terms["mode"],
            channel=terms["door"],
            seats=seats,
            limits=self._limits(terms["door"], terms["mode"], has_afk_limit, seats, time_control),
            is_rated=is_rated,
            seed=self._tables.seed_for(entry.game),
            is_private=entry.pool.startswith(PRIVATE) and not terms.get(PUBLIC, False),
            time_control=time_control,
            variant=terms.get(VARIANT, PLAIN),
        )

    def _entry(self, seeker: Seeker) -> Entry:
        data = {
            "seat": seeker.seat.to_data(),
            "mode": seeker.mode,
            "door": seeker.channel,
            "has_afk_limit": seeker.has_afk_limit,
            "is_rated": seeker.is_rated,
            PEOPLE: seeker.meets_people,
            MEMBER: self._cluster.id,
        }
        if seeker.is_public:
            data[PUBLIC] = True
        if seeker.time_control is not None:
            data[TIME_CONTROL] = seeker.time_control.to_data()
        if seeker.variant != PLAIN:
            data[VARIANT] = seeker.variant
        if seeker.opponent:
            data[OPPONENT] = seeker.opponent
        since = self._clock.moment().clock
        return Entry(
            self._tables.new_id(), seeker.game, seeker.pool, seeker.seat.key, seeker.rating, since, seeker.due, data
        )

    def _lock(self, game: str, pool: str) -> asyncio.Lock:
        """Serializes pairing in a pool; pools whose players may meet share a lock."""
        return self._locks.setdefault((game, pools_across(pool)[0] if is_open(pool) else pool), asyncio.Lock())

    def _is_over(self, entry: Entry) -> bool:
        return entry.due is not None and entry.due <= self._clock.moment().clock

    def refuse_if_stopping(self) -> None:
        if self.is_stopping:
            raise Stopping("the server is about to stop; try again in a moment")
        if not self.has_lease:
            raise Unavailable("another server may be running on the database")


def _terms(entry: Entry) -> tuple[object, ...]:
    """What may change while a player is queued: an agent's options, a person's connection."""
    seat = entry.seat
    member = None if seat["door"] == ARENA else seat.get(MEMBER)
    return seat.get(PEOPLE, False), Seat.from_data(seat["seat"]).has_auto_pass, member


def pool_for(pool: str, time_control: TimeControl | None, variant: str = PLAIN) -> str:
    """The part of a pool in which all chose this time control and variant."""
    chosen = pool if variant == PLAIN else f"{pool}{WITH_OPTIONS}{variant}"
    return chosen if time_control is None else f"{chosen}{TIMED}{time_control.text}"


def base_pool(pool: str) -> str:
    """The pool whose part this is."""
    return PARTS.split(pool, maxsplit=1)[0]


def is_open(pool: str) -> bool:
    """Whether it is a pool of people who want to play an agent."""
    return base_pool(pool) == OPEN


def pools_across(pool: str) -> tuple[str, ...]:
    """The other pools whose players may be paired with this pool's."""
    base = base_pool(pool)
    others = AGENTS[:1] if base == OPEN else (OPEN,) if base in AGENTS[:1] else ()
    return tuple(other + pool.removeprefix(base) for other in others)


def bot_seat(level: str, mode: str) -> Seat:
    """A bot's seat; in test games bots have separate ratings."""
    key = f"test-bot/{level}" if mode == "test" else f"bot/{level}"
    return Seat(key, f"bot-{level}", f"{level.capitalize()} bot", SeatKind.BOT, level)


def is_bot(key: str) -> bool:
    """Whether a player's key is a bot's."""
    return key.startswith(("bot/", "test-bot/"))


def _fits(one: Entry, two: Entry, now: int) -> bool:
    if is_open(one.pool) and is_open(two.pool):
        return False
    wanted = [entry.seat.get(OPPONENT, other.player) == other.player for entry, other in ((one, two), (two, one))]
    if not all(wanted):
        return False
    agents = [each for each in (one, two) if each.seat["door"] == ARENA]
    if len(agents) == 2:
        return True  # agents are paired with the nearest, however far apart
    if agents and not agents[0].seat.get(PEOPLE, False):
        return False
    if OPPONENT in one.seat or OPPONENT in two.seat:
        return True  # however far apart
    waited = max(now - one.since, now - two.since) / 1000
    return abs(one.rating - two.rating) <= NEAR + WIDENING * waited
