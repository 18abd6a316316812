"""Made-up pairs of games."""

from __future__ import annotations

from ludus.core.rules import Outcome, Player
from ludus.series.plan import Pair, Played


def pair(number: int, one: float, two: float, points: int = 1) -> Pair:
    """A pair of games with these results for the first contender."""

    def played(number: int, share: float) -> Played:
        contender = {1.0: 0, 0.0: 1}.get(share)
        winner = None if contender is None else Player(contender ^ number & 1)
        return Played(number, (number,), Outcome(winner, "resignation", points))

    return played(2 * number, one), played(2 * number + 1, two)
