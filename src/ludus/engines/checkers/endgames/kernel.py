"""Indexing and probing the endgame tables. Kernel code.

The tables hold positions in which the side to move goes down; others are rotated by 180 degrees first. Positions with
the same numbers of men and kings form a slice and have consecutive indices. `layout` is the array made by
`layout.kernel_layout`: binomial coefficients, then `STARTS`, then `OFFSETS` of slices, then at `MAX_PIECES` the largest
number of pieces in the tables. `wld` holds two bits per position, lowest bits first.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import Words, count, nth, reverse
from ludus.games.checkers.kernel import BOTTOM, DARK, TOP

UNKNOWN = 0
LOSS = 1
DRAW = 2
WIN = 3

LOWER = DARK & ~TOP
"""The squares on which men that move up can stand."""
MIDDLE = LOWER & ~BOTTOM
CROWN_ROW = DARK & TOP

STARTS = 33 * 8
"""For each number of own men, the opponent's men, and own men on the top row: arrangements before these."""
OFFSETS = STARTS + 8 * 8 * 8
"""For each slice: the index of its first position."""
MAX_PIECES = OFFSETS + 8 * 8 * 8 * 8
LAYOUT_WORDS = MAX_PIECES + 1

Three = tuple[int, int, int]


def probe_wld(wld: Any, layout: Words, own: int, other: int, kings: int, side: int) -> int:
    """WIN, DRAW or LOSS for the side to move, or UNKNOWN if the tables don't have the position."""
    if count(own | other) > layout[MAX_PIECES]:
        return UNKNOWN
    if own == 0:
        return LOSS
    if side == 1:
        own, other, kings = reverse(own), reverse(other), reverse(kings)
    if other == 0 or (own & BOTTOM | other & TOP) & ~kings:
        return UNKNOWN
    return value_at(wld, index_of(layout, own, other, kings))


def value_at(wld: Any, place: int) -> int:
    value: int = wld[place >> 2] >> 2 * (place & 3) & 3
    return value


def index_of(layout: Words, own: int, other: int, kings: int) -> int:
    """The position's index; the side to move goes down, and no man stands on its crown row."""
    men, others_men = own & ~kings, other & ~kings
    top = men & TOP
    a, b, r = count(men), count(others_men), count(top)
    k, n = count(own) - a, count(other) - b
    place = rank(layout, top, CROWN_ROW) * layout[24 * 8 + a - r] + rank(layout, men ^ top, MIDDLE)
    place = layout[STARTS + (a * 8 + b) * 8 + r] + place * layout[(28 - a + r) * 8 + b]
    place += rank(layout, others_men, LOWER & ~men)
    free = DARK & ~(men | others_men)
    place = place * layout[(32 - a - b) * 8 + k] + rank(layout, own & kings, free)
    place = place * layout[(32 - a - b - k) * 8 + n] + rank(layout, other & kings, free & ~own)
    return layout[OFFSETS + ((a * 8 + k) * 8 + b) * 8 + n] + place


def rank(layout: Words, squares: int, among: int) -> int:
    """The combinatorial rank of a set among all sets of the same size on these squares."""
    total, size = 0, 1
    while squares:
        lowest = squares & -squares
        squares ^= lowest
        total += layout[count(among & (lowest - 1)) * 8 + size]
        size += 1
    return total


def unrank(layout: Words, place: int, size: int, among: int) -> int:
    """The set of `size` of these squares with this rank."""
    squares, last = 0, count(among)
    while size:
        last -= 1
        while layout[last * 8 + size] > place:
            last -= 1
        place -= layout[last * 8 + size]
        squares |= 1 << nth(among, last)
        size -= 1
    return squares


def position_at(layout: Words, a: int, k: int, b: int, n: int, place: int) -> Three:
    """(own, other, kings) at a place of the slice with `a` men and `k` kings against `b` men and `n` kings."""
    ways = layout[(32 - a - b - k) * 8 + n]
    place, others_kings = place // ways, place % ways
    ways = layout[(32 - a - b) * 8 + k]
    place, own_kings = place // ways, place % ways
    start, r = STARTS + (a * 8 + b) * 8, 0
    while r < min(a, 4) and layout[start + r + 1] <= place:
        r += 1
    place -= layout[start + r]
    ways = layout[(28 - a + r) * 8 + b]
    place, others_men = place // ways, place % ways
    ways = layout[24 * 8 + a - r]
    men = unrank(layout, place // ways, r, CROWN_ROW) | unrank(layout, place % ways, a - r, MIDDLE)
    theirs = unrank(layout, others_men, b, LOWER & ~men)
    free = DARK & ~(men | theirs)
    crowned = unrank(layout, own_kings, k, free)
    others_crowned = unrank(layout, others_kings, n, free & ~crowned)
    return men | crowned, theirs | others_crowned, crowned | others_crowned
