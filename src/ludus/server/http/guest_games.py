"""Games of guests, who have no key that could be limited: how many one address may start, and have at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from ludus.core.errors import LudusError
from ludus.server.http.rate_limit import HOUR, RequestLimit, SocketCount
from ludus.service.ports.bus import Note, TableChanged
from ludus.service.table import SeatKind, Table, is_page_game
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
        self.started = RequestLimit(per_hour, clock, HOUR)
        self._live: dict[str, str] = {}
        """The address of each live game."""
        self.busy = SocketCount(at_once)
        """How many games each address has, including those that are being opened."""

    @contextmanager
    def starting(self, address: str) -> Iterator[None]:
        """Counts a game that is opened in the block, unless that fails; `TooManyGames` if it is one too many."""
        if not self.busy.enter(address):
            raise TooManyGames(BUSY_SECONDS)
        try:
            quota = self.started.hit(address)
            if not quota.allowed:
                raise TooManyGames(quota.retry_after)
            try:
                yield
            except BaseException:
                self.take_back(address)
                raise
        finally:
            self.busy.leave(address)

    def take_back(self, address: str) -> None:
        """A game that was counted has not begun."""
        self.started.take_back(address)

    def note(self, table: Table, address: str) -> None:
        """A guest of this address sits at the table."""
        if not table.outcome and table.id not in self._live:
            self._live[table.id] = address
            self.busy.add(address)

    def is_concerned(self, note: TableChanged) -> bool:
        return note.table in self._live

    async def on_note(self, note: Note) -> None:
        if isinstance(note, TableChanged) and note.table in self._live:
            with suppress(NotFound):
                table = (await self._tables.load(note.table)).table
                if not table.outcome and not _is_left(table):
                    return
            if note.table in self._live:
                self.busy.leave(self._live.pop(note.table))


def _is_left(table: Table) -> bool:
    """Whether nobody is at a table of our page, where games wait for weeks; returning counts it again."""
    people = [seat for seat in (0, 1) if table.seats[seat].kind == SeatKind.PERSON]
    return is_page_game(table.seats) and all(table.away[seat] is not None for seat in people)
