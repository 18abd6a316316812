"""Exact bear-offs: how many rolls a side takes, and who wins when few men are left. Kernel code.

Arrangements of men at home are ranked, 0 being none left; every play lowers the rank, so tables are filled from rank 0
up. A row of the one-sided table has the chances that more than 0, 1, 2, … rolls are needed if every play minimizes the
average number of rolls; that ignores the opponent, which costs almost nothing. The two-sided table of pairs is exact:
both sides maximize their chance to win. The one with the cube is exact too: both sides maximize their money equity,
with their plays and with the cube.
"""

from __future__ import annotations

from math import comb
from typing import Any, Final

import numpy as np

from ludus.games.backgammon.kernel import OFF, OUTSIDE, WORDS, add, men_on, occupied, write_plays

MOST_MEN: Final = 15
RANKS: Final = comb(MOST_MEN + 6, 6)
PAIR_MEN: Final = 6
"""The most men of a side in the table of pairs."""
PAIR_RANKS: Final = comb(PAIR_MEN + 6, 6)
ROLLS: Final = 24
"""Columns of the one-sided table; more are needed less than once in a billion games."""
FIRST_ROLLS: Final = 12
"""Columns of the table of rolls until the first man is off."""
CHOICES: Final = np.array([[comb(above, below) for below in range(7)] for above in range(MOST_MEN + 6)], np.int64)
SIX_POINT: Final = 19
"""The place of the six point; the other points follow."""
CENTRED, OWN, OTHERS = 0, 1, 2
"""Who may double next: both sides, the side to roll, or the other side."""
CUBES: Final = 3
ROLL_COUNT: Final = 21
"""Distinct rolls; doubles fall half as often as the others."""


def is_home(low: int, high: int) -> bool:
    return occupied(low, high) & OUTSIDE == 0


def rank(low: int, high: int) -> int:
    """The rank of these men at home; fewer men come first, then men closer to the end."""
    men, number = 0, 0
    for i in range(6):
        men += men_on(low, high, SIX_POINT + i)
        number += CHOICES[men + i, i + 1]
    return number


def unrank(number: int) -> tuple[int, int]:
    """The men of a rank, none of them off."""
    low, high, top, men = 0, 0, MOST_MEN, 0
    for i in range(6, 0, -1):
        while CHOICES[top + i - 1, i] > number:
            top -= 1
        number -= CHOICES[top + i - 1, i]
        if i < 6:
            for _ in range(men - top):
                low, high = add(low, high, SIX_POINT + i)
        men = top
    for _ in range(men):
        low, high = add(low, high, SIX_POINT)
    return low, high


def write_rolls(rolls: Any, means: Any, first: Any, first_means: Any, plays: Any) -> None:
    """Fills the one-sided tables until all men are off and until the first one is, and their means."""
    for number in range(1, rolls.shape[0]):
        low, high = unrank(number)
        other_low, other_high = unrank(0)
        rolls[number, 0] = first[number, 0] = 1.0
        for die in range(1, 7):
            for then in range(1, die + 1):
                end = write_plays(plays, 0, low, high, other_low, other_high, die, then)
                part = (1.0 if die == then else 2.0) / 36
                best, soonest = quickest(plays, end, means, first_means)
                for k in range(ROLLS - 1):
                    rolls[number, k + 1] += part * rolls[best, k]
                if soonest:
                    for k in range(FIRST_ROLLS - 1):
                        first[number, k + 1] += part * first[soonest, k]
        for k in range(ROLLS):
            means[number] += rolls[number, k]
        for k in range(FIRST_ROLLS):
            first_means[number] += first[number, k]


def quickest(plays: Any, end: int, means: Any, first_means: Any) -> tuple[int, int]:
    """The ranks after the plays that leave the fewest rolls until all men are off, and until one is; 0 if one is."""
    best, soonest = -1, -1
    for i in range(0, end * WORDS, WORDS):
        number = rank(plays[i], plays[i + 1])
        if best < 0 or means[number] < means[best]:
            best = number
        if men_on(plays[i], plays[i + 1], OFF):
            soonest = 0
        elif soonest < 0 or first_means[number] < first_means[soonest]:
            soonest = number
    return best, soonest


def write_successors(starts: Any, successors: Any, plays: Any, ranks: int) -> int:
    """For each rank and roll, the ranks its plays lead to; `starts` has where each roll's list starts."""
    n = 0
    for number in range(ranks):
        low, high = unrank(number)
        other_low, other_high = unrank(0)
        at = number * ROLL_COUNT
        for die in range(1, 7):
            for then in range(1, die + 1):
                starts[at] = n
                at += 1
                end = write_plays(plays, 0, low, high, other_low, other_high, die, then)
                for i in range(0, end * WORDS, WORDS):
                    successors[n] = rank(plays[i], plays[i + 1])
                    n += 1
    starts[ranks * ROLL_COUNT] = n
    return n


def write_pairs(pairs: Any, starts: Any, successors: Any) -> None:
    """Fills the table of pairs: the winning chance of the side to roll (row) against the other (column)."""
    for number in range(pairs.shape[0]):
        pairs[0, number] = 1.0
    for larger in range(1, pairs.shape[0]):
        for twice in range(2, 2 * larger + 2):
            number, other = (larger, twice // 2) if twice % 2 else (twice // 2, larger)
            pairs[number, other] = win_chance(pairs, starts, successors, number, other)


def win_chance(pairs: Any, starts: Any, successors: Any, number: int, other: int) -> float:
    """The winning chance of the side to roll, from those after each of its plays."""
    total, at = 0.0, number * ROLL_COUNT
    for die in range(1, 7):
        for then in range(1, die + 1):
            least = 1.0
            for i in range(starts[at], starts[at + 1]):
                least = min(least, pairs[other, successors[i]])
            total += (1 - least) * (1 if die == then else 2)
            at += 1
    return total / 36


def write_cube_pairs(rolled: Any, starts: Any, successors: Any, values: Any) -> None:
    """Fills the table of pairs with a cube: the equities of the side to roll if it does not double, by the cube.

    Those with the best decision about the cube go into `values`, from which the larger pairs are computed. All are in
    units of the cube's value.
    """
    for number in range(values.shape[0]):
        for cube in range(CUBES):
            rolled[0, number, cube] = values[0, number, cube] = 1.0
    for larger in range(1, values.shape[0]):
        for twice in range(2, 2 * larger + 2):
            number, other = (larger, twice // 2) if twice % 2 else (twice // 2, larger)
            write_cube_pair(rolled, starts, successors, values, number, other)


def write_cube_pair(rolled: Any, starts: Any, successors: Any, values: Any, number: int, other: int) -> None:
    """One pair, from the values after each play: the roller's own cube is then the other side's."""
    centred, own, others, at = 0.0, 0.0, 0.0, number * ROLL_COUNT
    for die in range(1, 7):
        for then in range(1, die + 1):
            least_centred = least_own = least_others = 2.0
            for i in range(starts[at], starts[at + 1]):
                after = successors[i]
                if after == 0:
                    least_centred = least_own = least_others = -1.0
                    break
                least_centred = min(least_centred, values[other, after, CENTRED])
                least_own = min(least_own, values[other, after, OTHERS])
                least_others = min(least_others, values[other, after, OWN])
            weight = 1 if die == then else 2
            centred -= weight * least_centred
            own -= weight * least_own
            others -= weight * least_others
            at += 1
    doubled = min(2 * others / 36, 1.0)
    rolled[number, other, CENTRED], rolled[number, other, OWN] = centred / 36, own / 36
    rolled[number, other, OTHERS] = values[number, other, OTHERS] = others / 36
    values[number, other, CENTRED] = max(centred / 36, doubled)
    values[number, other, OWN] = max(own / 36, doubled)


def is_bearoff(low: int, high: int, other_low: int, other_high: int) -> bool:
    """Whether all men of both sides are at home or off."""
    return is_home(low, high) and is_home(other_low, other_high)


def is_exact(low: int, high: int, other_low: int, other_high: int) -> bool:
    """Whether the game is over or the table of pairs has it: few men at home, and no gammon possible."""
    if occupied(low, high) & ~(1 << OFF) == 0 or occupied(other_low, other_high) & ~(1 << OFF) == 0:
        return True
    is_single = men_on(low, high, OFF) > 0 and men_on(other_low, other_high, OFF) > 0
    if not is_single or not is_bearoff(low, high, other_low, other_high):
        return False
    return rank(low, high) < PAIR_RANKS and rank(other_low, other_high) < PAIR_RANKS


def write_bearoff(out: Any, at: int, low: int, high: int, other_low: int, other_high: int, tables: Any) -> None:
    """Six chances of the side to roll, in the network's order; all men must be at home or off."""
    mine, theirs = rank(low, high), rank(other_low, other_high)
    off, other_off = men_on(low, high, OFF), men_on(other_low, other_high, OFF)
    rolls = tables.rolls
    if off and other_off and mine < PAIR_RANKS and theirs < PAIR_RANKS:
        won = tables.pairs[mine, theirs]
    else:
        won = race_chance(rolls, mine, rolls, theirs, 0)
    gammon = 0.0 if other_off else min(race_chance(rolls, mine, tables.first, theirs, 0), won)
    lost_gammon = 0.0 if off else min(race_chance(rolls, theirs, tables.first, mine, 1), 1 - won)
    out[at], out[at + 1], out[at + 2] = won - gammon, gammon, 0.0
    out[at + 3], out[at + 4], out[at + 5] = 1 - won - lost_gammon, lost_gammon, 0.0


def race_chance(rolls: Any, number: int, others: Any, other: int, late: int) -> float:
    """The chance of needing no more rolls than the other side; fewer, if `late`, because the other side rolls first."""
    total = 0.0
    for k in range(others.shape[1] - 1):
        total += (rolls[number, k] - rolls[number, k + 1]) * others[other, k + late]
    return min(max(total, 0.0), 1.0)
