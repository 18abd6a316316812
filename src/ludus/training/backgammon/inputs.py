"""How a position's words expand into the network's input matrix, four columns at a time.

Bits of one word are adjacent in the matrix, and so are features; padding columns are always zero.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ludus.engines.backgammon.network.features import FEATURES, INPUTS, KIND_BIT, KINDS, SCALES, SMALL, WORDS

WORD_BITS: Final = (50, 50, 50, 39)
"""Bits used in the four words of one side's men."""
IS_FEATURE: Final = 1 << 16
"""Marks four columns that hold bytes, not bits; the bits above it are the number of the first feature."""
FIRST_FEATURE_WORD: Final = 8


def _runs() -> list[tuple[int, int, int]]:
    """Runs of adjacent columns before padding: word, first bit, number of columns."""
    men = [(4 * side + word, 0, bits) for side in range(2) for word, bits in enumerate(WORD_BITS)]
    return [*men, (FIRST_FEATURE_WORD, KIND_BIT, KINDS)]


def _padded(columns: int) -> int:
    return (columns + 3) // 4 * 4


def fours() -> NDArray[np.int64]:
    """For each four columns: the word and bit where they start, a byte each, and the features they hold, if any."""
    bits = [(word, start + bit, 0) for word, start, columns in _runs() for bit in range(0, columns, 4)]
    bytes_ = [
        (word, 8 * byte, IS_FEATURE | (6 * (word - FIRST_FEATURE_WORD) + byte) << 17)
        for word in range(FIRST_FEATURE_WORD, WORDS)
        for byte in (0, 4)
    ]
    empty = [(0, 60, 0)] * (-(len(bits) + len(bytes_)) % 4)
    return np.array([word | bit << 8 | mark for word, bit, mark in [*bits, *bytes_, *empty]], np.int64)


WIDTH: Final = 4 * len(fours())


def columns() -> NDArray[np.int64]:
    """The matrix column of each of the network's inputs."""
    found: list[int] = []
    first = 0
    for _, _, number in _runs():
        found += range(first, first + number)
        first += _padded(number)
    found += [first + feature // 6 * 8 + feature % 6 for feature in range(2 * FEATURES)]
    assert len(found) == INPUTS
    return np.array(found, np.int64)


def values() -> NDArray[np.float32]:
    """The scaled value of each number of each feature; the last rows are for padding columns."""
    table = np.zeros((2 * FEATURES + 2, SMALL + 1), np.float32)
    table[: 2 * FEATURES] = np.arange(SMALL + 1) / np.array(SCALES * 2)[:, None]
    return table.reshape(-1)
