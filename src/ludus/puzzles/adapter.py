"""What mining needs to know about a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from ludus import engines
from ludus.core.rules import Rules
from ludus.engines import Limit, Line
from ludus.games import GAMES, layer

LEAST_MOVES: Final = 3
"""A choice between fewer moves is not a puzzle, unless a game says otherwise."""

AnyRules = Rules[Any, Any]


@dataclass(frozen=True)
class PuzzleAdapter:
    """A game's package for the layer `puzzles` has one as `ADAPTER`, of a subclass or of this class itself."""

    margin: float
    """Points by which the best move must beat all others."""
    limit: Limit
    """The search that decides in mining whether a position is a puzzle."""
    glance: Limit | None = None
    """A quick search that discards most positions: those where the best move has less than half the margin."""
    longest: int = 1
    """The most moves of the solver in a solution."""
    players: tuple[str, ...] = ("easy", "steady", "medium")
    """The levels that play the games to mine."""
    variants: tuple[str, ...] = ("standard",)
    """The variants from which self-played games start, in turn."""
    opening: int = 0
    """Random moves at the start of self-played games."""
    vocabulary: tuple[str, ...] = ()
    """All themes."""

    def deeper(self, times: int) -> Limit:
        """The limit for a search of at least `times` times as many positions as in mining."""
        seconds, nodes, depth = self.limit
        return Limit(seconds and seconds * times, nodes and nodes * times, depth)

    def questions(self, position: Any) -> Iterable[Any]:
        """The positions to ask about when a game reaches this one, without irrelevant details."""
        return (position,)

    def has_choice(self, rules: AnyRules, position: Any) -> bool:
        return len(rules.moves(position)) >= LEAST_MOVES

    def is_open(self, position: Any, best: Line[Any], second: Line[Any]) -> bool:
        """Whether the best move's gain over the second best matters to the result."""
        return True

    def is_obvious(self, rules: AnyRules, position: Any, move: Any) -> bool:
        """Whether anyone would play this move."""
        return False

    def is_worth_showing(self, move: Any) -> bool:
        """Whether a solution may end with this move, though it is forced."""
        return False

    def themes(self, rules: AnyRules, position: Any, moves: Sequence[Any], value: float) -> Iterable[str]:
        """The themes of a position, given its solution and its value to the solver."""
        return ()

    def mirrored(self, position: Any) -> Any:
        """The position with the sides exchanged: the same puzzle."""
        return position


@cache
def adapter(game: str) -> PuzzleAdapter:
    """A game's adapter; without one, a position is a puzzle if all moves but one are blunders."""
    module = layer(game, "puzzles") if game in GAMES else None
    if module is not None:
        found: PuzzleAdapter = module.ADAPTER
        return found
    own = engines.adapter(game)
    return PuzzleAdapter(own.thresholds[-1], own.default_limit)
