"""The weakest player there is, and the fairest: every legal move is as likely as any other."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from ludus.core.rules import Rules, Turn
from ludus.engines.engine import Limit, roll

P = TypeVar("P")
M = TypeVar("M")


class RandomPlayer:
    def choose(self, rules: Rules[P, M], position: P, limit: Limit, rng: Random, past: Sequence[P] = ()) -> M:
        """Any move; dice fall by their weights, since among the rolls a double is one of 21 but falls once in 36."""
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        return rng.choice(rules.moves(position))
