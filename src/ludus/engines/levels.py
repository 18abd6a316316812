"""The bots' three levels. These are stand-ins, plain searches in the interpreter, until stronger engines are here."""

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
    """Plays every game of the house at one level, each in its own way."""

    games: Mapping[str, Any]

    def choose(self, rules: Rules[P, M], position: P, limit: Limit, rng: Random, past: Sequence[P] = ()) -> M:
        """A legal move, or a roll where the dice are to be thrown."""
        if rules.name not in self.games:
            raise UnknownOption(f"no bot plays {rules.name}; they play {', '.join(self.games)}")
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        move: M = self.games[rules.name].choose(rules, position, rng, past)
        return move


BOTS: Final[Mapping[str, LevelPlayer]] = MappingProxyType(
    {
        "easy": LevelPlayer(
            {
                "checkers": CheckersPlayer(depth=1, nodes=1_000, whim=60, slips=0.2),
                "backgammon": BackgammonPlayer(nodes=0, whim=0.2, slips=0.1),
            }
        ),
        "medium": LevelPlayer(
            {
                "checkers": CheckersPlayer(depth=3, nodes=4_000, whim=8),
                "backgammon": BackgammonPlayer(nodes=0, whim=0.05),
            }
        ),
        "hard": LevelPlayer(
            {
                "checkers": CheckersPlayer(depth=30, nodes=15_000, whim=3),
                "backgammon": BackgammonPlayer(nodes=5_000, whim=0),
            }
        ),
    }
)
"""The player of each level."""
