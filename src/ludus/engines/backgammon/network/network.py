"""The network as Python calls it."""

from __future__ import annotations

import threading
from os import PathLike
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.kernel import compiled
from ludus.engines.backgammon.network import inference
from ludus.engines.backgammon.network.inference import Activations, Weights
from ludus.engines.backgammon.network.weights import load, new_activations


class Chances(NamedTuple):
    """For the side to roll; gammon chances include backgammons."""

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
        """From a file, or the package's weights."""
        return cls(load(path))

    def outcomes(self, low: int, high: int, other_low: int, other_high: int) -> NDArray[np.float32]:
        """Six chances that add up to one: win, gammon, backgammon for the side to roll, then for the other side."""
        out = np.empty(inference.OUTCOMES, np.float32)
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
        equities, out = np.empty(number, np.float32), np.empty(inference.OUTCOMES, np.float32)
        self._kernel.write_equities(equities, plays, 0, number, out, self.weights, self._activations())
        return equities

    def _activations(self) -> Activations:
        try:
            layers: Activations = self._local.layers
        except AttributeError:
            layers = self._local.layers = new_activations(self.weights)
        return layers
