"""Drives the retrograde analysis of a pair of slices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from ludus.core.kernel import compiled
from ludus.engines.checkers.endgames import layout, retrograde
from ludus.engines.checkers.endgames.layout import Bytes, Pair
from ludus.engines.checkers.endgames.retrograde import DRAWN, Work
from ludus.engines.checkers.endgames.tables import WrongTables
from ludus.games.checkers.kernel import MOST_MOVES, WORDS

CHUNK: Final = 1 << 19
"""Positions looked at between two signs of life."""
LATEST: Final = 2 * 255 + 1
"""What `ends` may hold at most: a byte has room for 255 moves of one side."""


class Stage(NamedTuple):
    """How far the solution has come: positions opened, and once all are, the plies up to which ends are known."""

    opened: int
    plies: int | None = None


def solve(pair: Pair, wld: Bytes, lengths: Bytes) -> Iterator[Stage]:
    """Writes the pair's values, at the end, into tables that hold all earlier slices."""
    code = compiled(retrograde)
    work = _work(pair, wld, lengths)
    opened = 0
    for chunk in _chunks(pair):
        code.open_slice(work, *chunk)
        opened += chunk[-1] - chunk[-2]
        yield Stage(opened)
    level, found = 1, 1
    while found or level <= _latest(work):
        found = sum(code.settle(work, *chunk, level) for chunk in _chunks(pair))
        yield Stage(opened, level - 1)
        level += 1
    _write(code, pair, work)


def _work(pair: Pair, wld: Bytes, lengths: Bytes) -> Work:
    room = pair.end - pair.start
    words, out = layout.words(pair.pieces), np.zeros(MOST_MOVES * WORDS, np.int64)
    return Work(np.zeros(room, np.uint16), np.zeros(room, np.uint8), pair.start, wld, lengths, words, out)


def _chunks(pair: Pair) -> Iterator[tuple[tuple[int, ...], int, int, int]]:
    """Every slice of the pair in parts: its numbers of pieces, where it begins, a range of places."""
    for part in pair.slices:
        for first in range(0, part.size, CHUNK):
            yield tuple(part), layout.offset(part) - pair.start, first, min(first + CHUNK, part.size)


def _latest(work: Work) -> int:
    """The greatest number in `ends` that is one of plies, found without a second array of that size."""
    parts = (work.ends[first : first + CHUNK] for first in range(0, work.ends.size, CHUNK))
    return max(int(np.where(part == DRAWN, 0, part).max()) for part in parts)


def _write(code: Any, pair: Pair, work: Work) -> None:
    if (latest := _latest(work)) > LATEST:
        raise WrongTables(f"a game of {pair} lasts {latest - 1} moves, more than the tables can hold")
    work.wld[pair.start // 4 : pair.end // 4] = 0  # an interrupted build may have begun to write here
    for part in pair.slices:
        code.write_values(work, layout.offset(part) - pair.start, part.size)
