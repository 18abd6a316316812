"""Games of guests, who have no key that could be limited: how many one address may start, and have at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from ludus.core.errors import LudusError
from ludus.server.http.rate_limit import HOUR, RequestLimit
from ludus.service.ports import Note, TableChanged
from ludus.service.table import Table
from ludus.service.tables import NotFound, Tables

BUSY_SECONDS: Final = 60
"""`Retry-After` for an address with too many live games; any game that its player has left is over by then."""


class TooManyGames(LudusError):
    """The guests of an address have started too many games, or have too many at once."""

    code = "too_many_games"

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"too many games from this address; try again in {retry_after} s")
        self.retry_after = retry_after


class GuestGames:
    def __init__(self, tables: Tables, per_hour: int, at_once: int, clock: Callable[[], float]) -> None:
        """`clock` returns seconds since 1970."""
        self._tables = tables
        self._at_once = at_once
        self._started = RequestLimit(per_hour, clock, HOUR)
        self._live: dict[str, str] = {}
        """The address of each live game."""
        self._busy: Counter[str] = Counter()
        """How many games each address has, including those that are being opened."""

    @contextmanager
    def starting(self, address: str) -> Iterator[None]:
        """Counts a game that is opened meanwhile, unless that fails; `TooManyGames` if it is one too many."""
        if self._busy[address] >= self._at_once:
            raise TooManyGames(BUSY_SECONDS)
        quota = self._started.hit(address)
        if not quota.allowed:
            self._started.take_back(address)
            raise TooManyGames(quota.retry_after)
        self._busy[address] += 1
        try:
            yield
        except BaseException:
            self.take_back(address)
            raise
        finally:
            self._release(address)

    def take_back(self, address: str) -> None:
        """A game that was counted has not begun."""
        self._started.take_back(address)

    def note(self, table: Table, address: str) -> None:
        """A guest of this address sits at the table."""
        if not table.outcome and table.id not in self._live:
            self._live[table.id] = address
            self._busy[address] += 1

    async def on_note(self, note: Note) -> None:
        if isinstance(note, TableChanged) and note.table in self._live:
            with suppress(NotFound):
                if not (await self._tables.load(note.table)).table.outcome:
                    return
            if note.table in self._live:
                self._release(self._live.pop(note.table))

    def _release(self, address: str) -> None:
        self._busy[address] -= 1
        if not self._busy[address]:
            del self._busy[address]
