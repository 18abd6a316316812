"""A value function in a file: it plays by comparing the states that its moves lead to.

The file is that of a policy (`ludus.envs.policy`) with one more array, `points`: what each outcome is worth to the
player to act. The network has an output for each outcome; the value of a state is the mean of `points` under their
softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Self
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import MalformedPolicy, UnknownOption
from ludus.envs.encoding import find_encoding
from ludus.envs.policy import (
    Layer,
    apply_layer,
    check_layers,
    inner_values,
    numbers_of,
    read_arrays,
    read_layers,
    write_arrays,
)

Path = str | PathLike[str]


class Value:
    def __init__(self, game: str, points: NDArray[np.float32], layers: Sequence[Layer]) -> None:
        self.game = game
        self.points = points
        self.layers = tuple(layers)

    @classmethod
    def from_layers(cls, game: str, points: Any, layers: Sequence[tuple[Any, Any]]) -> Self:
        """A value function from the outcomes' points, weights (inputs × outputs) and biases, which are copied."""
        try:
            find_encoding(game)
        except UnknownOption as error:
            raise MalformedPolicy(str(error)) from None
        made, worth = check_layers(game, layers), _check_points(points)
        if made[-1].bias.size != worth.size:
            raise MalformedPolicy(f"the last layer has {made[-1].bias.size} outputs for {worth.size} outcomes")
        return cls(game, worth, made)

    @classmethod
    def load(cls, path: Path) -> Self:
        game, arrays = read_arrays(path)
        if "points" not in arrays:
            raise MalformedPolicy(f"{path}: there are no `points`")
        points = arrays.pop("points")
        return cls.from_layers(game, points, read_layers(path, arrays))

    def save(self, path: Path) -> None:
        """Writes to exactly this path, which should end in `.npz`."""
        write_arrays(path, self.game, self.layers, points=self.points)

    def __call__(self, observation: NDArray[Any]) -> NDArray[np.float32]:
        """The value of each observation to the player who sees it."""
        logits = apply_layer(self.layers[-1], inner_values(self.game, self.layers, observation))
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        values: NDArray[np.float32] = chances @ self.points / chances.sum(axis=1)
        return values


def _check_points(points: Any) -> NDArray[np.float32]:
    try:
        worth = numbers_of(points)
    except (ValueError, TypeError):
        raise MalformedPolicy("`points` are not numbers") from None
    if worth.ndim != 1 or worth.size < 2 or not np.isfinite(worth).all():
        raise MalformedPolicy("`points` are not a row of two or more finite numbers")
    return worth


def is_value(path: Path) -> bool:
    """Whether this is the file of a value function; False for a file that can't be read."""
    try:
        with ZipFile(path) as file:
            return "points.npy" in file.namelist()
    except (OSError, BadZipFile):
        return False
