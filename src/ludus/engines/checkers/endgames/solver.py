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
"""Positions between two progress reports."""
MAX_DISTANCE: Final = 2 * 255 + 1
"""The largest value in `distances`: a byte holds up to 255 moves of one side."""


class Progress(NamedTuple):
    """Positions initialized and, once all are, the plies up to which distances are known."""

    initialized: int
    plies: int | None = None


def solve(pair: Pair, wld: Bytes, lengths: Bytes) -> Iterator[Progress]:
    """Finally writes the pair's values into tables that hold all earlier slices."""
    code = compiled(retrograde)
    work = _work(pair, wld, lengths)
    initialized = 0
    for chunk in _chunks(pair):
        code.init_slice(work, *chunk)
        initialized += chunk[-1] - chunk[-2]
        yield Progress(initialized)
    level, found = 1, 1
    while found or level <= _longest(work):
        found = sum(code.retract_level(work, *chunk, level) for chunk in _chunks(pair))
        yield Progress(initialized, level - 1)
        level += 1
    _write(code, pair, work)


def _work(pair: Pair, wld: Bytes, lengths: Bytes) -> Work:
    room = pair.end - pair.start
    kernel_layout, out = layout.kernel_layout(pair.pieces), np.zeros(MOST_MOVES * WORDS, np.int64)
    return Work(np.zeros(room, np.uint16), np.zeros(room, np.uint8), pair.start, wld, lengths, kernel_layout, out)


def _chunks(pair: Pair) -> Iterator[tuple[tuple[int, ...], int, int, int]]:
    """Every slice of the pair in chunks: its piece numbers, its start, a range of places."""
    for part in pair.slices:
        for first in range(0, part.size, CHUNK):
            yield tuple(part), layout.offset(part) - pair.start, first, min(first + CHUNK, part.size)


def _longest(work: Work) -> int:
    """The longest distance, found chunk by chunk to save memory."""
    parts = (work.distances[first : first + CHUNK] for first in range(0, work.distances.size, CHUNK))
    return max(int(np.where(part == DRAWN, 0, part).max()) for part in parts)


def _write(code: Any, pair: Pair, work: Work) -> None:
    if (longest := _longest(work)) > MAX_DISTANCE:
        raise WrongTables(f"a game of {pair} lasts {longest - 1} moves, more than the tables can hold")
    work.wld[pair.start // 4 : pair.end // 4] = 0  # an interrupted build may have started writing here
    for part in pair.slices:
        code.write_slice(work, layout.offset(part) - pair.start, part.size)
