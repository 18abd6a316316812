"""The checkers engine: a search, weakened or at full strength.

NumPy and Numba are imported on first use, because engines are created long before they are asked for a move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Final

from ludus.engines.engine import OWN_LIMIT, Limit, Line, noticed
from ludus.games.checkers.position import MOST_PIECES, Move, Position

if TYPE_CHECKING:
    from ludus.engines.checkers.searcher import CheckersRules, Searcher

OPENING_LINES: Final = 4
"""The most moves that opening variety chooses from."""
DEFAULT_NODES: Final = 200_000


@dataclass(frozen=True)
class CheckersPlayer:
    """Searches within the given limit and its own `depth` and `nodes`; without any limit, `default_nodes` positions.

    `noise` is the standard deviation of the error added to each move's value (−1 to 1). It overlooks a share
    `oversight` of the moves, never all of them, and chooses among the rest. With `plays_out_wins`, it plays a proven
    win whatever the noise. Before the first capture, and unless the caller sets a limit, it chooses among the moves
    within `opening_variety` of the best.
    """

    depth: int | None = None
    nodes: int | None = None
    noise: float = 0.0
    oversight: float = 0.0
    plays_out_wins: bool = False
    opening_variety: float = 0.0
    default_nodes: int = DEFAULT_NODES
    uses_tables: bool = True
    """Whether it uses the endgame tables."""
    searcher: Searcher | None = field(default=None, repr=False, compare=False)
    """A searcher with weights or tables of its own; by default all players share the package's."""

    def choose(
        self, rules: CheckersRules, position: Position, limit: Limit, rng: Random, past: Sequence[Position] = ()
    ) -> Move:
        legal = rules.moves(position)
        moves = noticed(legal, self.oversight, rng)
        if len(moves) == 1:
            return moves[0]
        is_opening = (position.own | position.other).bit_count() == 2 * MOST_PIECES
        varies = bool(self.opening_variety) and limit == OWN_LIMIT and is_opening
        number = len(legal) if self.noise or self.oversight else OPENING_LINES if varies else 1
        found = self._searcher.lines(rules, position, self._within(limit), past, number)
        lines = [line for line in found if line.move in moves] if self.oversight else found
        if self.plays_out_wins and lines[0].is_exact and lines[0].value > 0:
            return lines[0].move
        if varies:
            return rng.choice([line for line in lines if line.value >= lines[0].value - self.opening_variety]).move
        return max(lines, key=lambda line: line.value + (rng.gauss(0, self.noise) if self.noise else 0)).move

    def analyse(
        self, rules: CheckersRules, position: Position, limit: Limit, past: Sequence[Position] = (), lines: int = 5
    ) -> tuple[Line[Move], ...]:
        if not rules.moves(position):
            return ()
        found = self._searcher.lines(rules, position, self._within(limit), past, lines)
        return tuple(self._searcher.extend(rules, position, line) for line in found)

    @property
    def _searcher(self) -> Searcher:
        return self.searcher or packaged_searcher(self.uses_tables)

    def _within(self, limit: Limit) -> Limit:
        """The tighter of the given limit and its own."""
        depth, nodes = _least(limit.depth, self.depth), _least(limit.nodes, self.nodes)
        if depth is None and nodes is None and limit.seconds is None:
            nodes = self.default_nodes
        return Limit(limit.seconds, nodes, depth)


@cache
def packaged_searcher(uses_tables: bool) -> Searcher:
    from ludus.engines.checkers.endgames.tables import NO_PIECES, EndgameTables
    from ludus.engines.checkers.searcher import Searcher

    return Searcher() if uses_tables else Searcher(tables=EndgameTables(NO_PIECES))


def _least(a: int | None, b: int | None) -> int | None:
    return min((x for x in (a, b) if x is not None), default=None)
