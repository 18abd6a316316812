"""Quantization: the input layer in 16-bit integers, so that incremental updates leave no rounding errors.

Each unit has its own scale: the largest that keeps its sum within 16 bits for every position.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.engines.backgammon.network.features import (
    FEATURES,
    KIND_BIT,
    KINDS,
    LEVELS,
    MEN_PLACES,
    OFF_LEVELS,
    SCALES,
    SIDE_INPUTS,
    SMALL,
    WORDS,
    Feature,
)

Floats = NDArray[np.float32]
Shorts = NDArray[np.int16]

WORD_BITS: Final = 64
FEATURE_BITS: Final = 8
SIDE_WORD_BITS: Final = 50
FIRST_FEATURE_WORD: Final = 8
FEATURES_IN_WORD: Final = 6
MEN: Final = 15
LIMIT: Final = 32767
SUM_LIMIT: Final = 0.99 * (1 << 31)
TINY: Final = 1e-6
ROUNDING: Final = 128
"""A bound for the sum of the rounding errors of all rows of a position, a half each."""
MOST_PIPS: Final = 25 * MEN
LEVEL_OF: Final = (-1, 0, 1, 2, 3, 4, 5, 5, *(6,) * (MEN - 7))
"""By number of men on a place: the last of its seven inputs that is set; the first is for a single man only."""
MAX_VALUES: Final = {
    Feature.HITS: 36,
    Feature.HIT_PIPS: 112,
    Feature.DOUBLE_HITS: 36,
    Feature.ESCAPES: 36,
    Feature.MEAN_ESCAPES: 36,
    Feature.LEAST_ESCAPES: 36,
    Feature.HOME_POINTS: 6,
    Feature.PRIME: 7,
    Feature.CONTACT_PIPS: SMALL,
    Feature.BEHIND: MEN,
    Feature.BLOTS: MEN,
}
"""The largest value of each feature except pips."""


class QuantizedInputs(NamedTuple):
    """A row for each bit of each word of `features`, the bias, and the integer that represents one."""

    rows: Shorts
    bias: Shorts
    one: Floats


def quantize_inputs(weight: Floats, bias: Floats) -> QuantizedInputs:
    """Takes the weights as they are in a file."""
    most = np.maximum(_highest(weight, bias), _highest(-weight, -bias))
    one = np.maximum(np.floor((LIMIT - ROUNDING) / np.maximum(most, 1.0)), 1.0)
    rows = np.zeros((WORDS * WORD_BITS + 1, bias.size), np.float64)
    for row, number, factor in _sources():
        rows[row] = weight[number] * factor
    whole_rows, whole_bias = (np.rint(part * one).astype(np.int16) for part in (rows, bias))
    return QuantizedInputs(whole_rows, whole_bias, one.astype(np.float32))


def quantize_layer(weight: Floats, most: int) -> tuple[Shorts, Floats]:
    """Integers whose dot product with inputs up to `most` fits into 32 bits, and the scale back."""
    size = np.abs(weight)
    scale = np.minimum(LIMIT / np.maximum(size.max(-1), TINY), SUM_LIMIT / most / np.maximum(size.sum(-1), TINY))
    whole = np.rint(weight * scale[..., None]).astype(np.int16)
    return np.ascontiguousarray(whole), (1 / scale / most).astype(np.float32)


def _sources() -> list[tuple[int, int, float]]:
    """For each bit that can be set: its row, its input, and its share of that input."""
    found = []
    for side in range(2):
        first = 4 * side * WORD_BITS
        for i in range(SIDE_INPUTS):
            found.append((first + i // SIDE_WORD_BITS * WORD_BITS + i % SIDE_WORD_BITS, side * SIDE_INPUTS + i, 1.0))
    kinds = 2 * SIDE_INPUTS
    found += [(FIRST_FEATURE_WORD * WORD_BITS + KIND_BIT + kind, kinds + kind, 1.0) for kind in range(KINDS)]
    for feature in range(2 * FEATURES):
        word, byte = FIRST_FEATURE_WORD + feature // FEATURES_IN_WORD, feature % FEATURES_IN_WORD
        for bit in range(FEATURE_BITS):
            row = word * WORD_BITS + byte * FEATURE_BITS + bit
            found.append((row, kinds + KINDS + feature, (1 << bit) / SCALES[feature % FEATURES]))
    return found


def _highest(weight: Floats, bias: Floats) -> Floats:
    """An upper bound on each unit's sum over all positions."""
    total = bias + weight[2 * SIDE_INPUTS : 2 * SIDE_INPUTS + KINDS].max(0)
    for side in range(2):
        first = 2 * SIDE_INPUTS + KINDS + side * FEATURES
        features = weight[first : first + FEATURES] / np.array(SCALES, np.float32)[:, None]
        total += _highest_of_men(weight[side * SIDE_INPUTS :][:SIDE_INPUTS], features[Feature.PIPS])
        for feature, most in MAX_VALUES.items():
            total += most * features[feature].clip(0)
    return np.asarray(total, np.float32)


def _highest_of_men(weight: Floats, pip: Floats) -> Floats:
    """The largest sum that fifteen men of one side can have, pips included (a knapsack over places)."""
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
