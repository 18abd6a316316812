"""The network's weights: a file of plain arrays, and the same arrays as `inference` takes them.

The file is an `.npz` with `format` (2) and eight float16 or float32 arrays, H wide, N narrow:
`weight_0` (413 × H) and `bias_0` (H), inputs in the order of `features`: for each side, mover first, seven sets of 25
places and 14 numbers of men off; eleven kinds; twelve signs for each side, divided by their `SCALES`;
`weight_1` (11 × H × N) and `bias_1` (11 × N); `weight_2` (11 × N × N) and `bias_2` (11 × N);
`weight_3` (11 × N × 6) and `bias_3` (11 × 6).
Files of format 1 lack the layer between: their `weight_2` and `bias_2` are what is the third here.
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
from ludus.engines.backgammon.network.features import INPUTS, KINDS, WORDS
from ludus.engines.backgammon.network.inference import EMPTY_ROW, MOST_SQUARE, OUTCOMES, SQUARE_ROOT
from ludus.engines.backgammon.network.integers import Shorts, in_integers, to_integers

FORMAT: Final = 2
NAMES: Final = ("weight_0", "bias_0", "weight_1", "bias_1", "weight_2", "bias_2", "weight_3", "bias_3")
BAD_FILE: Final = (ValueError, TypeError, OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error)
"""All that NumPy's reader raises at bytes that are not what they should be."""
BIAS_ROW: Final = EMPTY_ROW + 1
CACHE_LINE: Final = 64

Array = NDArray[np.float32]


class MalformedNetwork(LudusError):
    """A file of weights that cannot be read, or arrays that do not fit together."""

    code: ClassVar[str] = "malformed_network"


class Scratch(NamedTuple):
    """What one thread's `inference` writes into on the way; `wide` belongs to the position in `words`."""

    wide: Shorts
    words: NDArray[np.int64]
    squares: Shorts
    dots: NDArray[np.int32]
    narrow: Array
    changed: NDArray[np.int64]


class Weights(NamedTuple):
    """As `inference.write_chances` takes them, followed by a `Scratch`.

    The first two layers are in whole numbers: `scale` and `factor` tell what they stand for.
    """

    rows: Shorts
    scale: Array
    second: Shorts
    factor: Array
    second_bias: Array
    third: Array
    third_bias: Array
    last: Array
    last_bias: Array

    def scratch(self) -> Scratch:
        """With the sum of no rows at all."""
        narrow, wide = self.second.shape[1:]
        return Scratch(
            aligned(self.rows[BIAS_ROW]),
            np.zeros(2 * WORDS, np.int64),
            aligned(np.zeros(wide, np.int16)),
            np.zeros(narrow, np.int32),
            aligned(np.zeros(2 * narrow, np.float32)),
            np.zeros(2 * EMPTY_ROW + 4, np.int64),
        )


def load(path: str | PathLike[str] | None = None) -> Weights:
    """The weights in a file, or those of the package."""
    return prepared(load_arrays(path))


def load_arrays(path: str | PathLike[str] | None = None) -> dict[str, Array]:
    """The arrays of a file, or of the package's, as they are in a file of the newest format."""
    if path is None:
        with files(__package__).joinpath("weights.npz").open("rb") as file:
            return read(file)
    try:
        with open(path, "rb") as file:  # noqa: PTH123  # a path may be any PathLike
            return read(file)
    except OSError as error:
        raise MalformedNetwork(f"cannot read {path}: {error.strerror}") from error


def read(file: Any) -> dict[str, Array]:
    try:
        with np.load(file, allow_pickle=False) as parts:
            version = int(parts["format"])
            if version not in (1, FORMAT):
                raise MalformedNetwork(f"weights of format {version}; this version reads {FORMAT}")
            names = NAMES if version == FORMAT else NAMES[:6]
            arrays = {name: np.ascontiguousarray(parts[name], np.float32) for name in names}
    except MalformedNetwork:
        raise
    except BAD_FILE as error:
        raise MalformedNetwork(f"this is no file of weights: {error}") from error
    return check(arrays if version == FORMAT else deepened(arrays))


def deepened(arrays: dict[str, Array]) -> dict[str, Array]:
    """With the layer that format 1 lacked, which changes nothing: what comes in is never negative."""
    narrow = arrays["bias_1"].shape[-1]
    same = {
        "weight_2": np.tile(np.eye(narrow, dtype=np.float32), (KINDS, 1, 1)),
        "bias_2": np.zeros((KINDS, narrow), np.float32),
    }
    return arrays | same | {"weight_3": arrays["weight_2"], "bias_3": arrays["bias_2"]}


def check(arrays: dict[str, Array]) -> dict[str, Array]:
    wide, narrow = arrays["bias_0"].size, arrays["bias_1"].shape[-1:]
    shapes = (
        (INPUTS, wide),
        (wide,),
        (KINDS, wide, *narrow),
        (KINDS, *narrow),
        (KINDS, *narrow, *narrow),
        (KINDS, *narrow),
        (KINDS, *narrow, OUTCOMES),
        (KINDS, OUTCOMES),
    )
    for name, shape in zip(NAMES, shapes, strict=True):
        if arrays[name].shape != shape or not np.isfinite(arrays[name]).all():
            raise MalformedNetwork(f"{name} is not made of finite numbers in a shape that fits the others")
    return arrays


def prepared(arrays: dict[str, Array]) -> Weights:
    wide = in_integers(arrays["weight_0"], arrays["bias_0"])
    rows = np.concatenate([wide.rows, wide.bias[None]])
    second = to_integers(arrays["weight_1"].transpose(0, 2, 1), MOST_SQUARE)
    parts = rows, np.float32(SQUARE_ROOT) / wide.one, *second, *(arrays[name] for name in NAMES[3:])
    return Weights(*map(aligned, parts))


def aligned(array: Any) -> Any:
    """A copy that begins with a line of the cache: a wide load from anywhere else costs twice."""
    room = np.zeros(array.nbytes + CACHE_LINE, np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    found = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found
