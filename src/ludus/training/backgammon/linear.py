"""Fits the linear evaluator to the network: `python -m ludus.training.backgammon.linear FILE [TURNS]`.

The network plays itself, with one play in ten at random, so that positions of all kinds occur. From all positions that
plays could lead to, some are sampled; the weights are those that come closest to the network's equities there.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.engines.backgammon.linear import FEATURES, features, is_race, sides
from ludus.engines.backgammon.network import Network
from ludus.envs import batch
from ludus.envs.backgammon.kernel import HIGH, LOW, OTHER_HIGH, OTHER_LOW
from ludus.envs.batched.driver import HEADER

GAMES, TURNS, TAKEN = 256, 600, 6
"""Games at once, turns of each, and positions taken from each turn of each game."""
RANDOM = 0.1
RIDGE = 1.0
"""Keeps the weights of rare features near 0."""
WORDS = [HEADER + word for word in (OTHER_LOW, OTHER_HIGH, LOW, HIGH)]
"""Words of a state before the roll: the men of the side that has just played, and the other side's."""


class Sums(NamedTuple):
    """Sums of the products of features with each other and with the equities, for contact and for races."""

    squares: NDArray[np.float64]
    products: NDArray[np.float64]

    def add(self, men: NDArray[np.int8], equities: NDArray[Any]) -> None:
        seen, races = features(men).astype(np.float64), is_race(men)
        for kind, which in enumerate((~races, races)):
            self.squares[kind] += seen[which].T @ seen[which]
            self.products[kind] += seen[which].T @ equities[which]

    def weights(self) -> NDArray[np.float32]:
        ridge = RIDGE * np.eye(FEATURES)
        found = [np.linalg.solve(*pair) for pair in zip(self.squares + ridge, self.products, strict=True)]
        return np.array(found, np.float32)


def fit(games: int = GAMES, turns: int = TURNS, seed: int = 1) -> NDArray[np.float32]:
    env, network, rng = batch("backgammon", games, seed=seed), Network.load(), np.random.default_rng(seed)
    sums = Sums(np.zeros((2, FEATURES, FEATURES)), np.zeros((2, FEATURES)))
    for _ in range(turns):
        found = env.afterstates()
        rows = found.states[:, WORDS]
        plays = np.concatenate([rows, np.zeros((len(rows), 1), np.int64)], axis=1)
        equities = np.where(found.terminated, 1, network.equities(plays.reshape(-1), len(rows)))
        some = rng.integers(found.offsets[:-1], found.offsets[1:], size=(TAKEN, games)).reshape(-1)
        some = some[~found.terminated[some].astype(bool)]
        sums.add(sides(rows[some]), equities[some])
        anything = (rng.random(games) * found.counts).astype(np.int64)
        env.step_afterstates(np.where(rng.random(games) < RANDOM, anything, found.best(equities)))
    return sums.weights()


if __name__ == "__main__":
    path, *rest = sys.argv[1:]
    np.savez(path, weights=fit(turns=int(rest[0]) if rest else TURNS))
