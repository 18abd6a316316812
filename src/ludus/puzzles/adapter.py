"""What a game tells the mining of its puzzles."""

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
"""A choice between fewer is no puzzle, unless a game says otherwise."""

AnyRules = Rules[Any, Any]


@dataclass(frozen=True)
class PuzzleAdapter:
    """A game's package for the layer `puzzles` has one as `ADAPTER`, of a subclass or of this class itself."""

    margin: float
    """Points by which the best move must beat all others."""
    limit: Limit
    """The search that decides in mining whether a position is a puzzle."""
    glance: Limit | None = None
    """A search that discards most positions at once: those where the best move has less than half the margin."""
    longest: int = 1
    """The solver's moves in a solution, at most."""
    players: tuple[str, ...] = ("easy", "steady", "medium")
    """The levels that play games to mine."""
    variants: tuple[str, ...] = ("standard",)
    """That self-played games start from, in turn."""
    opening: int = 0
    """Random moves at the start of self-played games."""
    vocabulary: tuple[str, ...] = ()
    """All themes there are."""

    def deeper(self, times: int) -> Limit:
        """The limit of mining, for a search of at least this many times as many positions."""
        seconds, nodes, depth = self.limit
        return Limit(seconds and seconds * times, nodes and nodes * times, depth)

    def questions(self, position: Any) -> Iterable[Any]:
        """The positions to ask about where a game comes to this one, without what is beside the question."""
        return (position,)

    def has_choice(self, rules: AnyRules, position: Any) -> bool:
        return len(rules.moves(position)) >= LEAST_MOVES

    def is_open(self, position: Any, best: Line[Any], second: Line[Any]) -> bool:
        """Whether what the best move gains over the second best decides something."""
        return True

    def is_obvious(self, rules: AnyRules, position: Any, move: Any) -> bool:
        """Whether anyone would play this move."""
        return False

    def is_worth_showing(self, move: Any) -> bool:
        """Whether a solution may end with this move, though it is forced."""
        return False

    def themes(self, rules: AnyRules, position: Any, moves: Sequence[Any], value: float) -> Iterable[str]:
        """Of a position, its solution and its value to the solver."""
        return ()

    def mirrored(self, position: Any) -> Any:
        """The position with the sides exchanged: the same puzzle."""
        return position


@cache
def adapter(game: str) -> PuzzleAdapter:
    """A game without one has puzzles where all moves but one are blunders."""
    module = layer(game, "puzzles") if game in GAMES else None
    if module is not None:
        found: PuzzleAdapter = module.ADAPTER
        return found
    own = engines.adapter(game)
    return PuzzleAdapter(own.thresholds[-1], own.default_limit)
