"""Who wins when the sides have passed each other: the one with the shorter road, more often than not."""

from __future__ import annotations

from math import erf, inf, sqrt
from typing import Final

from ludus.engines.backgammon.road import men_in, pips, stacked
from ludus.games.backgammon.kernel import HOME, OFF, OUTSIDE, occupied

ROLL: Final = 49 / 6
"""Pips of an average roll."""
SPREAD: Final = 4.6
"""The variance between two sides' rolls, for each pip of a road."""

START: Final = 8.51
LAST_MEN: Final = 0.63
STACK: Final = 1.0
WASTE: Final = tuple(
    zip((1.31, 0.59, 0.08, -0.44, -0.65, -0.78), (1 << OFF - point for point in range(1, 7)), strict=True)
)
"""Pips lost to dice larger than needed: at any rate, less for each man under six, more for each beyond the second on a
point and for each man on points 1 to 6. Fitted to the exact number of rolls that all 54,263 positions at home take.
"""
OUTER_PLANES: Final = OUTSIDE | OUTSIDE << 32
FIRST_OFF: Final = 7
"""Pips that the first man off takes once all are at home, waste included."""


def equity(low: int, high: int, other_low: int, other_high: int) -> float:
    """The points to be expected by a side that has just played; the other is to roll."""
    ours, theirs = effective_pips(low, high), effective_pips(other_low, other_high)
    win = _chance(theirs - ours - ROLL / 2, ours + theirs)
    gammon = _chance(_to_first_off(other_low, other_high) - ours - ROLL / 2, 2 * ours)
    loss = _chance(_to_first_off(low, high) - theirs + ROLL / 2, 2 * theirs)
    return win * (1 + gammon) - (1 - win) * (1 + loss)


def effective_pips(low: int, high: int) -> float:
    """The rolls that bearing off takes, in pips of average rolls."""
    missing = max(0, 6 - men_in(low, high, HOME | OUTSIDE))
    wasted = START + STACK * stacked(low, high, HOME) + WASTE[-1][0] * men_in(low, high, OUTSIDE) - LAST_MEN * missing
    for waste, place in WASTE:
        wasted += waste * men_in(low, high, place)
    return pips(low, high) + wasted


def _to_first_off(low: int, high: int) -> float:
    """How far the men are from saving the gammon; nothing like it where one is off already."""
    if occupied(low, high) >> OFF & 1:
        return -inf
    return FIRST_OFF + pips(low & OUTER_PLANES, high & OUTER_PLANES) - 6 * men_in(low, high, OUTSIDE)


def _chance(lead: float, roads: float) -> float:
    return 0.5 + 0.5 * erf(lead / sqrt(SPREAD * roads))
