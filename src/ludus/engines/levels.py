"""The bots' three levels. How strong they are, and how that was measured, is in docs/engines.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any, Final, TypeVar

from ludus.core.errors import UnknownOption
from ludus.core.rules import Rules, Turn
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.checkers.player import CheckersPlayer
from ludus.engines.engine import Limit, roll

P = TypeVar("P")
M = TypeVar("M")

LEVELS: Final = ("easy", "medium", "hard")


@dataclass(frozen=True)
class LevelPlayer:
    """Plays every game of the house at one level, each in its own way.

    A limit makes the lower levels think less, never more; the highest thinks as long as it is let.
    """

    games: Mapping[str, Any]

    def choose(self, rules: Rules[P, M], position: P, limit: Limit, rng: Random, past: Sequence[P] = ()) -> M:
        """A legal move, or a roll where the dice are to be thrown."""
        if rules.name not in self.games:
            raise UnknownOption(f"no bot plays {rules.name}; they play {', '.join(self.games)}")
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        move: M = self.games[rules.name].choose(rules, position, limit, rng, past)
        return move


BOTS: Final[Mapping[str, LevelPlayer]] = MappingProxyType(
    {
        "easy": LevelPlayer(
            {
                "checkers": CheckersPlayer(depth=2, nodes=2_000, noise=0.3, knows_endings=False),
                "backgammon": BackgammonPlayer(depth=0, noise=0.2),
            }
        ),
        "medium": LevelPlayer(
            {
                "checkers": CheckersPlayer(depth=5, nodes=20_000, noise=0.06, finishes=True),
                "backgammon": BackgammonPlayer(depth=0, noise=0.06),
            }
        ),
        "hard": LevelPlayer(
            {
                "checkers": CheckersPlayer(own_nodes=1_000_000, variety=0.03),
                "backgammon": BackgammonPlayer(depth=2, nodes=150_000),
            }
        ),
    }
)
"""The player of each level."""
