"""A policy in a file: a multilayer perceptron from observations to a logit for each action.

The file is an `.npz` of plain arrays: `format`, `game`, and `weight_0`, `bias_0`, `weight_1` and so on. A layer is
`x @ weight + bias` in float32, with ReLU between layers and none after the last.

A policy that was trained with a tree search may have a value too: `value_weight` and `value_bias`, a layer beside the
last one, whose tanh is the result that the player to move expects; and `simulations`, the number a player should use.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from os import PathLike
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ludus.core.errors import MalformedObservation, MalformedPolicy, UnknownOption
from ludus.core.npz import BAD_FILE
from ludus.envs.encoding import find_encoding
from ludus.envs.options import check_integer
from ludus.envs.sampling.arrays import is_real, on_host

Array = NDArray[Any]
Path = str | PathLike[str]

FORMAT: Final = 1
MAX_BYTES: Final = 64 << 20
MAX_LAYERS: Final = 32
MAX_SIMULATIONS: Final = 10_000


class Layer(NamedTuple):
    weight: Array
    bias: Array


def highest(game: str) -> NDArray[np.int8]:
    """The greatest value of each entry of an observation; the least is 0. Read-only."""
    return find_encoding(game).high


def widths(game: str) -> tuple[int, int]:
    """How many inputs and outputs a policy has."""
    encoding = find_encoding(game)
    return encoding.high.size, encoding.num_actions


def inputs(game: str, observation: Array) -> NDArray[np.float32]:
    """A network's inputs: a row for each observation, each entry divided by its greatest value."""
    high = highest(game)
    return np.divide(observation, high, dtype=np.float32).reshape(-1, high.size)


def check_temperature(temperature: float) -> None:
    try:
        is_good = bool(0 <= temperature < np.inf)
    except (TypeError, ValueError):  # text, or several numbers
        is_good = False
    if not is_good:
        raise UnknownOption(f"a temperature is 0 or more, not {temperature!r}")


class Policy:
    def __init__(self, game: str, layers: Sequence[Layer], value: Layer | None = None, simulations: int = 0) -> None:
        self.game = game
        self.layers = tuple(layers)
        self.value = value
        self.simulations = simulations
        self._shape = find_encoding(game).shape

    @classmethod
    def from_layers(
        cls,
        game: str,
        layers: Sequence[tuple[Any, Any]],
        *,
        value: tuple[Any, Any] | None = None,
        simulations: int = 0,
    ) -> Self:
        """A policy from weights (inputs × outputs) and biases: arrays or tensors, which are copied.

        `value` is a layer with one output and the same inputs as the last layer; players search with it.
        """
        try:
            actions = find_encoding(game).num_actions
        except UnknownOption as error:
            raise MalformedPolicy(str(error)) from None
        made = check_layers(game, layers)
        width = made[-1].bias.size
        if width != actions:
            raise MalformedPolicy(f"the last layer has {width} outputs, but {game} has {actions} actions")
        return cls(game, made, _value(value, made[-1]), _simulations(simulations, value is not None))

    @classmethod
    def load(cls, path: Path) -> Self:
        game, arrays = read_arrays(path)
        simulations = arrays.pop("simulations", None)
        value = arrays.pop("value_weight", None), arrays.pop("value_bias", None)
        return cls.from_layers(
            game,
            read_layers(path, arrays),
            value=None if value[0] is None and value[1] is None else value,
            simulations=0 if simulations is None else _integer(simulations),
        )

    def save(self, path: Path) -> None:
        """Writes to exactly this path, which should end in `.npz`."""
        more = {}
        if self.value:
            more = {"value_weight": self.value.weight, "value_bias": self.value.bias}
            more["simulations"] = np.array(self.simulations)
        write_arrays(path, self.game, self.layers, **more)

    def logits(self, observation: Array) -> NDArray[np.float32]:
        """A logit for each action, a row for each observation; not masked."""
        return apply_layer(self.layers[-1], self._inner(observation))

    def evaluate(self, observation: Array, mask: Array) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits, and the results that the players to move expect, for a search. Needs a policy with a value."""
        if self.value is None:
            raise UnknownOption("this policy has no value")
        inner = self._inner(observation)
        return apply_layer(self.layers[-1], inner), np.tanh(apply_layer(self.value, inner)[:, 0])

    def _inner(self, observation: Array) -> NDArray[np.float32]:
        """The inputs of the last layer."""
        return inner_values(self.game, self.layers, observation)

    def act(
        self, observation: Array, mask: Array, rng: np.random.Generator | None = None, temperature: float = 0
    ) -> Any:
        """A legal action for one observation, or a row of them for many.

        At temperature 0 it has the highest logit; above, `rng` draws it from the softmax of the logits divided by the
        temperature.
        """
        check_temperature(temperature)
        if temperature and rng is None:
            raise UnknownOption("a temperature above 0 needs an rng")
        rows = check_observation(self.game, observation).shape[: -len(self._shape)]
        uniform = rng.random(rows) if rng is not None and temperature else np.zeros(rows)
        chosen = self.choose(observation, mask, np.atleast_1d(uniform), temperature)
        return chosen if rows else int(chosen[0])

    def choose(self, observation: Array, mask: Array, uniform: Array, temperature: float = 0) -> NDArray[np.int64]:
        """Like `act`, with a random number from 0 to 1 for each row instead of a generator."""
        check_temperature(temperature)
        logits = self.logits(observation)
        legal = _checked_mask(mask, logits.shape, np.ndim(observation) - len(self._shape))
        values = np.where(legal, logits, -np.inf)
        if temperature == 0:
            return np.asarray(values.argmax(axis=1), np.int64)
        with np.errstate(over="ignore"):
            weights = np.exp((values - values.max(axis=1, keepdims=True)) / np.float64(temperature))
        sums = weights.cumsum(axis=1)
        marks = np.minimum(uniform * sums[:, -1], np.nextafter(sums[:, -1], 0))
        return np.asarray((sums <= marks[:, None]).sum(axis=1), np.int64)


def inner_values(game: str, layers: Sequence[Layer], observation: Array) -> NDArray[np.float32]:
    """The inputs of the last layer, a row for each observation."""
    values = inputs(game, check_observation(game, observation))
    with np.errstate(over="ignore", invalid="ignore"):
        for weight, bias in layers[:-1]:
            values = np.maximum(values @ weight + bias, 0)
    return values


def check_observation(game: str, observation: Array) -> Array:
    """Returns one observation of the game, or many, as an array; raises if they are something else."""
    shape, got = find_encoding(game).shape, np.asarray(observation)
    if got.shape not in (shape, (len(got) if got.ndim else 0, *shape)) or got.dtype.kind not in "iu":
        found = f"{got.dtype} {got.shape}"
        raise MalformedObservation(f"an observation of {game} is integers of shape {shape}, not {found}")
    return got


def _checked_mask(mask: Array, shape: tuple[int, ...], leading: int) -> Array:
    got = np.asarray(mask)
    if got.shape != (shape if leading else shape[1:]) or got.dtype.kind not in "iub":
        raise MalformedObservation(f"the mask must be integers of shape {shape}, not {got.dtype} {got.shape}")
    legal: Array = got.reshape(shape) != 0
    if not legal.any(axis=1).all():
        raise MalformedObservation("a mask allows no action")
    return legal


def apply_layer(layer: Layer, values: NDArray[np.float32]) -> NDArray[np.float32]:
    with np.errstate(over="ignore", invalid="ignore"):
        found: NDArray[np.float32] = values @ layer.weight + layer.bias
    return found if np.isfinite(found).all() else np.nan_to_num(found)


def _value(pair: tuple[Any, Any] | None, last: Layer) -> Layer | None:
    if pair is None:
        return None
    value = _layer("value", pair, len(last.weight))
    if value.bias.size != 1:
        raise MalformedPolicy(f"the value has {value.bias.size} outputs instead of one")
    return value


def _simulations(number: Any, has_value: bool) -> int:
    try:
        return check_integer("simulations", number, 0, MAX_SIMULATIONS if has_value else 0)
    except UnknownOption:
        span = f"an integer, 0 to {MAX_SIMULATIONS:,}, and 0 without a value"
        raise MalformedPolicy(f"`simulations` must be {span}, not {number!r}") from None


def _integer(array: Array) -> int:
    if array.shape or array.dtype.kind not in "iu":
        raise MalformedPolicy("`simulations` is not an integer")
    return int(array)


def check_layers(game: str, layers: Sequence[tuple[Any, Any]]) -> list[Layer]:
    """The layers, if they fit together and the game's observations; else raises."""
    if not 1 <= len(layers) <= MAX_LAYERS:
        raise MalformedPolicy(f"a policy has 1 to {MAX_LAYERS} layers, not {len(layers)}")
    made, width = [], highest(game).size
    for number, pair in enumerate(layers):
        made.append(_layer(number, pair, width))
        width = made[-1].bias.size
    if sum(part.nbytes for layer in made for part in layer) > MAX_BYTES:
        raise MalformedPolicy(f"the layers are larger than {MAX_BYTES:,} bytes")
    return made


def write_arrays(path: Path, game: str, layers: Sequence[Layer], **more: Array) -> None:
    arrays: dict[str, Any] = {"format": np.array(FORMAT), "game": np.array(game)} | more
    for number, layer in enumerate(layers):
        arrays |= {f"weight_{number}": layer.weight, f"bias_{number}": layer.bias}
    with open(path, "wb") as file:  # noqa: PTH123  # a path may be any PathLike
        np.savez(file, **arrays)


def read_arrays(path: Path) -> tuple[str, dict[str, Array]]:
    """The game, and the arrays after it."""
    arrays = _read(path)
    version, game = arrays.pop("format", None), arrays.pop("game", None)
    if version is None or version.shape or version.dtype.kind not in "iu" or version != FORMAT:
        raise MalformedPolicy(f"{path}: `format` is not {FORMAT}")
    if game is None or game.shape or game.dtype.kind != "U":
        raise MalformedPolicy(f"{path}: `game` is not text")
    return str(game), arrays


def read_layers(path: Path, arrays: dict[str, Array]) -> list[tuple[Array, Array]]:
    names = [(f"weight_{number}", f"bias_{number}") for number in range(len(arrays) // 2)]
    if set(arrays) != {name for pair in names for name in pair}:
        raise MalformedPolicy(f"{path}: the arrays are not weight_0, bias_0, weight_1 and so on")
    return [(arrays[weight], arrays[bias]) for weight, bias in names]


def _layer(number: int | str, pair: tuple[Any, Any], width: int) -> Layer:
    try:
        weight, bias = (numbers_of(part) for part in pair)
    except (ValueError, TypeError):
        raise MalformedPolicy(f"layer {number} is not a weight and a bias of numbers") from None
    if weight.ndim != 2 or weight.shape[0] != width or bias.shape != weight.shape[1:] or not bias.size:
        problem = f"has shapes {weight.shape} and {bias.shape}; it needs ({width}, outputs) and (outputs,)"
        raise MalformedPolicy(f"layer {number} {problem}")
    if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
        raise MalformedPolicy(f"layer {number} has numbers that are not finite")
    return Layer(weight, bias)


def numbers_of(array: Any) -> NDArray[np.float32]:
    """A copy, since an array of a network that goes on learning would change with it."""
    found = on_host(array)
    if not is_real(found):
        raise ValueError(f"{found.dtype} is no type of real numbers")
    with np.errstate(over="ignore"):
        return np.array(found, np.float32)


def _read(path: Path) -> dict[str, Array]:
    """The arrays of an `.npz`; it refuses pickles and anything larger than the file declares."""
    try:
        with zipfile.ZipFile(path) as file:
            members = file.infolist()
            if len(members) > 2 * MAX_LAYERS + 5 or sum(member.file_size for member in members) > MAX_BYTES:
                raise ValueError(f"it holds more than {MAX_BYTES:,} bytes or {MAX_LAYERS} layers")
            return {member.filename.removesuffix(".npy"): _array(_unpack(file, member)) for member in members}
    except BAD_FILE as error:
        problem = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise MalformedPolicy(f"{path}: not a policy file: {problem}") from None


def _unpack(file: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("it is compressed in a way NumPy doesn't write")
    with file.open(member) as packed:
        return packed.read(member.file_size)  # without a size it would unpack everything first


def _array(data: bytes) -> Array:
    stream = io.BytesIO(data)
    read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(stream)]
    shape, is_fortran, dtype = read_header(stream)
    if dtype.kind not in "iufU":
        raise ValueError(f"an array of {dtype} is not accepted")
    return np.frombuffer(data[stream.tell() :], dtype).reshape(shape, order="F" if is_fortran else "C")
