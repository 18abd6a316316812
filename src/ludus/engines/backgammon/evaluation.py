"""What a backgammon position is worth to the side that has just played, in points of the game."""

from __future__ import annotations

from operator import mul
from typing import Final, NamedTuple

from ludus.engines.backgammon import race
from ludus.engines.backgammon.road import men_in, pips
from ludus.engines.backgammon.shots import risk
from ludus.games.backgammon.kernel import BAR, HOME, OFF, blocked_by, crowded, is_off, occupied, points_lost


def _places(*points: int) -> int:
    return sum(1 << OFF - point for point in points)


HIGH_HOME: Final = _places(4, 5, 6)
LOW_HOME: Final = _places(1, 2, 3)
OUTER: Final = _places(7, 8, 9, 10, 11)
ANCHORS: Final = _places(22, 23, 24)
BACK: Final = _places(19, 20, 21, 22, 23, 24, 25)
DEEP: Final = _places(1, 2)


class Traits(NamedTuple):
    """What is good or bad about one side's men while the sides are in contact."""

    pips: float
    """In hundreds."""
    high_home: float
    low_home: float
    outer: float
    """Points made: 4 to 6, 1 to 3, 7 to 11."""
    anchors: float
    """Points made at the far end, 22 to 24, from which it is a long way home."""
    wall: float
    """Points made within six of the other's last man, squared: a prime is worth more than its parts."""
    back: float
    deep: float
    off: float
    """Men in the other's home, on points 1 and 2, and off the board."""
    barred: float
    """The other's men on the bar."""
    dance: float
    """The chance that such a man cannot come in."""


WEIGHTS: Final = Traits(
    pips=-1.25,
    high_home=0.14,
    low_home=0.065,
    outer=0.06,
    anchors=-0.15,
    wall=0.01,
    back=-0.015,
    deep=-0.03,
    off=0.1,
    barred=0.13,
    dance=0.13,
)
"""Fitted to 203,073 positions and results of 4,800 games of earlier weights against themselves, then rounded."""

THEIR_ROLL: Final = -0.044
PIP_AT_RISK: Final = -0.024
HIT: Final = -0.14
SHOT: Final = 0.1
"""The other side rolls next; a pip it may take; being hit while its home is closed, and hitting while ours is."""


def equity(low: int, high: int, other_low: int, other_high: int) -> float:
    """The points to be expected by the side of the first men; the other is to roll."""
    if is_off(low, high):
        return points_lost(other_low, other_high)
    if not is_contact(low, high, other_low, other_high):
        return race.equity(low, high, other_low, other_high)
    shape = _shape(low, high, other_low, other_high) - _shape(other_low, other_high, low, high)
    return shape + THEIR_ROLL + _danger(low, high, other_low, other_high)


def is_contact(low: int, high: int, other_low: int, other_high: int) -> bool:
    """Whether some man has still to pass one of the other side's."""
    ours, theirs = occupied(low, high), occupied(other_low, other_high)
    return (ours & -ours).bit_length() + (theirs & -theirs).bit_length() < OFF + 2


def _shape(low: int, high: int, other_low: int, other_high: int) -> float:
    total: float = sum(map(mul, WEIGHTS, traits(low, high, other_low, other_high)))
    return total


def traits(low: int, high: int, other_low: int, other_high: int) -> Traits:
    made, theirs = crowded(low, high), occupied(other_low, other_high)
    wall = (blocked_by(low, high) >> (theirs & -theirs).bit_length() & 0b111111).bit_count()
    barred = men_in(other_low, other_high, 1 << BAR)
    return Traits(
        pips=pips(low, high) / 100,
        high_home=(made & HIGH_HOME).bit_count(),
        low_home=(made & LOW_HOME).bit_count(),
        outer=(made & OUTER).bit_count(),
        anchors=1 if made & ANCHORS else 0,
        wall=wall * wall,
        back=men_in(low, high, BACK),
        deep=men_in(low, high, DEEP),
        off=men_in(low, high, 1 << OFF),
        barred=barred,
        dance=_closed(made) ** 2 if barred else 0,
    )


def _danger(low: int, high: int, other_low: int, other_high: int) -> float:
    """What the other side's next roll may do to our blots, and a later one of ours to theirs."""
    ours, theirs = risk(low, high, other_low, other_high), risk(other_low, other_high, low, high)
    lost = PIP_AT_RISK * ours.pips + HIT * ours.chance * _closed(crowded(other_low, other_high))
    return lost + SHOT * theirs.chance * _closed(crowded(low, high))


def _closed(made: int) -> float:
    """The part of the home that is closed to the other side."""
    return (made & HOME).bit_count() / 6
