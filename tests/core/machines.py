"""One source, three machines: the kernels interpreted, compiled, and inside a CUDA kernel, on the same positions.

NUMBA_ENABLE_CUDASIM=1 python tests/core/machines.py 2000    # without a GPU, in Numba's simulator
python tests/core/machines.py 200000                         # on a GPU
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np

from ludus.core.cuda import cuda
from ludus.core.kernel import compiled, for_cuda
from ludus.core.rules import Turn
from ludus.games import GAMES
from ludus.games.backgammon import kernel as backgammon
from ludus.games.checkers import kernel as checkers

CHECKERS_ROOM = checkers.MOST_MOVES
BACKGAMMON_ROOM = 1024
"""Plays of one roll met in random games stay below this."""


def positions(name: str, number: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Positions of random games in which somebody is to move, as the kernel takes them."""
    rows: list[tuple[int, ...]] = []
    rules, rng = GAMES[name].compiled(), random.Random(number)
    while len(rows) < number:
        position = rules.variants["standard"]
        while rules.turn(position) is not Turn.OVER and len(rows) < number:
            if rules.turn(position).player is not None:
                rows.append(row(name, position))
            position = rules.play(position, rng.choice(rules.moves(position)))
    return np.array(rows, np.int64)


def row(name: str, position: Any) -> tuple[int, ...]:
    if name == "checkers":
        return position.own, position.other, position.kings, position.mover
    return *position.own, *position.other, *position.dice


def by_cpu(write: Any, rows: Any, room: int, out: Any) -> list[int]:
    """Writes each position's list at its own place in `out`; returns the lists' lengths."""
    return [int(write(out, i * room, *map(int, r))) - i * room for i, r in enumerate(rows)]


def by_cuda(name: str, rows: Any, words: int) -> tuple[list[int], Any]:
    out = cuda.to_device(np.zeros(words, np.int64))
    counts = cuda.to_device(np.zeros(len(rows), np.int64))
    kernel = checkers_kernel() if name == "checkers" else backgammon_kernel()
    kernel[(len(rows) + 63) // 64, 64](cuda.to_device(rows), out, counts)
    return counts.copy_to_host().tolist(), out.copy_to_host()


def checkers_kernel() -> Any:
    write, room = for_cuda(checkers).write_moves, CHECKERS_ROOM

    @cuda.jit
    def run(rows: Any, out: Any, counts: Any) -> None:
        i = cuda.grid(1)
        if i < rows.shape[0]:
            counts[i] = write(out, i * room, rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3]) - i * room

    return run


def backgammon_kernel() -> Any:
    write, room = for_cuda(backgammon).write_plays, BACKGAMMON_ROOM

    @cuda.jit
    def run(rows: Any, out: Any, counts: Any) -> None:
        i = cuda.grid(1)
        if i < rows.shape[0]:
            a, b, c, d, e, f = rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5]
            counts[i] = write(out, i * room, a, b, c, d, e, f) - i * room

    return run


def compare(name: str, kernel: Any, write: str, room: int, number: int) -> None:
    rows = positions(name, number)
    words = number * room * kernel.WORDS
    plain, quick = [0] * words, np.zeros(words, np.int64)
    interpreted = by_cpu(getattr(kernel, write), rows, room, plain)
    on_cpu = by_cpu(getattr(compiled(kernel), write), rows, room, quick)
    on_cuda, out = by_cuda(name, rows, words)
    assert max(interpreted) < room, "a list has outgrown its room"
    assert interpreted == on_cpu == on_cuda
    assert np.array_equal(plain, quick)
    assert np.array_equal(quick, out)
    print(f"{name}: {number} positions, {sum(on_cuda)} moves, the same on three machines")


if __name__ == "__main__":
    for_checkers = int(sys.argv[1])
    compare("checkers", checkers, "write_moves", CHECKERS_ROOM, for_checkers)
    compare("backgammon", backgammon, "write_plays", BACKGAMMON_ROOM, for_checkers)
