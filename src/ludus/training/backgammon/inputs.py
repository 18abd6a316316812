"""From a position's words to the numbers the network multiplies, four columns of the matrix at a time.

Bits of one word stand side by side in the matrix, and so do signs; a column that is left over is always zero.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ludus.engines.backgammon.network.features import INPUTS, KIND_BIT, KINDS, SCALES, SIGNS, SMALL, WORDS

WORD_BITS: Final = (50, 50, 50, 39)
"""Of the four words of one side's men."""
IS_SIGN: Final = 1 << 16
"""Marks four columns that hold bytes, not bits; above it stands the number of the first sign."""
SIGNS_AT: Final = 8


def _runs() -> list[tuple[int, int, int]]:
    """Word, first bit and number of columns that are read in a row, before they are filled up to fours."""
    men = [(4 * side + word, 0, bits) for side in range(2) for word, bits in enumerate(WORD_BITS)]
    return [*men, (SIGNS_AT, KIND_BIT, KINDS)]


def _padded(columns: int) -> int:
    return (columns + 3) // 4 * 4


def fours() -> NDArray[np.int64]:
    """For each four columns the word and the bit where they begin, a byte each, and which signs they are, if any."""
    bits = [(word, start + bit, 0) for word, start, columns in _runs() for bit in range(0, columns, 4)]
    bytes_ = [
        (word, 8 * byte, IS_SIGN | (6 * (word - SIGNS_AT) + byte) << 17)
        for word in range(SIGNS_AT, WORDS)
        for byte in (0, 4)
    ]
    empty = [(0, 60, 0)] * (-(len(bits) + len(bytes_)) % 4)
    return np.array([word | bit << 8 | mark for word, bit, mark in [*bits, *bytes_, *empty]], np.int64)


WIDTH: Final = 4 * len(fours())


def columns() -> NDArray[np.int64]:
    """In which column of the matrix each of the network's inputs is."""
    found: list[int] = []
    first = 0
    for _, _, number in _runs():
        found += range(first, first + number)
        first += _padded(number)
    found += [first + sign // 6 * 8 + sign % 6 for sign in range(2 * SIGNS)]
    assert len(found) == INPUTS
    return np.array(found, np.int64)


def values() -> NDArray[np.float32]:
    """What each number of each sign is fed as; the rows after the signs are for columns that are left over."""
    table = np.zeros((2 * SIGNS + 2, SMALL + 1), np.float32)
    table[: 2 * SIGNS] = np.arange(SMALL + 1) / np.array(SCALES * 2)[:, None]
    return table.reshape(-1)
