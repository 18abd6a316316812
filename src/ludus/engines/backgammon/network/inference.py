"""The network in plain arithmetic, one position at a time, in the kernel's style: compiled, it needs no torch.

Its wide layer is a sum of rows, one for each bit that is set in the position's words. The sum of the last position is
kept with its words, and only rows of bits that have changed since are added or taken away: the plays of a roll differ
in few. Sums are whole numbers, so that the way to a position leaves no trace in what is said of it.
"""

from __future__ import annotations

from math import exp
from typing import Any, Final

from ludus.engines.backgammon.network.features import KIND_BIT, WORDS, lowest, write_features
from ludus.games.backgammon.kernel import OFF, is_off, men_on, points_lost
from ludus.games.backgammon.kernel import WORDS as PLAY_WORDS

OUTCOMES: Final = 6
"""Win, gammon, backgammon of the side to roll, then the same of the other; each means exactly that."""
EMPTY_ROW: Final = 64 * WORDS
"""A row of zeros after all others."""
KIND_WORD: Final = 8
HALF: Final = 1 << 15
SQUARE_ROOT: Final = 64
MOST_SQUARE: Final = SQUARE_ROOT * SQUARE_ROOT
"""The whole number that stands for one after squaring."""


def write_chances(
    out: Any,
    at: int,
    low: int,
    high: int,
    other_low: int,
    other_high: int,
    rows: Any,
    scale: Any,
    second: Any,
    factor: Any,
    second_bias: Any,
    third: Any,
    third_bias: Any,
    last: Any,
    last_bias: Any,
    wide: Any,
    words: Any,
    squares: Any,
    dots: Any,
    narrow: Any,
    changed: Any,
) -> None:
    """Six chances of the side to roll, from `at` on. What comes after the weights is scratch.

    `wide` is what it was after the last position, whose words are in `words`.
    """
    if is_off(low, high) or is_off(other_low, other_high):
        write_end(out, at, low, high, other_low, other_high)
        return
    write_features(words, WORDS, 1, low, high, other_low, other_high)
    which = lowest(words[WORDS + KIND_WORD] >> KIND_BIT)
    follow(wide, rows, words, changed)
    square(wide, scale, squares)
    narrow_down(squares, second, factor, second_bias, which, dots, narrow)
    think_again(narrow, third, third_bias, which)
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


def follow(wide: Any, rows: Any, words: Any, changed: Any) -> None:
    """Turns the sum for the old words into that for the new ones, two rows added and two taken away at a time."""
    room = changed.shape[0] >> 1
    more, less = 0, room
    for word in range(WORDS):
        now = words[WORDS + word]
        bits = words[word] ^ now
        words[word] = now
        while bits:
            bit = lowest(bits)
            bits &= bits - 1
            is_new = now >> bit & 1
            changed[more] = changed[less] = 64 * word + bit
            more += is_new
            less += 1 - is_new
    end = max(more, less - room) + 1 & -2
    for i in range(more, end):
        changed[i] = EMPTY_ROW
    for i in range(less, room + end):
        changed[i] = EMPTY_ROW
    for i in range(0, end, 2):
        add_rows(wide, rows, changed[i], changed[i + 1], changed[room + i], changed[room + i + 1])


def add_rows(wide: Any, rows: Any, p: int, q: int, r: int, s: int) -> None:
    """Sums may leave sixteen bits on the way: they come back."""
    for h in range(wide.shape[0]):
        change = (int(rows[p, h]) + int(rows[q, h])) - (int(rows[r, h]) + int(rows[s, h]))
        wide[h] = (int(wide[h]) + change + HALF & 2 * HALF - 1) - HALF


def square(wide: Any, scale: Any, squares: Any) -> None:
    """What the wide layer holds, kept between 0 and 1 and squared, as a whole number up to `MOST_SQUARE`."""
    real, whole = scale.dtype.type, squares.dtype.type
    most = real(SQUARE_ROOT)
    for h in range(wide.shape[0]):
        value = min(real(max(wide[h], 0)) * scale[h], most)
        squares[h] = whole(value * value)


def narrow_down(squares: Any, second: Any, factor: Any, bias: Any, which: int, dots: Any, narrow: Any) -> None:
    """The first narrow layer; its weights are whole numbers, small enough for sums of 32 bits."""
    whole = dots.dtype.type
    for j in range(dots.shape[0]):
        total = whole(0)
        for h in range(squares.shape[0]):
            total = whole(total + whole(whole(squares[h]) * whole(second[which, j, h])))
        dots[j] = total
    for j in range(dots.shape[0]):
        narrow[j] = dots[j] * factor[which, j] + bias[which, j]


def think_again(narrow: Any, third: Any, bias: Any, which: int) -> None:
    """The second narrow layer, written after the first in the same array."""
    size = third.shape[1]
    for j in range(size):
        narrow[size + j] = bias[which, j]
    for i in range(size):
        value = narrow[i]
        if value > 0:
            for j in range(size):
                narrow[size + j] += value * third[which, i, j]


def write_outcomes(out: Any, at: int, last: Any, bias: Any, which: int, narrow: Any) -> None:
    """The last layer and the softmax."""
    for k in range(OUTCOMES):
        out[at + k] = bias[which, k]
    size = last.shape[1]
    for j in range(size):
        value = narrow[size + j]
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
    scale: Any,
    second: Any,
    factor: Any,
    second_bias: Any,
    third: Any,
    third_bias: Any,
    last: Any,
    last_bias: Any,
    wide: Any,
    words: Any,
    squares: Any,
    dots: Any,
    narrow: Any,
    changed: Any,
) -> None:
    """What each play of the kernel's list, from number `first` on, is worth to who makes it; `out` is scratch too."""
    for i in range(first, end):
        low, high, other_low, other_high = (
            plays[i * PLAY_WORDS],
            plays[i * PLAY_WORDS + 1],
            plays[i * PLAY_WORDS + 2],
            plays[i * PLAY_WORDS + 3],
        )
        write_chances(
            out, 0, other_low, other_high, low, high,
            rows, scale, second, factor, second_bias, third, third_bias, last, last_bias,
            wide, words, squares, dots, narrow, changed,
        )  # fmt: skip
        values[i] = -equity(out, 0)
