"""The bear-off tables, built in half a second when a process first looks ahead; nothing is stored on disk."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.kernel import compiled
from ludus.engines.backgammon import bearoff
from ludus.games.backgammon.kernel import MOST_PLAYS, WORDS

MOST_SUCCESSORS: Final = 100_000
"""More than all plays of all rolls with few men."""

_making = threading.Lock()


class BearoffTables(NamedTuple):
    """The tables that `bearoff.write_bearoff` takes."""

    rolls: NDArray[np.float32]
    """By rank: the chance that more than 0, 1, 2… rolls are needed to bear off."""
    first: NDArray[np.float32]
    """The same until one man is off."""
    pairs: NDArray[np.float64]
    """By both ranks: the winning chance of the side to roll."""


def bearoff_tables() -> BearoffTables:
    """The process's tables; cached, do not mutate."""
    with _making:
        return _make()


@cache
def _make() -> BearoffTables:
    kernel, plays = compiled(bearoff), np.zeros(MOST_PLAYS * WORDS, np.int64)
    return BearoffTables(*_rolls(kernel, plays), _pairs(kernel, plays))


def _rolls(kernel: Any, plays: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    rolls = np.zeros((bearoff.RANKS, bearoff.ROLLS), np.float32)
    first = np.zeros((bearoff.RANKS, bearoff.FIRST_ROLLS), np.float32)
    kernel.write_rolls(rolls, np.zeros(bearoff.RANKS), first, np.zeros(bearoff.RANKS), plays)
    return rolls, first


def _pairs(kernel: Any, plays: NDArray[np.int64]) -> NDArray[np.float64]:
    starts = np.zeros(bearoff.PAIR_RANKS * bearoff.ROLL_COUNT + 1, np.int64)
    successors = np.zeros(MOST_SUCCESSORS, np.int16)
    kernel.write_successors(starts, successors, plays, bearoff.PAIR_RANKS)
    pairs = np.zeros((bearoff.PAIR_RANKS, bearoff.PAIR_RANKS))
    kernel.write_pairs(pairs, starts, successors)
    return pairs
