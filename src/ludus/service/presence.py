"""Presence: a player leaves the table when their last connection closes, to whichever process."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final, NamedTuple, TypeVar

from ludus.core.errors import LudusError
from ludus.service.clock import UptimeClock
from ludus.service.commands import Leave, Return
from ludus.service.connection_rows import ConnectionRows, Place
from ludus.service.ports.store import Conflict, Unavailable, Unreadable
from ludus.service.records import MEMBER_MS, ConnectionRow
from ludus.service.table import SeatKind
from ludus.service.tables import LoadedTable, NotFound, Tables

T = TypeVar("T")
QUIET: Final = 2_000
"""Milliseconds after a change during which a departure is not announced, so that nobody can flood the other player."""

BATCH: Final = 100
"""Rows or tables that are changed at once, so that they share commits."""
YOUNG: Final = 5_000
"""Milliseconds for which the players of a new table may be on their way to it, through another process."""


class Departure(NamedTuple):
    socket: str
    since: int
    """Uptime."""


class Presence:
    def __init__(self, tables: Tables, clock: UptimeClock, rows: ConnectionRows) -> None:
        self._tables = tables
        self._clock = clock
        self._rows = rows
        self._connections: Counter[Place] = Counter()
        self._changed: dict[Place, int] = {}
        """When a player left or returned, in uptime; kept as long as it matters."""
        self._departed: dict[Place, Departure] = {}
        """Players who are gone, but not yet marked as away at their tables."""
        self._unsettled: set[str] = set()
        """New tables whose players have not all arrived."""
        self._put_again: int | None = None
        """When the rows of all connections must be stored again, in uptime."""

    async def arrive(self, table: str, seat: int) -> bool:
        """Counts a connection; true if the player was away."""
        place = table, seat
        self._connections[place] += 1
        departure = self._departed.pop(place, None)
        try:
            await self._rows.put(place)
            is_return = (await self._tables.execute(table, Return(seat))).event is not None
        except BaseException:
            self._connections[place] -= 1
            if self._connections[place] <= 0:
                del self._connections[place]
                if departure is None and not self._rows.is_sole:  # its row may be stored
                    departure = Departure("", self._clock.moment().clock)
                if departure is not None:
                    self._departed[place] = departure
            raise
        if is_return:
            self._note_change(place)
        return is_return

    async def depart(self, table: str, seat: int, socket: str) -> None:
        """Notifies the table at once, or in a later `sweep` if the player has just left and returned."""
        place = table, seat
        self._connections[place] -= 1
        if self._connections[place] <= 0:
            del self._connections[place]
            self._departed[place] = Departure(socket, self._clock.moment().clock)
            if not self._is_quiet(place):
                await self._store_departure(place)

    async def sweep(self) -> None:
        """Stores the departures that have been held back for long enough."""
        self._changed = {place: at for place, at in self._changed.items() if self._is_quiet(place)}
        due = [place for place in self._departed if place not in self._changed]
        for error in await asyncio.gather(*map(self._store_departure, due), return_exceptions=True):
            if error is not None and not isinstance(error, NotFound | Unreadable):
                raise error

    async def reconcile(self, table: str) -> None:
        """Marks people without a connection as away and people with one as present.

        Needed after a restart, after a fault of the store, when a rematch starts, and when this process takes over
        from another.
        """
        live = await self._tables.load(table)
        for seat in (0, 1):
            if live.table.seats[seat].kind != SeatKind.PERSON or (table, seat) in self._departed:
                continue
            is_here = await self.is_here(table, seat)
            if not is_here and self._is_young(live):
                self._unsettled.add(table)
                continue
            try:
                await self._tables.execute(table, Return(seat) if is_here else Leave(seat))
            except Unavailable:
                raise
            except LudusError:
                return  # the game has just ended

    async def is_here(self, table: str, seat: int) -> bool:
        """Whether the player has a connection to any process."""
        return self._connections[table, seat] > 0 or await self._rows.is_elsewhere((table, seat))

    async def count(self) -> int:
        """The people at tables, in all processes."""
        return len(self._connections) if self._rows.is_sole else await self._rows.count()

    async def rejoin(self) -> None:
        """The other processes took this one for dead, and its players for gone.

        They may still be removing its rows, so these are stored a second time when that must be over.
        """
        self._rows.forget()
        self._put_again = self._clock.moment().clock + MEMBER_MS
        await self._store_rows()
        await _in_batches(self._settle, {table for table, _ in self._connections})

    async def _store_rows(self) -> None:
        """Rows of connections that are not stored, perhaps because the store failed."""
        if self._put_again is not None and self._clock.moment().clock >= self._put_again:
            self._put_again = None
            self._rows.forget()
        await _in_batches(self._rows.put, self._rows.missing(self._connections))

    async def _settle(self, table: str) -> None:
        with suppress(NotFound, Unreadable):
            await self.reconcile(table)

    async def sweep_orphans(self) -> None:
        """What other processes have left undone: connections of those that died, players who never arrived."""
        await self._store_rows()
        await _in_batches(self._remove, await self._rows.orphans())
        unsettled, self._unsettled = self._unsettled, set()
        await _in_batches(self._settle, unsettled)

    async def _remove(self, orphan: ConnectionRow) -> None:
        with suppress(NotFound, Unreadable, Conflict):
            if not await self.is_here(orphan.table, orphan.seat):
                await self._tables.execute(orphan.table, Leave(orphan.seat))
        await self._rows.remove(orphan)

    async def sweep_absences(self) -> None:
        """Players with a connection here whom another process took for gone, perhaps just as they arrived."""
        for table, seat in list(self._connections):
            live = self._tables.cached(table)
            if live is not None and live.table.away[seat] is not None and self._connections[table, seat] > 0:
                with suppress(NotFound, Unreadable, Conflict):
                    await self._tables.execute(table, Return(seat))

    def _is_young(self, live: LoadedTable) -> bool:
        """Whether its players may still be on their way, through another process."""
        return not self._rows.is_sole and self._clock.moment().clock - live.events[0].clock < YOUNG

    async def _store_departure(self, place: Place) -> None:
        """A departure that cannot be stored now is kept for a later sweep."""
        departure = self._departed.get(place)
        if departure is None:  # the player has returned, or the departure was stored, since the sweep began
            return
        table, seat = place
        now = self._clock.moment().clock
        since = departure.since if departure.since < now else None
        try:
            await self._rows.drop(place, lambda place: self._departed.get(place) is departure)
            if not await self._rows.is_elsewhere(place):
                await self._tables.execute(table, Leave(seat, departure.socket, since))
                if await self._rows.is_elsewhere(place):  # arrived there just before this was stored
                    await self._tables.execute(table, Return(seat))
        except (NotFound, Unreadable):
            self._departed.pop(place, None)
            raise
        finally:
            self._note_change(place)
        if self._departed.get(place) is departure:  # else the player has returned, or left again
            del self._departed[place]

    def _note_change(self, place: Place) -> None:
        self._changed[place] = self._clock.moment().clock

    def _is_quiet(self, place: Place) -> bool:
        at = self._changed.get(place)
        return at is not None and 0 <= self._clock.moment().clock - at < QUIET


async def _in_batches(do: Callable[[T], Awaitable[object]], items: Iterable[T]) -> None:
    """If any fails, the others of its batch are finished first."""
    rest = list(items)
    for start in range(0, len(rest), BATCH):
        done = await asyncio.gather(*map(do, rest[start : start + BATCH]), return_exceptions=True)
        for error in done:
            if isinstance(error, BaseException):
                raise error
