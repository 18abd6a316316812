"""The dice of a rollout's trials."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from ludus.games.backgammon.rules import ROLLS

THROWS: Final = tuple(number for number, (_, weight) in enumerate(ROLLS) for _ in range(weight))
"""The 36 throws of two dice, as numbers of rolls in the kernel's order."""


class StratifiedDice:
    """First and second rolls run evenly through all throws, in an order that the seed decides.

    Any 36 trials that start at a multiple of 36 have every throw once as their first and once as their second roll; any
    1,296 that start at a multiple of 1,296 have every pair once. Later rolls are random. A trial's rolls depend only on
    the seed and its number, so candidates that are compared have the same dice.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        rng = Random(f"{seed} strata")
        self._firsts, self._seconds = (rng.sample(THROWS, len(THROWS)) for _ in range(2))

    def rolls(self, trial: int) -> Iterator[int]:
        block, row = divmod(trial, len(THROWS))
        yield self._firsts[row]
        yield self._seconds[(row + block) % len(THROWS)]
        rng = Random(f"{self._seed} {trial}")
        while True:
            yield rng.choice(THROWS)
