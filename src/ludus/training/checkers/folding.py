"""Converts between learned weights and the engine's: weights of single pieces are folded into their blocks' cells."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ludus.engines.checkers.evaluation import (
    ALL_CELLS,
    BLOCK,
    BLOCKS,
    CELLS,
    MEN_CELLS,
    ODD_SMALL_BLOCK,
    SMALL_BLOCK,
    SMALL_BLOCKS,
    UNIT,
)
from ludus.engines.checkers.weights import PackedWeights, pack
from ludus.training.checkers.fit import KINDS, SCALE, WEIGHTS

MATERIAL: Final = (1.0, -1.0, 1.5, -1.5)
"""Initial piece values, before anything is learned."""

Floats = NDArray[np.float32]


def initial_weights() -> Floats:
    theta = np.zeros((WEIGHTS, 2), np.float32)
    theta[ALL_CELLS:] = np.repeat(MATERIAL, 32)[:, None]
    return theta


def fold(theta: Floats) -> PackedWeights:
    """The engine's weights, rounded."""
    cells, pieces = theta[:ALL_CELLS].astype(np.float64), theta[ALL_CELLS:].reshape(KINDS, 32, 2)
    men = [_squares(2 * k + 3 * (2 * k // 5), BLOCK) for k in range(BLOCKS)]
    crowned = [_small(k) for k in range(SMALL_BLOCKS)]
    _add(cells[:MEN_CELLS].reshape(BLOCKS, 3**8, 2), men, 3, {1: pieces[0], 2: pieces[1]})
    kings = cells[MEN_CELLS : MEN_CELLS + SMALL_BLOCKS * 5**6].reshape(SMALL_BLOCKS, 5**6, 2)
    _add(kings, crowned, 5, {3: pieces[2], 4: pieces[3]})
    return pack(np.clip(np.round(cells * (SCALE * UNIT)), -32767, 32767).astype(np.int16))


def unfold(made: PackedWeights) -> Floats:
    """Learned weights that `fold` turns into these, with everything in the cells and nothing in single pieces."""
    theta = np.zeros((WEIGHTS, 2), np.float32)
    theta[:ALL_CELLS] = made[CELLS:].reshape(-1, 2) / np.float32(SCALE * UNIT)
    return theta


def _small(block: int) -> list[int]:
    column, row = 2 * (block % 3), block // 3
    return _squares(16 * row + column, SMALL_BLOCK) if row < 2 else _squares(16 * row - 8 + column, ODD_SMALL_BLOCK)


def _squares(place: int, block: int) -> list[int]:
    """The squares of a block, 0 to 31, in the order of its digits."""
    return [b + place >> 1 for b in range(64) if block >> b & 1]


def _add(cells: NDArray[Any], blocks: list[list[int]], base: int, kinds: dict[int, Floats]) -> None:
    """Splits a piece's weight equally among its blocks."""
    shares = 1 / np.bincount(np.concatenate([np.array(block) for block in blocks]), minlength=32)
    numbers = np.arange(cells.shape[1])
    for block, squares in enumerate(blocks):
        for digit, square in enumerate(squares):
            value = numbers // base**digit % base
            for kind, weights in kinds.items():
                cells[block, value == kind] += weights[square] * shares[square]
