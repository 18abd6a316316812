"""Match equity tables: the chance to win a match at every score, computed from gammon rates.

The value of a score follows from the scores that a game can lead to. In the Crawford game and without a cube, that is
an average. After the Crawford game the trailing side doubles at its first turn; the other side may drop, which it does
after a bad opening. In all other games both can double, and the value is Janowski's, at even chances.

The table is our own; docs/explanation/cube.md compares it with published ones.
"""

from __future__ import annotations

from functools import cache
from math import erf, exp, pi, sqrt
from typing import Final, NamedTuple

import numpy as np

from ludus.core.errors import BadInput
from ludus.engines.backgammon.cube.janowski import Array, Owner, Rates, at, ends, live_curve

MOST_POINTS: Final = 25
GAMMON_RATE: Final = 0.28
"""The share of gammons among the wins of the network's games, backgammons included."""
BACKGAMMON_RATE: Final = 0.013
CENTRED_LIFE: Final = 0.88
"""The life of the cube in a game that has not begun, between dead (0) and live (1)."""
TURNED_LIFE: Final = 0.65
"""The life of the cube once it has been turned."""
OPENING_SPREAD: Final = 0.037
"""The standard deviation of the winning chance at the trailing side's first turn."""


class MatchEquityTable(NamedTuple):
    """Winning chances by the points that the player and the opponent need, 0 to 25.

    `equities` has the scores before and in the Crawford game; `post_crawford` has those after it for the trailing side,
    by its points, since the other side needs one.
    """

    equities: Array
    post_crawford: Array

    def equity(self, own: int, other: int, is_post_crawford: bool = False) -> float:
        if own <= 0:
            return 1.0
        if other <= 0:
            return 0.0
        if not is_post_crawford:
            return float(self.equities[own, other])
        return float(self.post_crawford[own] if other == 1 else 1 - self.post_crawford[other])


class MatchScore(NamedTuple):
    """What points are worth in a match: a `Score`. `own` and `other` are the points that the sides need."""

    table: MatchEquityTable
    own: int
    other: int
    is_crawford: bool = False
    is_post_crawford: bool = False
    has_cube: bool = True

    @property
    def flipped(self) -> MatchScore:
        return self._replace(own=self.other, other=self.own)

    def is_endless(self, value: int) -> bool:
        return False

    def complement(self, worth: Array) -> Array:
        return 1 - worth

    def worth(self, points: int) -> float:
        is_post_crawford = self.is_crawford or self.is_post_crawford
        return self.table.equity(self.own - max(points, 0), self.other + min(points, 0), is_post_crawford)

    @property
    def equity(self) -> float:
        """The player's chance to win the match before this game."""
        return self.table.equity(self.own, self.other, self.is_post_crawford)

    def can_double(self, value: int) -> bool:
        return self.has_cube and not self.is_crawford and self.own > value

    def has_gammons(self, owner: Owner) -> bool:
        return True


def match_equity(own: int, other: int, is_post_crawford: bool = False, *, has_cube: bool = True) -> float:
    """The chance to win the match for a player who needs `own` points.

    Where a side needs one, the next game is the Crawford game, or one after it.
    """
    if not (0 <= own <= MOST_POINTS and 0 <= other <= MOST_POINTS) or own == other == 0:
        raise BadInput(f"a match ends after 1 to {MOST_POINTS} points, so {own} and {other} can't be missing")
    if is_post_crawford and min(own, other) > 1:
        raise BadInput("after the Crawford game, a side needs one point")
    return table(has_cube=has_cube).equity(own, other, is_post_crawford)


@cache
def table(
    gammon_rate: float = GAMMON_RATE, backgammon_rate: float = BACKGAMMON_RATE, *, has_cube: bool = True
) -> MatchEquityTable:
    """Matches up to 25 points; cached, do not mutate."""
    equities = np.full((MOST_POINTS + 1, MOST_POINTS + 1), 0.5)
    equities[0, 1:], equities[1:, 0] = 1.0, 0.0
    found = MatchEquityTable(equities, np.zeros(MOST_POINTS + 1))
    rates = Rates(*(np.array([rate]) for rate in 2 * (gammon_rate, backgammon_rate)))
    if has_cube:
        _fill_post_crawford(found, rates)
    for total in range(2, 2 * MOST_POINTS + 1):
        for own in range(max(1, total - MOST_POINTS), (total + 1) // 2):
            other = total - own
            score = MatchScore(found, own, other, is_crawford=has_cube and own == 1)
            equities[own, other] = _centred(score, rates) if has_cube and own > 1 else _dead(score, rates, 1)
            equities[other, own] = 1 - equities[own, other]
    return found


def _dead(score: MatchScore, rates: Rates, value: int) -> float:
    win, loss = ends(score, rates, value, Owner.CENTRED)
    return float(win[0] + loss[0]) / 2


def _centred(score: MatchScore, rates: Rates) -> float:
    live = at(live_curve(score, rates, 1, Owner.CENTRED, TURNED_LIFE), np.array([0.5]))
    return CENTRED_LIFE * float(live[0]) + (1 - CENTRED_LIFE) * _dead(score, rates, 1)


def _fill_post_crawford(found: MatchEquityTable, rates: Rates) -> None:
    equities = found.post_crawford
    equities[0], equities[1] = 1.0, 0.5
    for own in range(2, MOST_POINTS + 1):
        score = MatchScore(found, own, 1, is_post_crawford=True)
        win = float(ends(score, rates, 2, Owner.OTHER).win[0])
        equities[own] = _mean_of_lower(0.5 * win, OPENING_SPREAD * win, score.worth(1))


def _mean_of_lower(mean: float, deviation: float, bound: float) -> float:
    """The mean of the lower of a normal variable and a bound."""
    z = (bound - mean) / deviation
    below, density = (1 + erf(z / sqrt(2))) / 2, exp(-z * z / 2) / sqrt(2 * pi)
    return mean * below - deviation * density + bound * (1 - below)
