"""The network as Python calls it, and its file format.

The file is an `.npz` with `format` (2) and eight float16 or float32 arrays; H is the width of the input layer, N that
of the hidden layers:
`weight_0` (413 × H) and `bias_0` (H), inputs in the order of `features`: for each side, mover first, seven sets of 25
places and 14 numbers of men off; eleven kinds; twelve features for each side, divided by their `SCALES`;
`weight_1` (11 × H × N) and `bias_1` (11 × N); `weight_2` (11 × N × N) and `bias_2` (11 × N);
`weight_3` (11 × N × 6) and `bias_3` (11 × 6).
Files of format 1 lack the second hidden layer: their `weight_2` and `bias_2` are the output layer.
"""

from __future__ import annotations

import threading
from importlib.resources import files
from os import PathLike
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import LudusError
from ludus.core.kernel import compiled
from ludus.core.npz import BAD_FILE
from ludus.engines.backgammon.network import inference
from ludus.engines.backgammon.network.features import INPUTS, KINDS, WORDS
from ludus.engines.backgammon.network.inference import EMPTY_ROW, OUTCOMES, Activations, Weights
from ludus.engines.backgammon.network.quantization import quantize_inputs, quantize_layer
from ludus.engines.backgammon.network.sparse import LANES

FORMAT: Final = 2
NAMES: Final = ("weight_0", "bias_0", "weight_1", "bias_1", "weight_2", "bias_2", "weight_3", "bias_3")
BIAS_ROW: Final = EMPTY_ROW + 1
CACHE_LINE: Final = 64
"""The size of a cache line, in bytes."""

Array = NDArray[np.float32]


class MalformedNetwork(LudusError):
    """A weights file that can't be read, or arrays that don't fit together."""

    code: ClassVar[str] = "malformed_network"


class Chances(NamedTuple):
    """The chances of the side to roll; gammon chances include backgammons."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @property
    def equity(self) -> float:
        """Cubeless money equity, in points."""
        won = self.win_gammon + self.win_backgammon
        return 2 * self.win - 1 + won - self.lose_gammon - self.lose_backgammon


class Network:
    """Thread-safe: each thread has activations of its own."""

    def __init__(self, weights: Weights, *, plain: bool = False) -> None:
        self.weights = weights
        self._kernel: Any = inference if plain else compiled(inference)
        self._local = threading.local()

    @classmethod
    def load(cls, path: str | PathLike[str] | None = None) -> Self:
        """The network with the weights of a file, or of the package."""
        return cls(load(path))

    def outcomes(self, low: int, high: int, other_low: int, other_high: int) -> NDArray[np.float32]:
        """Six chances that add up to one: win, gammon, backgammon for the side to roll, then for the other side."""
        out = np.empty(OUTCOMES, np.float32)
        self._kernel.write_chances(out, 0, low, high, other_low, other_high, self.weights, self._activations())
        return out

    def chances(self, low: int, high: int, other_low: int, other_high: int) -> Chances:
        """`low` and `high` are the men of the side to roll, as in the game's kernel."""
        single, gammon, backgammon, _, lost_gammon, lost_backgammon = self.outcomes(
            low, high, other_low, other_high
        ).tolist()
        wins = backgammon, gammon + backgammon, single + gammon + backgammon
        return Chances(min(wins[2], 1.0), wins[1], wins[0], lost_gammon + lost_backgammon, lost_backgammon)

    def equities(self, plays: NDArray[np.int64], number: int) -> NDArray[np.float32]:
        """Equities of the first `number` plays of a list written by the game's kernel, for the side that makes them."""
        equities, out = np.empty(number, np.float32), np.empty(OUTCOMES, np.float32)
        self._kernel.write_equities(equities, plays, 0, number, out, self.weights, self._activations())
        return equities

    def _activations(self) -> Activations:
        try:
            layers: Activations = self._local.layers
        except AttributeError:
            layers = self._local.layers = new_activations(self.weights)
        return layers


def load(path: str | PathLike[str] | None = None) -> Weights:
    """The weights of a file, or of the package."""
    return quantized(load_arrays(path))


def load_arrays(path: str | PathLike[str] | None = None) -> dict[str, Array]:
    """The arrays of a file, or of the package's file, converted to the current format."""
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
                raise MalformedNetwork(f"weights of format {version}; this version reads formats 1 and {FORMAT}")
            names = NAMES if version == FORMAT else NAMES[:6]
            arrays = {name: np.ascontiguousarray(parts[name], np.float32) for name in names}
    except MalformedNetwork:
        raise
    except BAD_FILE as error:
        raise MalformedNetwork(f"this is not a weights file: {error}") from error
    return check(arrays if version == FORMAT else with_hidden_layer_2(arrays))


def with_hidden_layer_2(arrays: dict[str, Array]) -> dict[str, Array]:
    """Adds the layer that format 1 lacks, as an identity: its inputs are never negative."""
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
            raise MalformedNetwork(f"{name} has a wrong shape or values that are not finite")
    return arrays


def quantized(arrays: dict[str, Array]) -> Weights:
    wide = quantize_inputs(arrays["weight_0"], arrays["bias_0"])
    rows = padded(np.concatenate([wide.rows, wide.bias[None]]), 1)
    weight, scale = quantize_layer(arrays["weight_1"].transpose(0, 2, 1), inference.MOST_SQUARE)
    second = padded(padded(weight.transpose(0, 2, 1), 1), 2), scale
    parts = rows, padded(inference.SQUARE_ROOT / wide.one, 0), *second, *(arrays[name] for name in NAMES[3:])
    return Weights(*map(aligned, parts))


def padded(array: Any, axis: int) -> Any:
    """The array, padded with zeros to a multiple of a vector's size."""
    widths = [(0, 0)] * array.ndim
    widths[axis] = 0, -array.shape[axis] % LANES
    return np.pad(array, widths)


def new_activations(weights: Weights) -> Activations:
    """Buffers for no position yet: the accumulator is the bias."""
    (width, dots), hidden = weights.hidden1.shape[1:], weights.hidden1_bias.shape[1]
    return Activations(
        aligned(weights.input_rows[BIAS_ROW]),
        np.zeros(2 * WORDS, np.int64),
        aligned(np.zeros(width, np.int16)),
        aligned(np.zeros(dots, np.int32)),
        aligned(np.zeros(2 * hidden, np.float32)),
        np.zeros(2 * EMPTY_ROW + 4, np.int64),
    )


def aligned(array: Any) -> Any:
    """A copy that starts on a cache line: unaligned vector loads cost twice as much."""
    room = np.zeros(array.nbytes + CACHE_LINE, np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    found = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found
