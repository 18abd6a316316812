"""Checks what is stored: the summary of every game must be what its events lead to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final, NamedTuple

from ludus.service.ports.store import FIRST_PAGE, Cursor, Store, Unavailable
from ludus.service.records import TableRow
from ludus.service.table import folded

PAGE: Final = 500
EVER: Final = 1 << 62
"""Later than any time."""


class Integrity(NamedTuple):
    games: int
    moves: int
    damaged: tuple[str, ...]
    """Ids of games that cannot be replayed or whose summary differs."""


async def check(store: Store, on_game: Callable[[int], object] = lambda _number: None) -> Integrity:
    """Replays every game of a store that nobody writes to; `on_game` is called with their number so far."""
    games, moves, damaged = 0, 0, []
    async for row in _tables(store):
        games += 1
        moves += row.moves
        if not await _is_sound(store, row):
            damaged.append(row.id)
        on_game(games)
    return Integrity(games, moves, tuple(damaged))


async def _tables(store: Store) -> AsyncIterator[TableRow]:
    for row in await store.live_tables():
        yield row
    after = FIRST_PAGE
    while page := await store.tables_ended(EVER, PAGE, after):
        for row in page:
            yield row
        after = Cursor(page[-1].ended_at or 0, page[-1].id)


async def _is_sound(store: Store, row: TableRow) -> bool:
    try:
        return folded(await store.events(row.id)).row() == row
    except Unavailable:
        raise
    except Exception:  # a damaged record can raise anything
        return False
