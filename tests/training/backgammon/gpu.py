"""Compares the kernels of a training turn on a GPU with the interpreter, on a few games.

NUMBA_ENABLE_CUDASIM=1 python tests/training/backgammon/gpu.py    # without a GPU, in Numba's simulator
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.core.cuda import cuda
from ludus.engines.backgammon.network.features import WORDS
from ludus.training.backgammon import inputs, turns
from ludus.training.backgammon.gpu import launch

GAMES = 4


def both(name: str, number: int, *given: Any) -> None:
    """Runs both and checks that they change the given arrays alike."""
    plain = [part.copy() if isinstance(part, np.ndarray) else part for part in given]
    for i in range(number):
        getattr(turns, name)(i, *plain)
    moved = tuple(cuda.to_device(part) if isinstance(part, np.ndarray) else part for part in given)
    launch(name, number, moved)
    for one, two, out in zip(plain, moved, given, strict=True):
        if isinstance(one, np.ndarray) and isinstance(out, np.ndarray):
            out[:] = two.copy_to_host()
            assert np.array_equal(one, out), name
    print(name, "the same")


def main() -> None:
    state = np.zeros((turns.STATE, GAMES), np.int64)
    state[turns.LOW] = state[turns.OTHER_LOW] = turns.START_LOW
    state[turns.HIGH] = state[turns.OTHER_HIGH] = turns.START_HIGH
    state[turns.KEY] = np.arange(GAMES) * 1234567
    plays, counts = np.zeros(GAMES * turns.DOUBLE_ROOM * turns.WORDS, np.int64), np.zeros(GAMES, np.int64)
    both("list_rolled", GAMES, state, plays, counts)
    packed = np.zeros(WORDS * GAMES, np.int64)
    both("pack_state", GAMES, state, packed, GAMES)
    values = inputs.values().astype(np.float16).view(np.int16).astype(np.int64)
    out = np.zeros(GAMES * turns.FOURS, np.int64)
    both("expand_four", len(out), packed, GAMES, 0, inputs.fours(), values, out)
    rooms = np.array([turns.room_of(i, GAMES) for i in range(turns.ROLLS * GAMES)])
    plays, counts = np.zeros(GAMES * turns.ROOM * turns.WORDS, np.int64), np.zeros(turns.ROLLS * GAMES, np.int64)
    for i in range(len(counts)):
        turns.list_plays(i, GAMES, state, plays, counts)
    starts, equities = counts.cumsum() - counts, np.linspace(-1, 1, counts.sum())
    forks, is_fork = state.copy(), np.zeros(GAMES, np.int64)
    both("fork", GAMES, GAMES, state, starts, rooms, counts, plays, equities, rooms.copy(), 0.03, forks, is_fork)
    assert is_fork.all()
    kept, worth = np.zeros(20 * len(counts), np.int64), np.zeros(20 * len(counts))
    both("keep", len(counts), starts, rooms, counts, plays, equities, 20, kept, worth)
    assert (kept >= 0).any() and (kept < 0).any()
    after, is_over = np.zeros((turns.STATE, len(counts)), np.int64), np.ones(len(counts), np.int64)
    both("follow", len(counts), plays, rooms.copy(), after, is_over)
    assert not is_over.any()


if __name__ == "__main__":
    main()
