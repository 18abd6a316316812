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

    Any 36 trials from a multiple of 36 on have every throw once as their first and once as their second; any 1,296 from
    a multiple of that on have every pair once. Later rolls are random. A trial's rolls depend on the seed and on its
    number only, so candidates that are compared have the same dice.
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
