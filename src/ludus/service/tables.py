"""The authority over all tables: every command, from a person, bot, agent or the clock, is executed here."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple
from weakref import WeakValueDictionary

from ludus.core.errors import LudusError
from ludus.games import GAMES
from ludus.service.clock import Moment, UptimeClock
from ludus.service.commands import Command, Tick
from ludus.service.decisions import Decision, decide, open_table, rematch_opening
from ludus.service.ports.bus import Bus, Note, TableChanged, TableRedacted
from ludus.service.ports.store import MAX_VERSIONS, Conflict, Store, Unavailable, Unreadable
from ludus.service.ports.writes import Append, Write
from ludus.service.records import Event
from ludus.service.table import EventKind, Opening, Table, folded

log = logging.getLogger(__name__)

MAX_TRIES = 8
"""How often a command is decided when other processes keep winning the race."""
LONG = 50
"""Events; a table with more of them is folded in a thread, since that takes milliseconds."""
MAX_UNREADABLE = 1000
"""Damaged tables that are remembered; a damaged index could make any id look like one."""
MAX_ENDED = 256
"""Ended tables kept in memory."""


class NotFound(LudusError):
    code = "not_found"


class StaleVersion(LudusError):
    """The command was based on a version that is no longer current."""

    code = "stale_version"

    def __init__(self, current: int) -> None:
        super().__init__(f"the table is at version {current}")
        self.current = current


class CommandResult(NamedTuple):
    """What a command led to; `event` is None where it changed nothing or repeats an earlier command."""

    event: Event | None
    table: Table
    version: int


TransactionHook = Callable[[Decision], Awaitable[Sequence[Write]] | None]
"""Adds writes to an event's transaction: ratings, a session's status, webhooks. None where there are none."""


class LoadedTable:
    """A table in memory with all its events; `table` never runs ahead of the store."""

    __slots__ = ("events", "is_stale", "is_unconfirmed", "is_wanted", "lock", "newest", "table")

    def __init__(self, events: list[Event], table: Table) -> None:
        self.events = events
        self.table = table
        self.lock = asyncio.Lock()
        self.is_stale = False
        """Whether a commit that seemed to fail may have succeeded."""
        self.is_unconfirmed = False
        """Whether its past may have changed without this process being notified: it must be read again."""
        self.newest = table.version
        """The latest version that is known to be stored, by whichever process."""
        self.is_wanted = True
        """Whether it has been requested here since another process last changed it."""

    @property
    def is_behind(self) -> bool:
        return self.newest > self.table.version

    @property
    def is_current(self) -> bool:
        return not self.is_behind and not self.is_unconfirmed


class Tables:
    def __init__(
        self,
        store: Store,
        bus: Bus,
        clock: UptimeClock,
        new_id: Callable[[], str],
        new_seed: Callable[[], bytes],
        *,
        is_shared: bool = False,
    ) -> None:
        """`is_shared` says whether other processes may change the same tables."""
        self._store = store
        self._bus = bus
        self._clock = clock
        self._new_seed = new_seed
        self._is_shared = is_shared
        self.new_id = new_id
        self.hooks: list[TransactionHook] = []
        self.on_rewritten: list[Callable[[str], None]] = []
        """Called with the id of a table whose past has changed or is gone: nothing written about it may be kept."""
        self._live: dict[str, LoadedTable] = {}
        self._ended: OrderedDict[str, LoadedTable] = OrderedDict()
        self.unreadable: set[str] = set()
        """Tables whose records are damaged."""
        self._player_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._read_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._noted: dict[str, int] = {}
        """The latest version announced while a table is being read; by table."""
        self._rewrites = 0
        """How often the past of any table has changed."""

    def __len__(self) -> int:
        """The number of live tables in memory."""
        return len(self._live)

    def uptime(self) -> int:
        """What the players' clocks run by."""
        return self._clock.moment().clock

    def seed_for(self, game: str) -> bytes | None:
        """A secret seed where the game has dice."""
        rules = GAMES[game]
        return self._new_seed() if rules.chances(rules.variants["standard"]) else None

    async def open(self, opening: Opening, *writes: Write) -> Table:
        """Opens a table in one transaction with the other writes; on a `Conflict` nothing is stored."""
        decision = open_table(opening, self._clock.moment())
        await self._commit([decision], *writes)
        self._keep(LoadedTable([decision.event], decision.after))
        await self._bus.publish(TableChanged(opening.table, 1))
        return decision.after

    def cached(self, id: str) -> LoadedTable | None:
        """The table if it is in memory and as new as any version that this process knows of."""
        loaded = self._in_memory(id)
        if loaded is None or not loaded.is_current:
            return None
        loaded.is_wanted = True
        return loaded

    def _in_memory(self, id: str) -> LoadedTable | None:
        return self._live.get(id) or self._ended.get(id)

    def _confirmed(self, id: str) -> LoadedTable | None:
        """The table if it is in memory and, as far as it goes, is what is stored."""
        loaded = self._in_memory(id)
        return None if loaded is None or loaded.is_unconfirmed else loaded

    async def load(self, id: str) -> LoadedTable:
        loaded = self._confirmed(id)
        if loaded is None:
            async with self._read_locks.setdefault(id, asyncio.Lock()):  # once, however many ask
                loaded = self._confirmed(id) or await self._read_noting(id)
            before = self._in_memory(id)
            self._keep(loaded)
            if before is not None and before.table.opening != loaded.table.opening:
                self._forget(id)
        if loaded.is_behind:
            async with loaded.lock:
                if loaded.is_behind:
                    await self._refresh(loaded)
        loaded.is_wanted = True
        return loaded

    async def current(self, id: str) -> LoadedTable:
        """The table as it is stored, even if another process has just changed it.

        For reads of the current state, perhaps after a move that another process has acknowledged. Commands need only
        `load`, since they are compared and set.
        """
        if self._is_shared and id in self._live:
            for found, version in (await self._store.versions([id])).items():
                self.note_version(found, version)
        return await self.load(id)

    def is_concerned(self, note: TableChanged) -> bool:
        """Whether the table is in memory, or being read."""
        return note.table in self._live or note.table in self._ended or note.table in self._noted

    async def on_note(self, note: Note) -> None:
        """Must be the first listener: after a note from another process, the others read what that one has stored."""
        if isinstance(note, TableChanged):
            if note.event is None or not self._follow(note.event):
                self.note_version(note.table, note.version)
        elif isinstance(note, TableRedacted):
            self.discard(note.table)

    def _follow(self, event: Event) -> bool:
        """Takes over what another process has stored, without a read, if it is the next event of a table in use."""
        loaded = self._in_memory(event.table)
        if loaded is None or loaded.is_stale or not loaded.is_current or loaded.lock.locked() or not loaded.is_wanted:
            return False
        if loaded.table.version != event.version - 1:
            return False
        try:
            after = loaded.table.followed_by(event)
        except Exception as error:  # the store has the truth, and its reader reports what is wrong
            log.warning("a note about table %s does not fit: %s: %s", event.table, type(error).__name__, error)
            return False
        loaded.table, loaded.newest, loaded.is_wanted = after, after.version, False
        loaded.events.append(event)
        self._keep(loaded)
        return True

    def note_version(self, id: str, version: int) -> bool:
        """The store has this version. Returns whether the table is in memory here, and older."""
        if id in self._noted:
            self._noted[id] = max(self._noted[id], version)
        loaded = self._in_memory(id)
        if loaded is None:
            return False
        loaded.newest = max(loaded.newest, version)
        return loaded.is_behind

    async def catch_up(self) -> None:
        """Finds out which tables other processes have changed without this one being notified.

        Erasing a player's name changes no version. So ended tables, and those that may have ended, are read again when
        they are requested, and what was rendered from them is dropped if the names have changed. While the bus is away
        this happens once a second, so the name disappears here within a second too; it costs one read a second of each
        ended table that is requested, and nothing for the others.
        """
        self._rewrites += 1  # reads that have begun are repeated
        ids = [*self._live, *self._ended]
        for start in range(0, len(ids), MAX_VERSIONS):
            asked = ids[start : start + MAX_VERSIONS]
            stored = await self._store.versions(asked)
            for id in asked:
                if id not in stored:
                    if id in self._ended:
                        self.discard(id)  # deleted
                    continue
                is_behind = self.note_version(id, stored[id])
                loaded = self._in_memory(id)
                if loaded is not None and (is_behind or loaded.table.outcome):
                    loaded.is_unconfirmed = True
                if is_behind:
                    self._bus.notify(TableChanged(id, stored[id]))

    def evict_unused(self) -> None:
        """Drops live tables that have changed elsewhere and have not been requested here since."""
        for id, loaded in list(self._live.items()):
            if (loaded.is_behind or not loaded.is_wanted) and not loaded.lock.locked():
                del self._live[id]

    async def _read_noting(self, id: str) -> LoadedTable:
        """A version announced in the meantime may have been stored too late for the read."""
        self._noted[id] = 0
        try:
            loaded = await self._read(id)
            loaded.newest = max(loaded.newest, self._noted[id])
            return loaded
        finally:
            del self._noted[id]

    async def _read(self, id: str) -> LoadedTable:
        """A table that cannot be read is set aside: it is reported once, and costs nothing from then on."""
        if id in self.unreadable:
            raise Unreadable("the table's record cannot be read")
        try:
            while True:
                rewrites, events = self._rewrites, list(await self._store.events(id))
                if not events:
                    raise NotFound("there is no such table")
                table = folded(events) if len(events) < LONG else await asyncio.to_thread(folded, events)
                if rewrites == self._rewrites:  # else it may have been deleted in the meantime
                    return self._confirmed(id) or LoadedTable(events, table)
        except (NotFound, Unavailable):
            raise
        except (MemoryError, OSError) as error:  # a shortage passes, and the record is fine
            raise Unavailable(f"the table cannot be read now: {type(error).__name__}") from error
        except Exception as error:
            if len(self.unreadable) < MAX_UNREADABLE:
                self.unreadable.add(id)
            # the id is part of the text, so that each table gets its line
            log.error(f"table {id} cannot be read and is set aside: {type(error).__name__}: {error}")
            raise Unreadable("the table's record cannot be read") from error

    async def execute(
        self, id: str, command: Command, *, expected: int | None = None, name: str | None = None
    ) -> CommandResult:
        """Decides, stores and publishes. `expected` is the version it is based on; `name` makes it idempotent."""
        loaded = self.cached(id) or await self.load(id)
        changed: list[Table] = []
        await loaded.lock.acquire()
        try:
            return await self._execute(loaded, command, expected, name, changed)
        finally:  # publish outside the lock: subscribers may execute commands on the same table
            loaded.lock.release()
            for table in changed:
                event = loaded.events[-1] if self._is_shared and table.id == id else None
                is_last = event is not None and event.version == table.version
                await self._bus.publish(TableChanged(table.id, table.version, event=event if is_last else None))

    async def redact(self, id: str, *writes: Write) -> None:
        """Commits writes that replace stored events of an ended table, and reads it again."""
        loaded = self.cached(id) or await self.load(id)
        async with loaded.lock:
            await self._store.commit(*writes)
            loaded.events = list(await self._store.events(id))
            loaded.table = folded(loaded.events)
            self._forget(id)
        await self._bus.publish(TableRedacted(id))

    async def note_deleted(self, id: str) -> None:
        """The table is no longer stored: no process may show it."""
        self.discard(id)
        await self._bus.publish(TableRedacted(id))

    def discard(self, id: str) -> None:
        """Removes from memory a table that is no longer stored."""
        for loaded in (self._live.pop(id, None), self._ended.pop(id, None)):
            if loaded is not None:
                loaded.is_unconfirmed = True  # a command that is being executed may keep it
        self.unreadable.discard(id)
        self._forget(id)

    def _forget(self, id: str) -> None:
        self._rewrites += 1
        for forget in self.on_rewritten:
            forget(id)

    async def _execute(
        self, loaded: LoadedTable, command: Command, expected: int | None, name: str | None, changed: list[Table]
    ) -> CommandResult:
        for _ in range(MAX_TRIES):
            if loaded.is_stale:
                changed += await self._refresh(loaded)
            elif loaded.is_behind:  # the process that stored the change notifies the others
                for table in await self._refresh(loaded):
                    self._bus.notify(TableChanged(table.id, table.version))
            try:
                decision = _decide(loaded.table, command, self._clock.moment(), expected, name)
            except LudusError:
                if not await self._is_behind(loaded):
                    raise
                continue
            if isinstance(decision, CommandResult):
                return decision
            try:
                stored = await self._store_decision(loaded, decision)
            except Unavailable:
                if not isinstance(command, Tick):  # nobody lost time by a deadline that could not be executed
                    self._clock.note_fault()
                raise
            if stored:
                changed += stored
                return CommandResult(decision.event, decision.after, decision.after.version)
        raise Conflict("the table is too busy; try again")

    async def _is_behind(self, loaded: LoadedTable) -> bool:
        """Whether another process has stored events that this one has not seen.

        A write on an old version fails by its compare-and-set, but a refusal writes nothing: before a command is
        refused, the store must confirm that the refusal is based on the current version.
        """
        row = await self._store.table(loaded.table.id)
        loaded.newest = max(loaded.newest, row.version if row is not None else 0)
        return loaded.is_behind

    async def _store_decision(self, loaded: LoadedTable, decision: Decision) -> list[Table]:
        """Returns the tables that changed; none if another process was faster."""
        decisions = [decision]
        if decision.event.kind == EventKind.REMATCHED:
            seed = self.seed_for(decision.after.opening.game)
            opening = rematch_opening(decision.after, decision.event.data["table"], seed)
            decisions.append(open_table(opening, self._clock.moment()))
        loaded.is_stale = True  # until the commit is known to have succeeded
        try:
            if decision.is_end and decision.after.opening.is_rated:
                async with self._players_locked(decision.after):
                    await self._commit(decisions)
            else:
                await self._commit(decisions)
        except Conflict:
            return []
        loaded.is_stale = False
        loaded.table = decision.after
        loaded.newest = max(loaded.newest, decision.after.version)
        loaded.events.append(decision.event)
        self._keep(loaded)
        for extra in decisions[1:]:
            self._keep(LoadedTable([extra.event], extra.after))
        return [each.after for each in decisions]

    async def _commit(self, decisions: Sequence[Decision], *others: Write) -> None:
        writes = list(others)
        for decision in decisions:
            writes.append(Append(decision.after.row(), decision.event))
            for hook in self.hooks:
                if (extra := hook(decision)) is not None:
                    writes += await extra
        await self._store.commit(*writes)

    @asynccontextmanager
    async def _players_locked(self, table: Table) -> AsyncIterator[None]:
        """Serializes rated games of one player that end at the same time: each updates the same rating."""
        async with AsyncExitStack() as stack:
            for key in sorted(seat.key for seat in table.seats):
                await stack.enter_async_context(self._player_locks.setdefault(key, asyncio.Lock()))
            yield

    async def _refresh(self, loaded: LoadedTable) -> list[Table]:
        """Reads events stored by other processes or by an interrupted commit; returns the table if there were any.

        A version announced in the meantime may have been stored too late for this read: then the table stays behind.
        One announced before is in it, or does not exist.
        """
        before, noted = loaded.table.version, loaded.newest
        for event in await self._store.events(loaded.table.id, after=before):
            loaded.table = loaded.table.followed_by(event)
            loaded.events.append(event)
        loaded.is_stale = False
        loaded.newest = loaded.table.version if loaded.newest == noted else max(loaded.newest, loaded.table.version)
        self._keep(loaded)
        return [loaded.table] if loaded.table.version > before else []

    def _keep(self, loaded: LoadedTable) -> None:
        id = loaded.table.id
        if loaded.table.outcome is None:
            self._live[id] = loaded
            return
        self._live.pop(id, None)
        self._ended[id] = loaded
        self._ended.move_to_end(id)
        while len(self._ended) > MAX_ENDED:
            self._ended.popitem(last=False)


def _decide(
    table: Table, command: Command, now: Moment, expected: int | None, name: str | None
) -> Decision | CommandResult:
    """A decision to store, or the result of a command that changes nothing."""
    if name is not None and table.commands and name in table.commands:
        return CommandResult(None, table, table.commands[name])
    if expected is not None and expected != table.version:
        raise StaleVersion(table.version)
    return decide(table, command, now, name) or CommandResult(None, table, table.version)
