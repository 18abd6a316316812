"""Presence: a player leaves the table when their last connection to this process closes."""

from __future__ import annotations

from collections import Counter

from ludus.core.errors import LudusError
from ludus.service.commands import Leave, Return
from ludus.service.table import SeatKind
from ludus.service.tables import Tables


class Presence:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._connections: Counter[tuple[str, int]] = Counter()

    async def arrive(self, table: str, seat: int) -> bool:
        """Counts a connection; true if the player was away."""
        self._connections[table, seat] += 1
        return (await self._tables.execute(table, Return(seat))).event is not None

    async def depart(self, table: str, seat: int, socket: str) -> None:
        self._connections[table, seat] -= 1
        if self._connections[table, seat] <= 0:
            del self._connections[table, seat]
            await self._tables.execute(table, Leave(seat, socket))

    async def note_absent(self, table: str) -> None:
        """Marks people without a connection as away, after a restart or at the start of a rematch."""
        live = (await self._tables.load(table)).table
        for seat in (0, 1):
            if live.seats[seat].kind == SeatKind.PERSON and not self._connections[table, seat]:
                try:
                    await self._tables.execute(table, Leave(seat))
                except LudusError:
                    return  # the game has just ended
