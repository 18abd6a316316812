"""The network's inputs, seen by the side to roll. Kernel code.

A position is `WORDS` integers. Eight hold the men, four for each side: sets of places with one man, at least two,
three, four, five, six and eight, and how many are off. Four hold hand-crafted numbers, twelve for each side (the
`Feature`s), and the kind of position.

Sets of both sides' places are combined where possible: the other side's are shifted by `SIDE` bits.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

from ludus.core.bits import count
from ludus.games.backgammon.kernel import (
    HOME,
    OFF,
    OUTSIDE,
    POINTS,
    blocked_by,
    blots_of,
    crowded,
    men_on,
    occupied,
)


class Feature(IntEnum):
    """A number about one side's position, below 256."""

    PIPS = 0
    HITS = 1
    HIT_PIPS = 2
    DOUBLE_HITS = 3
    ESCAPES = 4
    MEAN_ESCAPES = 5
    LEAST_ESCAPES = 6
    HOME_POINTS = 7
    PRIME = 8
    CONTACT_PIPS = 9
    BEHIND = 10
    BLOTS = 11


SCALES: Final = (64, 32, 32, 16, 32, 32, 32, 4, 4, 64, 8, 4)
"""Divisors that scale the features for the network."""
FEATURES: Final = len(SCALES)
WORDS: Final = 12
LEVELS: Final = 7
MEN_PLACES: Final = 25
OFF_LEVELS: Final = 14
SIDE_INPUTS: Final = LEVELS * MEN_PLACES + OFF_LEVELS
KINDS: Final = 11
INPUTS: Final = 2 * SIDE_INPUTS + KINDS + 2 * FEATURES
KIND_BIT: Final = 48
"""The bit of the ninth word at which the one-hot kind of position starts."""
BEAR_OFF: Final = 10
RACE: Final = 9

SIDE: Final = 38
MINE: Final = (1 << SIDE) - 1
BACK: Final = 0b1111111
"""The bar and the opponent's home."""
STANDING: Final = (1 << MEN_PLACES) - 1
AHEAD: Final = (1 << 13) - 1
"""The places where a prime can hold a man."""
SMALL: Final = 255

Three = tuple[int, int, int]
Four = tuple[int, int, int, int]
Six = tuple[int, int, int, int, int, int]


def write_features(out: Any, at: int, stride: int, low: int, high: int, other_low: int, other_high: int) -> None:
    """Writes the words of a position at `at`, `at + stride`, …"""
    write_men(out, at, stride, low, high)
    write_men(out, at + 4 * stride, stride, other_low, other_high)
    a, b, c, d = feature_words(low, high, other_low, other_high)
    out[at + 8 * stride] = a | 1 << KIND_BIT + kind(low, high, other_low, other_high)
    out[at + 9 * stride] = b
    out[at + 10 * stride] = c
    out[at + 11 * stride] = d


def write_men(out: Any, at: int, stride: int, low: int, high: int) -> None:
    one, two, four, eight = low & STANDING, low >> 32 & STANDING, high & STANDING, high >> 32 & STANDING
    from_four = four | eight
    from_two = two | from_four
    out[at] = one & ~from_two | from_two << 25
    out[at + stride] = one & two | from_four | from_four << 25
    out[at + 2 * stride] = four & (one | two) | eight | (four & two | eight) << 25
    out[at + 3 * stride] = eight | ((1 << min(men_on(low, high, OFF), OFF_LEVELS)) - 1) << 25


def kind(low: int, high: int, other_low: int, other_high: int) -> int:
    """Bear-off, race, or one of nine kinds of contact, by the men each side has far back: up to one, two, more."""
    men, others = occupied(low, high) & STANDING, occupied(other_low, other_high) & STANDING
    if is_race(men, others):
        return RACE if (men | others) & OUTSIDE else BEAR_OFF
    return 3 * few_back(low, high) + few_back(other_low, other_high)


def few_back(low: int, high: int) -> int:
    return max(min(men_in(low, high, BACK) - 1, 2), 0)


def is_race(men: int, others: int) -> bool:
    """Whether contact is over; a side without men has passed the other."""
    return men == 0 or others == 0 or lowest(men) + lowest(others) >= OFF


def lowest(places: int) -> int:
    return count((places & -places) - 1)


def men_in(low: int, high: int, places: int) -> int:
    upper = places << 32
    return count(low & places) + 2 * count(low & upper) + 4 * count(high & places) + 8 * count(high & upper)


def pips(low: int, high: int) -> int:
    """The pip count: a place's distance from the end, bit by bit."""
    total = men_in(low, high, 0x1555555) + 2 * men_in(low, high, 0xCCCCCC) + 4 * men_in(low, high, 0x3C3C3C)
    return total + 8 * men_in(low, high, 0x3FC03) + 16 * men_in(low, high, 0x3FF)


def feature_words(low: int, high: int, other_low: int, other_high: int) -> Four:
    """The features of both sides, six in a word; in a race only pips and home points."""
    men, others = occupied(low, high) & STANDING, occupied(other_low, other_high) & STANDING
    far, other_far = min(pips(low, high), SMALL), min(pips(other_low, other_high), SMALL)
    home, other_home = count(crowded(low, high) & HOME), count(crowded(other_low, other_high) & HOME)
    if is_race(men, others):
        return far, home << 8, other_far, other_home << 8
    free = POINTS & ~blocked_by(other_low, other_high) | (POINTS & ~blocked_by(low, high)) << SIDE
    targets = blots_of(other_low, other_high) | blots_of(low, high) << SIDE
    a, b, c, d, e, f = hits(low, other_low, high, other_high, men | others << SIDE, free, targets)
    p0, p1, p2, p3, p4, p5 = escapes(free)
    g, h, k = held(p0, p1, p2, p3, p4, p5, men, others)
    up = SIDE
    m, n, o = held(p0 >> up, p1 >> up, p2 >> up, p3 >> up, p4 >> up, p5 >> up, others, men)
    reach, other_reach = contact(low, high, others), contact(other_low, other_high, men)
    return (
        six(far, a, b, c, g, h),
        six(k, home, prime(low, high), reach >> 4, reach & 15, count(targets >> SIDE)),
        six(other_far, d, e, f, m, n),
        six(o, other_home, prime(other_low, other_high), other_reach >> 4, other_reach & 15, count(targets & MINE)),
    )


def six(a: int, b: int, c: int, d: int, e: int, f: int) -> int:
    return a | b << 8 | c << 16 | d << 24 | e << 32 | f << 40


def prime(low: int, high: int) -> int:
    """The length of the longest run of points that a side holds."""
    row, length = crowded(low, high) & POINTS, 0
    while row:
        row &= row >> 1
        length += 1
    return length


def contact(low: int, high: int, others: int) -> int:
    """How many men aren't past the opponent's last one and, above these four bits, the pips they need for that."""
    last = lowest(others)
    behind = (1 << OFF - last) - 1
    planes = behind | behind << 32
    number = men_in(low, high, behind)
    way = pips(low & planes, high & planes) - last * number
    return number | min(way, SMALL) << 4


def hits(low: int, other_low: int, high: int, other_high: int, men: int, free: int, targets: int) -> Six:
    """For each side: rolls of 36 that hit, the pips won, and rolls that hit twice."""
    if targets == 0:
        return 0, 0, 0, 0, 0, 0
    bar, other_bar = men_on(low, high, 0), men_on(other_low, other_high, 0)
    first = (1 if bar else men & MINE) | (1 << SIDE if other_bar else men & ~MINE)
    rest = (men & MINE & ~1 if bar == 1 else 0) | (men & ~MINE & ~(1 << SIDE) if other_bar == 1 else 0)
    chain = (MINE if bar < 2 else 0) | (STANDING << SIDE if other_bar < 2 else 0)
    a, b, c, d, e, f = 0, 0, 0, 0, 0, 0
    for die in range(1, 7):
        for then in range(1, die + 1):
            hit = landings(first, rest, free, chain, die, then) & targets
            if hit:
                weight = 1 if die == then else 2
                mine, theirs = hit & MINE, hit >> SIDE
                if mine:
                    a += weight
                    b += weight * (OFF - lowest(mine))
                    c += weight if mine & mine - 1 else 0
                if theirs:
                    d += weight
                    e += weight * (OFF - lowest(theirs))
                    f += weight if theirs & theirs - 1 else 0
    return a, b >> 3, c, d, e >> 3, f


def landings(first: int, rest: int, free: int, chain: int, die: int, then: int) -> int:
    """The points to which a roll can bring a man.

    `first` are the men that may move first, `rest` those that may move once a single man on the bar has entered, and
    `chain` the sides that may move one man twice.
    """
    one = first << die & free
    if die == then:
        landed, step = one, one | rest & sides(one)
        for _ in range(3):
            step = step << die & free & chain
            landed |= step
        return landed
    two = first << then & free
    landed = one | two | (one << then | two << die) & free & chain
    if rest:
        landed |= (rest & sides(one)) << then & free | (rest & sides(two)) << die & free
    return landed


def sides(places: int) -> int:
    """All places of each side that has one of these."""
    return (MINE if places & MINE else 0) | (STANDING << SIDE if places >> SIDE else 0)


def escapes(free: int) -> Six:
    """How many rolls of 36 a man on each place can play in full: the number's six bits, as sets of places."""
    c0, c1, c2, c3, d0, d1, d2 = 0, 0, 0, 0, 0, 0, 0
    for die in range(1, 7):
        ready = free >> die
        for then in range(1, die):
            good = free >> die + then & (ready | free >> then)
            carry = c0 & good
            c0 ^= good
            good = c1 & carry
            c1 ^= carry
            carry = c2 & good
            c2 ^= good
            c3 ^= carry
        good = free >> 2 * die & ready
        carry = d0 & good
        d0 ^= good
        d2 ^= d1 & carry
        d1 ^= carry
    carry = d1 & c0
    twos, d1 = d1 ^ c0, carry
    fours = d2 ^ c1 ^ d1
    carry = d2 & c1 | d2 & d1 | c1 & d1
    return d0, twos, fours, c2 ^ carry, c3 ^ c2 & carry, c3 & c2 & carry


def held(p0: int, p1: int, p2: int, p3: int, p4: int, p5: int, men: int, others: int) -> Three:
    """Escaping rolls of the last man, the average over the men behind, and the least over places still ahead of it."""
    last = lowest(men)
    where = 1 << last
    rear = total(p0, p1, p2, p3, p4, p5, where) if last <= 20 else 36
    behind = men & (1 << min(OFF - lowest(others), 21)) - 1
    number = count(behind)
    mean = total(p0, p1, p2, p3, p4, p5, behind) // number if number else 36
    ahead = AHEAD & ~(where - 1)
    return rear, mean, least(p0, p1, p2, p3, p4, p5, ahead) if ahead else 36


def total(p0: int, p1: int, p2: int, p3: int, p4: int, p5: int, where: int) -> int:
    high = 8 * count(p3 & where) + 16 * count(p4 & where) + 32 * count(p5 & where)
    return count(p0 & where) + 2 * count(p1 & where) + 4 * count(p2 & where) + high


def least(p0: int, p1: int, p2: int, p3: int, p4: int, p5: int, where: int) -> int:
    """The smallest number on these places: from the highest bit down, drops places with the bit if any lacks it."""
    where = where & ~p5 if where & ~p5 else where
    where = where & ~p4 if where & ~p4 else where
    where = where & ~p3 if where & ~p3 else where
    where = where & ~p2 if where & ~p2 else where
    where = where & ~p1 if where & ~p1 else where
    where = where & ~p0 if where & ~p0 else where
    return total(p0, p1, p2, p3, p4, p5, where & -where)
