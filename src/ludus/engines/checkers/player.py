"""Who chooses a move of checkers, weaker or stronger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from ludus.core.rules import Rules
from ludus.engines.budget import Budget, BudgetSpent
from ludus.engines.checkers.search import MOST, Search
from ludus.games.checkers.position import Move, Position


class Option(NamedTuple):
    """A legal move, what it leads to, and how much it is liked for no reason."""

    move: Move
    after: Position
    whim: float


@dataclass(frozen=True)
class CheckersPlayer:
    """Looks `depth` moves ahead and at the jumps that follow, or until it has seen `nodes` positions.

    `whim` is how far its likings are off, in hundredths of a man; a `slips` part of its moves is picked blindly.
    """

    depth: int
    nodes: int
    whim: float
    slips: float = 0

    def choose(
        self, rules: Rules[Position, Move], position: Position, rng: Random, past: Sequence[Position] = ()
    ) -> Move:
        moves = rules.moves(position)
        if len(moves) == 1 or rng.random() < self.slips:
            return rng.choice(moves)
        options = [Option(move, rules.play(position, move), rng.gauss(0, self.whim)) for move in moves]
        return self._deepen(options, Search(Budget(self.nodes), past))

    def _deepen(self, options: list[Option], search: Search) -> Move:
        """Looks one move further each time, at the best of the last time first."""
        for depth in range(self.depth):
            best, floor = 0, -MOST
            try:
                for number, option in enumerate(options):
                    value = option.whim - search.look(option.after, depth, option.whim - floor)
                    if value > floor:
                        best, floor = number, value
            except BudgetSpent:
                return options[best].move
            options.insert(0, options.pop(best))
        return options[0].move
