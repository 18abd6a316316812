"""The evaluation's weights: the file format, and the array that `evaluation` takes.

The file is an `.npz` with `format` (1) and `cells`, an int16 array of one row for each cell, in the order of
`evaluation`, and two columns, the weights for a full and for an empty board in sixteenths of a point.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from os import PathLike
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import LudusError
from ludus.core.npz import BAD_FILE
from ludus.engines.checkers.evaluation import (
    ALL_CELLS,
    BLOCK,
    CELLS,
    GATHER,
    GATHER_BIT,
    ODD_QUINARY,
    ODD_SMALL_BIT,
    ODD_SMALL_BLOCK,
    ODD_SMALL_GATHER,
    QUINARY,
    SMALL_BIT,
    SMALL_BLOCK,
    SMALL_GATHER,
    TERNARY,
)

FORMAT: Final = 1
PACKAGED: Final = "weights.npz"

PackedWeights = NDArray[np.int16]


class MalformedWeights(LudusError):
    """A weights file that can't be read or doesn't match this version's evaluation."""

    code: ClassVar[str] = "malformed_weights"


def pack(cells: NDArray[Any]) -> PackedWeights:
    """The array that `evaluation` takes: tables of digits, then the cells."""
    made = np.zeros(CELLS + 2 * ALL_CELLS, np.int16)
    made[TERNARY : TERNARY + 256] = digits(BLOCK, GATHER, GATHER_BIT, 3)
    made[QUINARY : QUINARY + 64] = digits(SMALL_BLOCK, SMALL_GATHER, SMALL_BIT, 5)
    made[ODD_QUINARY : ODD_QUINARY + 64] = digits(ODD_SMALL_BLOCK, ODD_SMALL_GATHER, ODD_SMALL_BIT, 5)
    made[CELLS:] = cells.reshape(-1)
    return made


def digits(block: int, product: int, bit: int, base: int) -> list[int]:
    """For each set of squares, indexed by its product: the number with a digit 1 for every square in the set."""
    bits = [1 << b for b in range(64) if block >> b & 1]
    table = [0] * (1 << len(bits))
    for number in range(len(table)):
        chosen = [k for k in range(len(bits)) if number >> k & 1]
        squares = sum(bits[k] for k in chosen)
        table[squares * product >> bit & len(table) - 1] = sum(base**k for k in chosen)
    return table


@cache
def packaged() -> PackedWeights:
    """The weights that come with the package; cached."""
    with files(__package__).joinpath(PACKAGED).open("rb") as file:
        return read(file)


def load(path: str | PathLike[str]) -> PackedWeights:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  # a path may be any PathLike
            return read(file)
    except OSError as error:
        raise MalformedWeights(f"cannot read {path}: {error.strerror}") from error


def read(file: Any) -> PackedWeights:
    try:
        with np.load(file, allow_pickle=False) as parts:
            if int(parts["format"]) != FORMAT:
                raise MalformedWeights(f"weights of format {int(parts['format'])}; this version reads format {FORMAT}")
            cells = parts["cells"]
    except MalformedWeights:
        raise
    except BAD_FILE as error:
        raise MalformedWeights("this is not a weights file") from error
    if cells.shape != (ALL_CELLS, 2) or cells.dtype != np.int16:
        raise MalformedWeights(f"cells are {cells.dtype} of shape {cells.shape}, not int16 of shape ({ALL_CELLS}, 2)")
    return pack(cells)


def save(path: str | PathLike[str], made: PackedWeights) -> None:
    np.savez_compressed(path, format=np.int64(FORMAT), cells=made[CELLS:].reshape(-1, 2))
