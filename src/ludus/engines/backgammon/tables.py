"""The bear-off tables, built when a process first needs them, in a second or less; nothing is stored on disk."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.kernel import compiled
from ludus.engines.backgammon import bearoff
from ludus.engines.backgammon.bearoff import CUBES, PAIR_RANKS, ROLL_COUNT, is_exact, is_home, rank
from ludus.games.backgammon.kernel import MOST_PLAYS, WORDS, is_off
from ludus.games.backgammon.position import Men, Position

MOST_SUCCESSORS: Final = 100_000
"""A bound for the number of all plays of all rolls with few men."""

PIPS_PER_ROLL: Final = 49 / 6
"""The average pips of a roll, doubles counted twice."""

_making = threading.Lock()


class BearoffTables(NamedTuple):
    """The tables that `bearoff.write_bearoff` takes."""

    rolls: NDArray[np.float32]
    """By rank: the chance that more than 0, 1, 2… rolls are needed to bear off."""
    first: NDArray[np.float32]
    """The same for bearing off the first man."""
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
    pairs = np.zeros((PAIR_RANKS, PAIR_RANKS))
    kernel.write_pairs(pairs, *_successors(kernel, plays))
    return pairs


def _successors(kernel: Any, plays: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    starts = np.zeros(PAIR_RANKS * ROLL_COUNT + 1, np.int64)
    successors = np.zeros(MOST_SUCCESSORS, np.int16)
    kernel.write_successors(starts, successors, plays, PAIR_RANKS)
    return starts, successors


def cube_pairs() -> NDArray[np.float64]:
    """By both ranks and by the cube (`bearoff.CENTRED`…): the money equity of the side to roll if it doesn't double.

    Cached like the other tables, but only games with a cube need it: do not mutate.
    """
    with _making:
        return _make_cube_pairs()


@cache
def _make_cube_pairs() -> NDArray[np.float64]:
    kernel, plays = compiled(bearoff), np.zeros(MOST_PLAYS * WORDS, np.int64)
    rolled, values = (np.zeros((PAIR_RANKS, PAIR_RANKS, CUBES)) for _ in range(2))
    kernel.write_cube_pairs(rolled, *_successors(kernel, plays), values)
    return rolled


class CubeEquities(NamedTuple):
    """Exact money equities of the side to roll, in units of the cube's value."""

    no_double: float
    double_take: float


def cube_equities(own: Men, other: Men, cube: int) -> CubeEquities | None:
    """The equities of the side to roll, whose men come first; None if the game is over or the table lacks it."""
    if is_off(*own) or is_off(*other) or not is_exact(*own, *other):
        return None
    row = cube_pairs()[rank(*own), rank(*other)]
    return CubeEquities(float(row[cube]), 2 * float(row[bearoff.OTHERS]))


def bearoff_cube(position: Position) -> CubeEquities | None:
    """The same for the player on roll; None without a cube, and in a match, where a point is not worth a point."""
    cube, mover = position.cube, position.mover
    if cube is None or mover is None or position.match is not None:
        return None
    who = bearoff.CENTRED if cube.owner is None else bearoff.OWN if cube.owner is mover else bearoff.OTHERS
    return cube_equities(position.own, position.other, who)


def effective_pips(men: Men) -> float | None:
    """The effective pip count: the average number of rolls to bear off, times the pips of a roll; None outside home."""
    if not is_home(*men):
        return None
    return float(bearoff_tables().rolls[rank(*men)].sum(dtype=np.float64)) * PIPS_PER_ROLL
