"""The wide layer in whole numbers of 16 bits, so that rows can be added and taken away again without a trace.

Each unit has a scale of its own: the largest with which its sum fits into 16 bits, whatever the position.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.engines.backgammon.network.features import (
    KIND_BIT,
    KINDS,
    LEVELS,
    MEN_PLACES,
    OFF_LEVELS,
    SCALES,
    SIDE_INPUTS,
    SIGNS,
    SMALL,
    WORDS,
    Sign,
)

Floats = NDArray[np.float32]
Shorts = NDArray[np.int16]

WORD_BITS: Final = 64
SIGN_BITS: Final = 8
SIDE_WORD_BITS: Final = 50
FIRST_SIGN_WORD: Final = 8
SIGNS_IN_WORD: Final = 6
MEN: Final = 15
LIMIT: Final = 32767
SUM_LIMIT: Final = 0.99 * (1 << 31)
TINY: Final = 1e-6
ROUNDING: Final = 128
"""More than all rows of a position can be off by rounding, half a number each."""
MOST_PIPS: Final = 25 * MEN
LEVEL_OF: Final = (-1, 0, 1, 2, 3, 4, 5, 5, *(6,) * (MEN - 7))
"""The last of the seven inputs of a place that so many men set; the first is for a single man alone."""
MOST: Final = {
    Sign.HITS: 36,
    Sign.HIT_PIPS: 112,
    Sign.DOUBLE_HITS: 36,
    Sign.ESCAPES: 36,
    Sign.MEAN_ESCAPES: 36,
    Sign.LEAST_ESCAPES: 36,
    Sign.HOME_POINTS: 6,
    Sign.PRIME: 7,
    Sign.CONTACT_PIPS: SMALL,
    Sign.BEHIND: MEN,
    Sign.BLOTS: MEN,
}
"""The highest number of each sign but pips."""


class Integers(NamedTuple):
    """A row for each bit of each word of `features`, what sums begin with, and what stands for one."""

    rows: Shorts
    bias: Shorts
    one: Floats


def in_integers(weight: Floats, bias: Floats) -> Integers:
    """From the weights as a file has them."""
    most = np.maximum(_highest(weight, bias), _highest(-weight, -bias))
    one = np.maximum(np.floor((LIMIT - ROUNDING) / np.maximum(most, 1.0)), 1.0)
    rows = np.zeros((WORDS * WORD_BITS + 1, bias.size), np.float64)
    for row, number, factor in _sources():
        rows[row] = weight[number] * factor
    return Integers(np.rint(rows * one).astype(np.int16), np.rint(bias * one).astype(np.int16), one.astype(np.float32))


def to_integers(weight: Floats, most: int) -> tuple[Shorts, Floats]:
    """Whole numbers whose sums with inputs up to `most` over the last axis fit into 32 bits; what one stands for."""
    size = np.abs(weight)
    scale = np.minimum(LIMIT / np.maximum(size.max(-1), TINY), SUM_LIMIT / most / np.maximum(size.sum(-1), TINY))
    whole = np.rint(weight * scale[..., None]).astype(np.int16)
    return np.ascontiguousarray(whole), (1 / scale / most).astype(np.float32)


def _sources() -> list[tuple[int, int, float]]:
    """For each bit that can be set: its row, the input it belongs to, and what part of that input it is."""
    found = []
    for side in range(2):
        first = 4 * side * WORD_BITS
        for i in range(SIDE_INPUTS):
            found.append((first + i // SIDE_WORD_BITS * WORD_BITS + i % SIDE_WORD_BITS, side * SIDE_INPUTS + i, 1.0))
    kinds = 2 * SIDE_INPUTS
    found += [(FIRST_SIGN_WORD * WORD_BITS + KIND_BIT + kind, kinds + kind, 1.0) for kind in range(KINDS)]
    for sign in range(2 * SIGNS):
        word, byte = FIRST_SIGN_WORD + sign // SIGNS_IN_WORD, sign % SIGNS_IN_WORD
        for bit in range(SIGN_BITS):
            row = word * WORD_BITS + byte * SIGN_BITS + bit
            found.append((row, kinds + KINDS + sign, (1 << bit) / SCALES[sign % SIGNS]))
    return found


def _highest(weight: Floats, bias: Floats) -> Floats:
    """A bound on each unit's sum over all positions."""
    total = bias + weight[2 * SIDE_INPUTS : 2 * SIDE_INPUTS + KINDS].max(0)
    for side in range(2):
        signs = weight[2 * SIDE_INPUTS + KINDS + side * SIGNS :][:SIGNS] / np.array(SCALES, np.float32)[:, None]
        total += _highest_of_men(weight[side * SIDE_INPUTS :][:SIDE_INPUTS], signs[Sign.PIPS])
        for sign, most in MOST.items():
            total += most * signs[sign].clip(0)
    return np.asarray(total, np.float32)


def _highest_of_men(weight: Floats, pip: Floats) -> Floats:
    """The highest sum that fifteen men of one side can have, place by place, their pips included."""
    levels = weight[: LEVELS * MEN_PLACES].reshape(LEVELS, MEN_PLACES, -1)
    sums = np.concatenate([np.zeros_like(levels[:1]), levels[:1], levels[1:].cumsum(0)])
    best = np.full((MEN + 1, weight.shape[1]), -np.inf, np.float32)
    best[0] = 0
    for place in range(MEN_PLACES):
        before, best = best, best.copy()
        for men in range(1, MEN + 1):
            worth = sums[LEVEL_OF[men] + 1, place] + men * (MEN_PLACES - place) * pip
            best[men:] = np.maximum(best[men:], before[: MEN + 1 - men] + worth)
    off = np.concatenate([np.zeros_like(weight[:1]), weight[LEVELS * MEN_PLACES :].cumsum(0)])
    gone = np.minimum(MEN - np.arange(MEN + 1), OFF_LEVELS)
    return np.asarray((best + off[gone]).max(0) + (MOST_PIPS - SMALL) * np.abs(pip), np.float32)
