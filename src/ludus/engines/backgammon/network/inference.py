"""The network's forward pass for one position at a time, in kernel style: compiled, it needs no torch.

The input layer is an NNUE accumulator: a sum of rows, one for each bit set in the position's words. It is kept with the
words of the last position and updated incrementally, since the plays of a roll differ in few bits. Sums are integers,
so the result doesn't depend on the positions evaluated before. Seven of eight units are zero after it, and the first
hidden layer skips them.
"""

from __future__ import annotations

import typing
from math import exp
from typing import Any, Final

from ludus.engines.backgammon.network.features import KIND_BIT, WORDS, lowest, write_features
from ludus.engines.backgammon.network.sparse import write_product
from ludus.games.backgammon.kernel import OFF, is_off, men_on, points_lost
from ludus.games.backgammon.kernel import WORDS as PLAY_WORDS

OUTCOMES: Final = 6
"""Exactly a win, gammon or backgammon for the side to roll, then the same for the other side."""
EMPTY_ROW: Final = 64 * WORDS
"""A row of zeros after all others."""
KIND_WORD: Final = 8
HALF: Final = 1 << 15
SQUARE_ROOT: Final = 64
MOST_SQUARE: Final = SQUARE_ROOT * SQUARE_ROOT
"""The integer that represents an activation of one."""


class Weights(typing.NamedTuple):
    """The input layer and the first hidden layer are integers; `input_scale` and `hidden1_scale` convert them back."""

    input_rows: Any
    input_scale: Any
    hidden1: Any
    hidden1_scale: Any
    hidden1_bias: Any
    hidden2: Any
    hidden2_bias: Any
    output: Any
    output_bias: Any


class Activations(typing.NamedTuple):
    """One thread's buffers; `accumulator` belongs to the position in the first half of `words`."""

    accumulator: Any
    words: Any
    squares: Any
    dots: Any
    hidden: Any
    changed: Any


def write_chances(
    out: Any, at: int, low: int, high: int, other_low: int, other_high: int, weights: Weights, layers: Activations
) -> None:
    """Writes the six chances of the side to roll, from `at` on."""
    if is_off(low, high) or is_off(other_low, other_high):
        write_end(out, at, low, high, other_low, other_high)
        return
    words = layers.words
    write_features(words, WORDS, 1, low, high, other_low, other_high)
    kind = lowest(words[WORDS + KIND_WORD] >> KIND_BIT)
    update_accumulator(layers.accumulator, weights.input_rows, words, layers.changed)
    squared_clipped_relu(layers.accumulator, weights.input_scale, layers.squares)
    hidden_layer_1(
        layers.squares, weights.hidden1, weights.hidden1_scale, weights.hidden1_bias, kind, layers.dots, layers.hidden
    )
    hidden_layer_2(layers.hidden, weights.hidden2, weights.hidden2_bias, kind)
    output_layer(out, at, weights.output, weights.output_bias, kind, layers.hidden)
    mask_gammons(out, at, men_on(low, high, OFF), men_on(other_low, other_high, OFF))


def write_end(out: Any, at: int, low: int, high: int, other_low: int, other_high: int) -> None:
    """A finished game has one certain outcome."""
    for k in range(OUTCOMES):
        out[at + k] = 0.0
    if is_off(low, high):
        out[at + points_lost(other_low, other_high) - 1] = 1.0
    else:
        out[at + points_lost(low, high) + 2] = 1.0


def update_accumulator(accumulator: Any, rows: Any, words: Any, changed: Any) -> None:
    """Updates the sum from the old words to the new ones, two rows added and two subtracted at a time."""
    room = changed.shape[0] >> 1
    added, removed = 0, room
    for word in range(WORDS):
        now = words[WORDS + word]
        bits = words[word] ^ now
        words[word] = now
        while bits:
            bit = lowest(bits)
            bits &= bits - 1
            is_new = now >> bit & 1
            changed[added] = changed[removed] = 64 * word + bit
            added += is_new
            removed += 1 - is_new
    end = max(added, removed - room) + 1 & -2
    for i in range(added, end):
        changed[i] = EMPTY_ROW
    for i in range(removed, room + end):
        changed[i] = EMPTY_ROW
    for i in range(0, end, 2):
        add_sub_rows(accumulator, rows, changed[i], changed[i + 1], changed[room + i], changed[room + i + 1])


def add_sub_rows(accumulator: Any, rows: Any, p: int, q: int, r: int, s: int) -> None:
    """Intermediate sums may wrap around sixteen bits; final ones don't."""
    for h in range(accumulator.shape[0]):
        change = (int(rows[p, h]) + int(rows[q, h])) - (int(rows[r, h]) + int(rows[s, h]))
        accumulator[h] = (int(accumulator[h]) + change + HALF & 2 * HALF - 1) - HALF


def squared_clipped_relu(accumulator: Any, scale: Any, squares: Any) -> None:
    """Clips to 0…1 and squares, as integers up to `MOST_SQUARE`."""
    real, whole = scale.dtype.type, squares.dtype.type
    most = real(SQUARE_ROOT)
    for h in range(accumulator.shape[0]):
        value = min(real(max(accumulator[h], 0)) * scale[h], most)
        squares[h] = whole(value * value)


def hidden_layer_1(squares: Any, weight: Any, scale: Any, bias: Any, kind: int, dots: Any, hidden: Any) -> None:
    """Integer weights, small enough for 32-bit sums."""
    write_product(dots, squares, weight, kind)
    for j in range(bias.shape[1]):
        hidden[j] = dots[j] * scale[kind, j] + bias[kind, j]


def hidden_layer_2(hidden: Any, weight: Any, bias: Any, kind: int) -> None:
    """Written after the first hidden layer in the same array."""
    size = weight.shape[1]
    for j in range(size):
        hidden[size + j] = bias[kind, j]
    for i in range(size):
        value = hidden[i]
        if value > 0:
            for j in range(size):
                hidden[size + j] += value * weight[kind, i, j]


def output_layer(out: Any, at: int, weight: Any, bias: Any, kind: int, hidden: Any) -> None:
    """Writes the numerators of the softmax; `mask_gammons` divides by their sum."""
    for k in range(OUTCOMES):
        out[at + k] = bias[kind, k]
    size = weight.shape[1]
    for j in range(size):
        value = hidden[size + j]
        if value > 0:
            for k in range(OUTCOMES):
                out[at + k] += value * weight[kind, j, k]
    top = out[at]
    for k in range(1, OUTCOMES):
        top = max(top, out[at + k])
    for k in range(OUTCOMES):
        out[at + k] = exp(out[at + k] - top)


def mask_gammons(out: Any, at: int, off: int, other_off: int) -> None:
    """A side with a man off can't lose a gammon; normalizes the rest."""
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
    """Expected points, from six chances."""
    won: float = out[at] + 2 * out[at + 1] + 3 * out[at + 2]
    lost: float = out[at + 3] + 2 * out[at + 4] + 3 * out[at + 5]
    return won - lost


def write_equities(
    values: Any, plays: Any, first: int, end: int, out: Any, weights: Weights, layers: Activations
) -> None:
    """The equity of each play of the kernel's list, from number `first` on, for the side that makes it."""
    for i in range(first, end):
        at = i * PLAY_WORDS
        write_chances(out, 0, plays[at + 2], plays[at + 3], plays[at], plays[at + 1], weights, layers)
        values[i] = -equity(out, 0)
