"""How likely a roll hits a blot, and what that costs."""

from __future__ import annotations

from typing import NamedTuple

from ludus.engines.backgammon.road import men_in
from ludus.games.backgammon.kernel import BAR, OFF, POINTS, blocked_by, blots_of, occupied


class Risk(NamedTuple):
    """The chance that a blot is hit by the next roll, and the pips to be expected to be lost."""

    chance: float
    pips: float


SAFE = Risk(0, 0)


def risk(low: int, high: int, other_low: int, other_high: int) -> Risk:
    """What a side's blots risk when the other rolls. What the other's men on the bar cannot do is left out roughly."""
    blots, men = blots_of(low, high), occupied(other_low, other_high) & ~(1 << OFF)
    if not blots or men & -men > blots:
        return SAFE
    blocked, bar = blocked_by(low, high), men_in(other_low, other_high, 1 << BAR)
    chance = pips = 0
    for die in range(1, 7):
        for then in range(1, die + 1):
            hits = _landings(men, bar, POINTS & ~blocked, die, then) & blots
            if hits:
                weight = 1 if die == then else 2
                chance += weight
                pips += weight * (OFF + 1 - (hits & -hits).bit_length())
    return Risk(chance / 36, pips / 36)


def _landings(men: int, bar: int, free: int, die: int, then: int) -> int:
    """The points that this roll can bring a man to."""
    if bar:
        return _entries(men, bar, free, die, then)
    one, two = men << die & free, men << then & free
    if die != then:
        return one | two | (one << then | two << die) & free
    found = one
    for _ in range(3):
        one = one << die & free
        found |= one
    return found


def _entries(men: int, bar: int, free: int, die: int, then: int) -> int:
    """The same with men on the bar, who come first."""
    one, two = 1 << die & free, 1 << then & free
    if bar > 1 or not one | two:
        return one | two
    field = men & ~1
    if die == then:
        return one | _landings(field | one, 0, free, die, die)
    first = (field | one) << then & free if one else 0
    second = (field | two) << die & free if two else 0
    return one | two | first | second
