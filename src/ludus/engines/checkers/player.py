"""Who chooses a move of checkers, weaker or stronger.

NumPy and Numba are imported with the first question, since a player is named long before it is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Final

from ludus.core.rules import Rules
from ludus.engines.engine import OWN_LIMIT, Limit, Line
from ludus.games.checkers.position import MOST_PIECES, Move, Position

if TYPE_CHECKING:
    from ludus.engines.checkers.mind import Mind

VARIANTS: Final = 4
"""Moves among which a player with variety chooses, at most."""
OWN_NODES: Final = 200_000
"""Positions looked at where nobody names a limit."""


@dataclass(frozen=True)
class CheckersPlayer:
    """Searches within the limit given and its own: no more than `depth` moves ahead or `nodes` positions.

    Where neither it nor anybody else names a limit, it looks at `own_nodes` positions.

    `noise` is how far its likings are off: the standard deviation on the value of each move, of which −1 to 1 is all.
    A `slips` part of its moves is picked blindly. One that `finishes` plays a proven win to its end whatever the noise;
    before the first capture, one with `variety` chooses among moves that are hardly worse than the best, unless it is
    told how long to think: then it is to play its best. One that `knows_endings` has the endgame tables; another sees
    no further in an ending than anywhere else.
    """

    depth: int | None = None
    nodes: int | None = None
    noise: float = 0.0
    slips: float = 0.0
    finishes: bool = False
    variety: float = 0.0
    own_nodes: int = OWN_NODES
    knows_endings: bool = True
    mind: Mind | None = field(default=None, repr=False, compare=False)
    """With weights and tables of its own; without, all share those of the package."""

    def choose(
        self,
        rules: Rules[Position, Move],
        position: Position,
        limit: Limit,
        rng: Random,
        past: Sequence[Position] = (),
    ) -> Move:
        moves = rules.moves(position)
        if len(moves) == 1 or (self.slips and rng.random() < self.slips):
            return rng.choice(moves)
        varies = (
            bool(self.variety) and limit == OWN_LIMIT and (position.own | position.other).bit_count() == 2 * MOST_PIECES
        )
        number = len(moves) if self.noise else VARIANTS if varies else 1
        lines = self._lines(rules, position, self._within(limit), past, number)
        if self.finishes and lines[0].is_exact and lines[0].value > 0:
            return lines[0].move
        if varies:
            return rng.choice([line for line in lines if line.value >= lines[0].value - self.variety]).move
        return max(lines, key=lambda line: line.value + (rng.gauss(0, self.noise) if self.noise else 0)).move

    def analyse(
        self,
        rules: Rules[Position, Move],
        position: Position,
        limit: Limit,
        past: Sequence[Position] = (),
        lines: int = 5,
    ) -> tuple[Line[Move], ...]:
        if not rules.moves(position):
            return ()
        found = self._lines(rules, position, self._within(limit), past, lines)
        return tuple(self._mind.continued(rules, position, line) for line in found)

    def _lines(
        self, rules: Rules[Position, Move], position: Position, limit: Limit, past: Sequence[Position], number: int
    ) -> list[Line[Move]]:
        return self._mind.lines(rules, position, limit, past, number)

    @property
    def _mind(self) -> Mind:
        return self.mind or packaged_mind(self.knows_endings)

    def _within(self, limit: Limit) -> Limit:
        """The tighter of the limit given and its own."""
        depth, nodes = _least(limit.depth, self.depth), _least(limit.nodes, self.nodes)
        if depth is None and nodes is None and limit.seconds is None:
            nodes = self.own_nodes
        return Limit(limit.seconds, nodes, depth)


@cache
def packaged_mind(knows_endings: bool) -> Mind:
    from ludus.engines.checkers.endgames.tables import NO_PIECES, Tables
    from ludus.engines.checkers.mind import Mind

    return Mind() if knows_endings else Mind(tables=Tables(NO_PIECES))


def _least(a: int | None, b: int | None) -> int | None:
    return min((x for x in (a, b) if x is not None), default=None)
