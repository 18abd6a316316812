"""The weakest player there is, and the fairest: every legal move is as likely as any other."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from ludus.core.rules import Rules
from ludus.engines.engine import Limit

P = TypeVar("P")
M = TypeVar("M")


class RandomPlayer:
    def choose(self, rules: Rules[P, M], position: P, limit: Limit, rng: Random, past: Sequence[P] = ()) -> M:
        return rng.choice(rules.moves(position))
