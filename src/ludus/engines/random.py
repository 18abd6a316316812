"""The weakest player there is, and the fairest: every legal move is as likely as any other."""

from __future__ import annotations

from random import Random
from typing import TypeVar

from ludus.core.rules import Rules

P = TypeVar("P")
M = TypeVar("M")


class RandomPlayer:
    def choose(self, rules: Rules[P, M], position: P, rng: Random) -> M:
        return rng.choice(rules.moves(position))
