"""The network's weights: a file of plain arrays, and the same arrays as `inference` takes them.

The file is an `.npz` with `format` (1) and six float16 or float32 arrays, H wide, N narrow:
`weight_0` (413 × H) and `bias_0` (H), inputs in the order of `features`: for each side, mover first, seven sets of 25
places and 14 numbers of men off; eleven kinds; twelve signs for each side, divided by their `SCALES`;
`weight_1` (11 × H × N) and `bias_1` (11 × N); `weight_2` (11 × N × 6) and `bias_2` (11 × 6).
"""

from __future__ import annotations

import zipfile
import zlib
from importlib.resources import files
from os import PathLike
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import LudusError
from ludus.engines.backgammon.network.features import (
    INPUTS,
    KINDS,
    LEVELS,
    MEN_PLACES,
    OFF_LEVELS,
    SCALES,
    SIDE_INPUTS,
    SIGNS,
)
from ludus.engines.backgammon.network.inference import EMPTY_ROW, MOST_ROWS, OUTCOMES

FORMAT: Final = 1
NAMES: Final = ("weight_0", "bias_0", "weight_1", "bias_1", "weight_2", "bias_2")
BAD_FILE: Final = (ValueError, TypeError, OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error)
"""All that NumPy's reader raises at bytes that are not what they should be."""

Array = NDArray[np.float32]


class MalformedNetwork(LudusError):
    """A file of weights that cannot be read, or arrays that do not fit together."""

    code: ClassVar[str] = "malformed_network"


class Scratch(NamedTuple):
    """What one thread's `inference` writes into on the way."""

    wide: Array
    narrow: Array
    active: NDArray[np.int64]


class Weights(NamedTuple):
    """As `inference.write_chances` takes them, followed by a `Scratch`."""

    rows: Array
    first_bias: Array
    second: Array
    second_bias: Array
    last: Array
    last_bias: Array

    def scratch(self) -> Scratch:
        wide, narrow = self.second.shape[1:]
        return Scratch(
            np.zeros(wide, np.float32), np.zeros(narrow, np.float32), np.zeros(max(wide, MOST_ROWS) + 4, np.int64)
        )


def load(path: str | PathLike[str] | None = None) -> Weights:
    """The weights in a file, or those of the package."""
    if path is None:
        with files(__package__).joinpath("weights.npz").open("rb") as file:
            return read(file)
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return read(file)
    except OSError as error:
        raise MalformedNetwork(f"cannot read {path}: {error.strerror}") from error


def read(file: Any) -> Weights:
    try:
        with np.load(file, allow_pickle=False) as parts:
            if int(parts["format"]) != FORMAT:
                raise MalformedNetwork(f"weights of format {int(parts['format'])}; this version reads {FORMAT}")
            arrays = [np.ascontiguousarray(parts[name], np.float32) for name in NAMES]
    except MalformedNetwork:
        raise
    except BAD_FILE as error:
        raise MalformedNetwork(f"this is no file of weights: {error}") from error
    return check(Weights(fold(arrays[0]) if arrays[0].shape[:1] == (INPUTS,) else arrays[0], *arrays[1:]))


def check(weights: Weights) -> Weights:
    wide, narrow = weights.first_bias.size, weights.second_bias.shape[-1:]
    shapes = (
        (EMPTY_ROW + 1, wide),
        (wide,),
        (KINDS, wide, *narrow),
        (KINDS, *narrow),
        (KINDS, *narrow, OUTCOMES),
        (KINDS, OUTCOMES),
    )
    for name, array, shape in zip(NAMES, weights, shapes, strict=True):
        if array.shape != shape or not np.isfinite(array).all():
            raise MalformedNetwork(f"{name} is not made of finite numbers in a shape that fits the others")
    return weights


def fold(weight: Array) -> Array:
    """One row for each number of men on a place: what `at least two`, `at least three` and so on add up to.

    Signs are divided by their scales here, and a row of zeros comes last.
    """
    rows = np.zeros((EMPTY_ROW + 1, weight.shape[1]), np.float32)
    rows[:INPUTS] = weight
    for first in (0, SIDE_INPUTS):
        levels = rows[first : first + LEVELS * MEN_PLACES].reshape(LEVELS, MEN_PLACES, -1)
        levels[1:] = levels[1:].cumsum(0)
        off = rows[first + LEVELS * MEN_PLACES :][:OFF_LEVELS]
        off[:] = off.cumsum(0)
    rows[INPUTS - 2 * SIGNS : INPUTS] /= np.array(SCALES * 2, np.float32)[:, None]
    return rows
