"""The authority over all tables: whoever wants something of a table, person, bot, agent or clock, asks here."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple
from weakref import WeakValueDictionary

from ludus.core.errors import LudusError
from ludus.games import GAMES
from ludus.service.clock import Moment, UptimeClock
from ludus.service.decisions import Command, Decision, decide, open_table, rematch_opening
from ludus.service.ports import Append, Bus, Conflict, Store, TableMoved, Write
from ludus.service.records import Event
from ludus.service.table import EventKind, Opening, Table, folded

TRIES = 8
"""How often a command is decided anew when another process was faster."""
REMEMBERED = 256
"""How many tables without a live game are kept at hand."""


class NotFound(LudusError):
    code = "not_found"


class StaleVersion(LudusError):
    """The sender decided on a state that is no longer the present one."""

    code = "stale_version"

    def __init__(self, current: int) -> None:
        super().__init__(f"the table is at version {current}")
        self.current = current


class CommandResult(NamedTuple):
    """What a command led to: an event, or None where it changed nothing or had been carried out before."""

    event: Event | None
    table: Table
    version: int


Annex = Callable[[Decision], Awaitable[Sequence[Write]] | None]
"""What else must be stored together with an event: a rating, a session's end, a webhook; None for nothing."""


class Live:
    """A table in memory with all its events; `table` only ever shows what is stored."""

    __slots__ = ("events", "is_stale", "lock", "table")

    def __init__(self, events: list[Event], table: Table) -> None:
        self.events = events
        self.table = table
        self.lock = asyncio.Lock()
        self.is_stale = False


class Tables:
    def __init__(
        self, store: Store, bus: Bus, clock: UptimeClock, new_id: Callable[[], str], new_seed: Callable[[], bytes]
    ) -> None:
        self._store = store
        self._bus = bus
        self._clock = clock
        self._new_seed = new_seed
        self.new_id = new_id
        self.annexes: list[Annex] = []
        self._live: dict[str, Live] = {}
        self._over: OrderedDict[str, Live] = OrderedDict()
        self._players: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        """How many live tables are in memory."""
        return len(self._live)

    def seed_for(self, game: str) -> bytes | None:
        """A secret seed, where the game has dice."""
        rules = GAMES[game]
        return self._new_seed() if rules.chances(rules.variants["standard"]) else None

    async def open(self, opening: Opening, *writes: Write) -> Table:
        """A new table, stored together with the other writes; a `Conflict` opens nothing."""
        decision = open_table(opening, self._clock.moment())
        await self._commit([decision], *writes)
        self._keep(Live([decision.event], decision.after))
        await self._bus.publish(TableMoved(opening.table, 1))
        return decision.after

    def at_hand(self, id: str) -> Live | None:
        """The table, if it is in memory: all that are going on are, once they were looked at."""
        return self._live.get(id) or self._over.get(id)

    async def see(self, id: str) -> Live:
        live = self.at_hand(id)
        if live is None:
            events = list(await self._store.events(id))
            if not events:
                raise NotFound("there is no such table")
            live = self.at_hand(id) or Live(events, folded(events))
            self._keep(live)
        return live

    async def do(
        self, id: str, command: Command, *, expected: int | None = None, name: str | None = None
    ) -> CommandResult:
        """Carries out a command. `expected` is the version it was decided on, `name` makes a repetition harmless."""
        live = self.at_hand(id) or await self.see(id)
        news: list[Table] = []
        await live.lock.acquire()
        try:
            return await self._do(live, command, expected, name, news)
        finally:  # outside the lock, since those who hear of it may want something of the table
            live.lock.release()
            for table in news:
                await self._bus.publish(TableMoved(table.id, table.version))

    async def _do(
        self, live: Live, command: Command, expected: int | None, name: str | None, news: list[Table]
    ) -> CommandResult:
        for _ in range(TRIES):
            if live.is_stale:
                news += await self._refresh(live)
            try:
                decision = _decide(live.table, command, self._clock.moment(), expected, name)
            except LudusError:
                if not await self._is_behind(live):
                    raise
                continue
            if isinstance(decision, CommandResult):
                return decision
            if stored := await self._store_decision(live, decision):
                news += stored
                return CommandResult(decision.event, decision.after, decision.after.version)
        raise Conflict("the table is too busy; try again")

    async def _is_behind(self, live: Live) -> bool:
        """Whether another process knows more of the table; then a refusal may be wrong."""
        row = await self._store.table(live.table.id)
        live.is_stale = row is not None and row.version > live.table.version
        return live.is_stale

    async def _store_decision(self, live: Live, decision: Decision) -> list[Table]:
        """The tables that changed; none if another process was faster."""
        decisions = [decision]
        if decision.event.kind == EventKind.REMATCHED:
            seed = self.seed_for(decision.after.opening.game)
            opening = rematch_opening(decision.after, decision.event.data["table"], seed)
            decisions.append(open_table(opening, self._clock.moment()))
        live.is_stale = True  # until it is known that this was stored
        try:
            if decision.is_end and decision.after.opening.is_rated:
                async with self._settling(decision.after):
                    await self._commit(decisions)
            else:
                await self._commit(decisions)
        except Conflict:
            return []
        live.is_stale = False
        live.table = decision.after
        live.events.append(decision.event)
        self._keep(live)
        for extra in decisions[1:]:
            self._keep(Live([extra.event], extra.after))
        return [each.after for each in decisions]

    async def _commit(self, decisions: Sequence[Decision], *others: Write) -> None:
        writes = list(others)
        for decision in decisions:
            writes.append(Append(decision.after.row(), decision.event))
            for annex in self.annexes:
                if (coming := annex(decision)) is not None:
                    writes += await coming
        await self._store.commit(*writes)

    @asynccontextmanager
    async def _settling(self, table: Table) -> AsyncIterator[None]:
        """Games of one player that end together are stored one after the other: each changes the same rating."""
        async with AsyncExitStack() as stack:
            for key in sorted(seat.key for seat in table.seats):
                await stack.enter_async_context(self._players.setdefault(key, asyncio.Lock()))
            yield

    async def _refresh(self, live: Live) -> list[Table]:
        """Reads what others, or a commit whose end was not seen, have stored meanwhile: the table, if there is any."""
        before = live.table.version
        for event in await self._store.events(live.table.id, after=live.table.version):
            live.table = live.table.followed_by(event)
            live.events.append(event)
        live.is_stale = False
        self._keep(live)
        return [live.table] if live.table.version > before else []

    def _keep(self, live: Live) -> None:
        id = live.table.id
        if live.table.outcome is None:
            self._live[id] = live
            return
        self._live.pop(id, None)
        self._over[id] = live
        self._over.move_to_end(id)
        while len(self._over) > REMEMBERED:
            self._over.popitem(last=False)


def _decide(
    table: Table, command: Command, now: Moment, expected: int | None, name: str | None
) -> Decision | CommandResult:
    """A decision to be stored, or the receipt of a command that changes nothing."""
    if name is not None and table.commands and name in table.commands:
        return CommandResult(None, table, table.commands[name])
    if expected is not None and expected != table.version:
        raise StaleVersion(table.version)
    return decide(table, command, now, name) or CommandResult(None, table, table.version)
