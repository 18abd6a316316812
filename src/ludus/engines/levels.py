"""The bots' six levels. How strong they are, and how that was measured, is in docs/engines.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Final, TypeVar

from ludus.core.rules import Rules, Turn
from ludus.engines.adapters import LEVELS, adapter
from ludus.engines.engine import Limit, roll

__all__ = ["BOTS", "LEVELS", "RATINGS", "LevelPlayer"]

RATINGS: Final[Mapping[str, float]] = MappingProxyType(
    {"beginner": 900.0, "novice": 1100.0, "easy": 1300.0, "steady": 1400.0, "medium": 1500.0, "hard": 1700.0}
)
"""The initial ratings of the levels' bots, on the players' scale."""

P = TypeVar("P")
M = TypeVar("M")


@dataclass(frozen=True)
class LevelPlayer:
    """Plays every game at one level.

    A limit makes the lower levels think less, never more; the highest thinks as long as the limit allows.
    """

    level: str

    def choose(self, rules: Rules[P, M], position: P, limit: Limit, rng: Random, past: Sequence[P] = ()) -> M:
        """A legal move, or a roll where the dice are to be thrown."""
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        move: M = adapter(rules.name).player(self.level).choose(rules, position, limit, rng, past)
        return move


BOTS: Final[Mapping[str, LevelPlayer]] = MappingProxyType({level: LevelPlayer(level) for level in LEVELS})
