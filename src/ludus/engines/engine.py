"""What every engine can do."""

from __future__ import annotations

from random import Random
from typing import Protocol, TypeVar

from ludus.core.rules import Rules

P = TypeVar("P")
M = TypeVar("M")


class Engine(Protocol):
    def choose(self, rules: Rules[P, M], position: P, rng: Random) -> M:
        """One of the legal moves of a position that has some; all chance comes from `rng`."""
        ...


def roll(rules: Rules[P, M], position: P, rng: Random) -> M:
    """A roll of the dice by their weights."""
    chances = rules.chances(position)
    return rng.choices([rolled for rolled, _ in chances], [weight for _, weight in chances])[0]
