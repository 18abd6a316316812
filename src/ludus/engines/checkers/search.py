"""Alpha-beta over the kernel's bit sets, in the interpreter: small processes that start fast."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from ludus.engines.budget import Budget
from ludus.engines.checkers.evaluation import worth
from ludus.games.checkers import kernel
from ludus.games.checkers.position import Position
from ludus.games.checkers.rules import QUIET_LIMIT

WIN: Final = 1_000_000.0
"""More than any position that is still being played is worth."""
MOST: Final = 2 * WIN
"""More than anything is worth: an early win counts for more than a late one, but never this."""
FOREVER: Final = 1_000
"""Deeper than any search goes."""

Key = tuple[int, int, int, int]
Step = tuple[int, int, int]
"""Origin, landing and the pieces taken, as the kernel writes them."""


class Known(NamedTuple):
    """What an earlier look at a position found: between which bounds its worth is, `depth` moves on."""

    depth: int
    low: float
    high: float
    best: Step | None


class Search:
    """One search, from one position of a game; `past` are earlier ones, to which going back is as good as a draw."""

    def __init__(self, budget: Budget, past: Iterable[Position] = ()) -> None:
        self._budget = budget
        self._words = [0] * (kernel.MOST_MOVES * kernel.WORDS)
        self._known = {_key(position): Known(FOREVER, 0, 0, None) for position in past}
        self._cutoffs: dict[Step, int] = {}

    def look(self, position: Position, depth: int, beta: float) -> float:
        """The position's worth for the side to move, `depth` moves and any jumps on; exact if it is below `beta`."""
        return self._look(*_key(position), position.quiet, depth, -MOST, beta)

    def _look(
        self, own: int, other: int, kings: int, side: int, quiet: int, depth: int, alpha: float, beta: float
    ) -> float:
        self._budget.spend(1)
        key = own, other, kings, side
        known = self._known.get(key)
        if known and known.depth >= depth:
            if known.low >= beta or known.low == known.high:
                return known.low
            if known.high <= alpha:
                return known.high
        steps = self._steps(key, known.best if known else None)
        if not steps:
            return -WIN - depth
        if quiet >= QUIET_LIMIT:
            return 0
        if depth <= 0 and not steps[0][2]:
            return worth(own, other, kings, side)
        return self._choose(key, quiet, depth, alpha, beta, steps)

    def _choose(self, key: Key, quiet: int, depth: int, alpha: float, beta: float, steps: list[Step]) -> float:
        """Tries the steps in their order until one is so good that the other side will not let it come to that."""
        found, best, floor = -MOST, steps[0], alpha
        for step in steps:
            is_quiet = key[2] & step[0] and not step[2]
            after = kernel.play(*key, *step)
            value = -self._look(*after, quiet + 1 if is_quiet else 0, depth - 1, -beta, -floor)
            if value > found:
                found, best, floor = value, step, max(floor, value)
            if found >= beta:
                self._cutoffs[step] = self._cutoffs.get(step, 0) + depth * depth
                break
        self._remember(key, Known(depth, found if found > alpha else -MOST, found if found < beta else MOST, best))
        return found

    def _remember(self, key: Key, news: Known) -> None:
        known = self._known.get(key)
        if not known or known.depth <= news.depth:
            self._known[key] = news

    def _steps(self, key: Key, first: Step | None) -> list[Step]:
        """The legal moves: the best of an earlier look first, then those that were too good elsewhere."""
        words = self._words
        end = kernel.write_moves(words, 0, *key) * kernel.WORDS
        steps = [(words[i], words[i + 1], words[i + 2]) for i in range(0, end, kernel.WORDS)]
        if len(steps) > 1:
            cutoffs = self._cutoffs
            steps.sort(key=lambda step: MOST if step == first else cutoffs.get(step, 0), reverse=True)
        return steps


def _key(position: Position) -> Key:
    return position.own, position.other, position.kings, position.mover.value
