"""Presence: a player leaves the table when their last connection to this process closes."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Final, NamedTuple

from ludus.core.errors import LudusError
from ludus.service.clock import UptimeClock
from ludus.service.commands import Leave, Return
from ludus.service.ports import Unavailable, Unreadable
from ludus.service.table import SeatKind
from ludus.service.tables import NotFound, Tables

QUIET: Final = 2_000
"""Milliseconds after a change during which a departure is not announced, so that nobody can flood the other player."""

Place = tuple[str, int]
"""A table and a seat."""


class Departure(NamedTuple):
    socket: str
    since: int
    """Uptime."""


class Presence:
    def __init__(self, tables: Tables, clock: UptimeClock) -> None:
        self._tables = tables
        self._clock = clock
        self._connections: Counter[Place] = Counter()
        self._changed: dict[Place, int] = {}
        """When a player left or returned, in uptime; kept as long as it matters."""
        self._departed: dict[Place, Departure] = {}
        """Those who are gone, but whose tables do not know it yet."""

    async def arrive(self, table: str, seat: int) -> bool:
        """Counts a connection; true if the player was away."""
        place = table, seat
        self._connections[place] += 1
        departure = self._departed.pop(place, None)
        try:
            is_return = (await self._tables.execute(table, Return(seat))).event is not None
        except BaseException:
            self._connections[place] -= 1
            if self._connections[place] <= 0:
                del self._connections[place]
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

        Needed after a restart, after a fault of the store, and when a rematch starts.
        """
        live = (await self._tables.load(table)).table
        for seat in (0, 1):
            if live.seats[seat].kind == SeatKind.PERSON and (table, seat) not in self._departed:
                command = Return(seat) if self._connections[table, seat] else Leave(seat)
                try:
                    await self._tables.execute(table, command)
                except Unavailable:
                    raise
                except LudusError:
                    return  # the game has just ended

    async def _store_departure(self, place: Place) -> None:
        """A departure that cannot be stored now is kept for a later sweep."""
        departure = self._departed.get(place)
        if departure is None:  # the player has returned, or the departure was stored, since the sweep began
            return
        table, seat = place
        now = self._clock.moment().clock
        since = departure.since if departure.since < now else None
        try:
            await self._tables.execute(table, Leave(seat, departure.socket, since))
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
