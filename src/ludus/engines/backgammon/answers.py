"""One move further: what the other side makes of each of its rolls."""

from __future__ import annotations

from ludus.engines.backgammon.evaluation import equity
from ludus.engines.budget import Budget
from ludus.games.backgammon import kernel


class Answers:
    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._words = [0] * (kernel.MOST_PLAYS * kernel.WORDS)

    def worth(self, low: int, high: int, other_low: int, other_high: int) -> float:
        """The points to be expected by a side that has just played, after the other's best answers to all its rolls."""
        if kernel.is_off(low, high):
            return kernel.points_lost(other_low, other_high)
        total = 0.0
        for die in range(1, 7):
            for then in range(1, die + 1):
                weight = 1 if die == then else 2
                total += weight * self._best(other_low, other_high, low, high, die, then)
        return -total / 36

    def _best(self, low: int, high: int, other_low: int, other_high: int, die: int, then: int) -> float:
        count = kernel.write_plays(self._words, 0, low, high, other_low, other_high, die, then)
        self._budget.spend(count)
        starts = range(0, count * kernel.WORDS, kernel.WORDS)
        return max(equity(*self._words[i : i + 4]) for i in starts)
