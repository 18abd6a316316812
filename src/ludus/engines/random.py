"""Plays every legal move with the same probability."""

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
        """Any move, or a roll by its weight: a given double is one of 21 rolls, but occurs once in 36."""
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        return rng.choice(rules.moves(position))
