"""The network in plain arithmetic, one position at a time, in the kernel's style: compiled, it needs no torch.

Its first layer is a sum of rows: one for each place where men stand, one for the men off, one for the kind of position,
and one for each sign, times the sign. Rows are added four at a time, which saves memory traffic.
"""

from __future__ import annotations

from math import exp
from typing import Any, Final

from ludus.engines.backgammon.network.features import (
    KINDS,
    LEVELS,
    MEN_PLACES,
    OFF_LEVELS,
    SIDE_INPUTS,
    SIGNS,
    SMALL,
    STANDING,
    kind,
    lowest,
    signs,
)
from ludus.games.backgammon.kernel import OFF, WORDS, is_off, men_on, points_lost

OUTCOMES: Final = 6
"""Win, gammon, backgammon of the side to roll, then the same of the other; each means exactly that."""
MOST_ROWS: Final = 40
"""Of men: fifteen places and the men off for each side, the kind, and some to fill up a group of four."""
FIRST_SIGN: Final = 2 * SIDE_INPUTS + KINDS
EMPTY_ROW: Final = FIRST_SIGN + 2 * SIGNS
"""A row of zeros after all others."""


def write_chances(
    out: Any,
    at: int,
    low: int,
    high: int,
    other_low: int,
    other_high: int,
    rows: Any,
    first_bias: Any,
    second: Any,
    second_bias: Any,
    last: Any,
    last_bias: Any,
    wide: Any,
    narrow: Any,
    active: Any,
) -> None:
    """Six chances of the side to roll, from `at` on. `wide`, `narrow` and `active` are scratch."""
    if is_off(low, high) or is_off(other_low, other_high):
        write_end(out, at, low, high, other_low, other_high)
        return
    which = kind(low, high, other_low, other_high)
    add_men(wide, first_bias, rows, active, low, high, other_low, other_high, which)
    a, b, c, d = signs(low, high, other_low, other_high)
    add_signs(wide, rows, active, a, b, c, d)
    narrow_down(wide, second, second_bias, which, narrow, active)
    write_outcomes(out, at, last, last_bias, which, narrow)
    rule_out(out, at, men_on(low, high, OFF), men_on(other_low, other_high, OFF))


def write_end(out: Any, at: int, low: int, high: int, other_low: int, other_high: int) -> None:
    """A finished game is worth exactly what it pays."""
    for k in range(OUTCOMES):
        out[at + k] = 0.0
    if is_off(low, high):
        out[at + points_lost(other_low, other_high) - 1] = 1.0
    else:
        out[at + points_lost(low, high) + 2] = 1.0


def list_men(active: Any, n: int, first: int, low: int, high: int) -> int:
    """Appends the rows of one side: for each place the one of its number of men."""
    one, two, four, eight = low & STANDING, low >> 32 & STANDING, high & STANDING, high >> 32 & STANDING
    inner = four & ~eight
    n = list_level(active, n, first, 0, one & ~(two | four | eight))
    n = list_level(active, n, first, 1, two & ~(one | four | eight))
    n = list_level(active, n, first, 2, one & two & ~(four | eight))
    n = list_level(active, n, first, 3, inner & ~(one | two))
    n = list_level(active, n, first, 4, inner & one & ~two)
    n = list_level(active, n, first, 5, inner & two)
    n = list_level(active, n, first, 6, eight)
    gone = min(men_on(low, high, OFF), OFF_LEVELS)
    if gone:
        active[n] = first + LEVELS * MEN_PLACES + gone - 1
        n += 1
    return n


def list_level(active: Any, n: int, first: int, level: int, places: int) -> int:
    while places:
        active[n] = first + level * MEN_PLACES + lowest(places)
        places &= places - 1
        n += 1
    return n


def add_men(
    wide: Any, bias: Any, rows: Any, active: Any, low: int, high: int, other_low: int, other_high: int, which: int
) -> None:
    n = list_men(active, 0, 0, low, high)
    n = list_men(active, n, SIDE_INPUTS, other_low, other_high)
    active[n] = 2 * SIDE_INPUTS + which
    n += 1
    while n % 4:
        active[n] = EMPTY_ROW
        n += 1
    for h in range(wide.shape[0]):
        wide[h] = bias[h]
    for i in range(0, n, 4):
        p, q, r, s = active[i], active[i + 1], active[i + 2], active[i + 3]
        for h in range(wide.shape[0]):
            wide[h] += (rows[p, h] + rows[q, h]) + (rows[r, h] + rows[s, h])


def add_signs(wide: Any, rows: Any, active: Any, a: int, b: int, c: int, d: int) -> None:
    """Rows of signs that are not zero, each times its sign; `active` holds row and sign."""
    n = list_signs(active, 0, FIRST_SIGN, a)
    n = list_signs(active, n, FIRST_SIGN + 6, b)
    n = list_signs(active, n, FIRST_SIGN + SIGNS, c)
    n = list_signs(active, n, FIRST_SIGN + SIGNS + 6, d)
    while n % 4:
        active[n] = EMPTY_ROW << 8
        n += 1
    for i in range(0, n, 4):
        p, q, r, s = active[i] >> 8, active[i + 1] >> 8, active[i + 2] >> 8, active[i + 3] >> 8
        t, u = rows.dtype.type(active[i] & SMALL), rows.dtype.type(active[i + 1] & SMALL)
        v, w = rows.dtype.type(active[i + 2] & SMALL), rows.dtype.type(active[i + 3] & SMALL)
        for h in range(wide.shape[0]):
            wide[h] += (t * rows[p, h] + u * rows[q, h]) + (v * rows[r, h] + w * rows[s, h])


def list_signs(active: Any, n: int, first: int, word: int) -> int:
    while word:
        if word & SMALL:
            active[n] = first << 8 | word & SMALL
            n += 1
        word >>= 8
        first += 1
    return n


def narrow_down(wide: Any, second: Any, bias: Any, which: int, narrow: Any, active: Any) -> None:
    """What the wide layer holds, kept between 0 and 1 and squared, goes into the narrow one; most of it is zero."""
    zero, one = wide.dtype.type(0), wide.dtype.type(1)
    for j in range(narrow.shape[0]):
        narrow[j] = bias[which, j]
    n = 0
    for h in range(wide.shape[0]):
        active[n] = h
        n += wide[h] > zero
        value = min(max(wide[h], zero), one)
        wide[h] = value * value
    for i in range(0, n & -4, 4):
        p, q, r, s = active[i], active[i + 1], active[i + 2], active[i + 3]
        t, u, v, w = wide[p], wide[q], wide[r], wide[s]
        for j in range(narrow.shape[0]):
            narrow[j] += (t * second[which, p, j] + u * second[which, q, j]) + (
                v * second[which, r, j] + w * second[which, s, j]
            )
    for i in range(n & -4, n):
        p = active[i]
        for j in range(narrow.shape[0]):
            narrow[j] += wide[p] * second[which, p, j]


def write_outcomes(out: Any, at: int, last: Any, bias: Any, which: int, narrow: Any) -> None:
    """The last layer and the softmax."""
    for k in range(OUTCOMES):
        out[at + k] = bias[which, k]
    for j in range(narrow.shape[0]):
        value = narrow[j]
        if value > 0:
            for k in range(OUTCOMES):
                out[at + k] += value * last[which, j, k]
    top = out[at]
    for k in range(1, OUTCOMES):
        top = max(top, out[at + k])
    for k in range(OUTCOMES):
        out[at + k] = exp(out[at + k] - top)


def rule_out(out: Any, at: int, off: int, other_off: int) -> None:
    """Nobody loses a gammon with a man off; then the chances add up to one."""
    if other_off:
        out[at + 1] = out[at + 2] = 0.0
    if off:
        out[at + 4] = out[at + 5] = 0.0
    total = 0.0
    for k in range(OUTCOMES):
        total += out[at + k]
    for k in range(OUTCOMES):
        out[at + k] /= total


def equity(out: Any, at: int) -> float:
    """The points to be expected, from six chances."""
    won: float = out[at] + 2 * out[at + 1] + 3 * out[at + 2]
    lost: float = out[at + 3] + 2 * out[at + 4] + 3 * out[at + 5]
    return won - lost


def write_values(
    values: Any,
    plays: Any,
    first: int,
    end: int,
    out: Any,
    rows: Any,
    first_bias: Any,
    second: Any,
    second_bias: Any,
    last: Any,
    last_bias: Any,
    wide: Any,
    narrow: Any,
    active: Any,
) -> None:
    """What each play of the kernel's list, from number `first` on, is worth to who makes it; `out` is scratch too."""
    for i in range(first, end):
        low, high, other_low, other_high = (
            plays[i * WORDS],
            plays[i * WORDS + 1],
            plays[i * WORDS + 2],
            plays[i * WORDS + 3],
        )
        write_chances(
            out, 0, other_low, other_high, low, high,
            rows, first_bias, second, second_bias, last, last_bias, wide, narrow, active,
        )  # fmt: skip
        values[i] = -equity(out, 0)
