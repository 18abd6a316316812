"""The network as Python asks it."""

from __future__ import annotations

import threading
from os import PathLike
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.kernel import compiled
from ludus.engines.backgammon.network import inference
from ludus.engines.backgammon.network.weights import Scratch, Weights, load


class Chances(NamedTuple):
    """Of the side to roll: to win, to win at least a gammon, a backgammon, to lose at least a gammon, a backgammon."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @property
    def equity(self) -> float:
        """The points to be expected in a game for money without the cube."""
        won = self.win_gammon + self.win_backgammon
        return 2 * self.win - 1 + won - self.lose_gammon - self.lose_backgammon


class Network:
    """Two threads may ask at once: each has its own scratch."""

    def __init__(self, weights: Weights, *, plain: bool = False) -> None:
        self.weights = weights
        self._kernel: Any = inference if plain else compiled(inference)
        self._local = threading.local()

    @classmethod
    def load(cls, path: str | PathLike[str] | None = None) -> Self:
        """From a file, or with the package's own weights."""
        return cls(load(path))

    def outcomes(self, low: int, high: int, other_low: int, other_high: int) -> NDArray[np.float32]:
        """Six chances that add up to one: win, gammon, backgammon of the side to roll, then the other's."""
        out = np.empty(inference.OUTCOMES, np.float32)
        self._kernel.write_chances(out, 0, low, high, other_low, other_high, *self.weights, *self._scratch())
        return out

    def chances(self, low: int, high: int, other_low: int, other_high: int) -> Chances:
        """What the side to roll may hope for; `low` and `high` are its men, as in the game's kernel."""
        single, gammon, backgammon, _, lost_gammon, lost_backgammon = self.outcomes(
            low, high, other_low, other_high
        ).tolist()
        wins = backgammon, gammon + backgammon, single + gammon + backgammon
        return Chances(min(wins[2], 1.0), wins[1], wins[0], lost_gammon + lost_backgammon, lost_backgammon)

    def values(self, plays: NDArray[np.int64], number: int) -> NDArray[np.float32]:
        """What each of the first plays of a list that the game's kernel has written is worth to who makes it."""
        values, out = np.empty(number, np.float32), np.empty(inference.OUTCOMES, np.float32)
        self._kernel.write_values(values, plays, 0, number, out, *self.weights, *self._scratch())
        return values

    def _scratch(self) -> Scratch:
        try:
            scratch: Scratch = self._local.scratch
        except AttributeError:
            scratch = self._local.scratch = self.weights.scratch()
        return scratch
