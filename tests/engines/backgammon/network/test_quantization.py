from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.engines.backgammon.network import Network
from ludus.engines.backgammon.network.features import INPUTS, KIND_BIT, SCALES, WORDS, write_features
from ludus.engines.backgammon.network.network import load_arrays
from ludus.engines.backgammon.network.quantization import quantize_inputs, quantize_layer
from ludus.games.backgammon.position import Men, men

Positions = Callable[[int, int], tuple[tuple[int, int, int, int], ...]]
ARRAYS = load_arrays()
WHOLE = quantize_inputs(ARRAYS["weight_0"], ARRAYS["bias_0"])
WHOLE_ROWS = WHOLE.rows[:-1].astype(np.int64)
NETWORK = Network.load()
POINTS = np.array([1, 2, 3, -1, -2, -3])


@st.composite
def sides(draw: st.DrawFn) -> Men:
    places = draw(st.lists(st.integers(0, 25), min_size=15, max_size=15).filter(any))
    return men({point: places.count(point) for point in set(places)})


def words_of(planes: tuple[int, ...]) -> list[int]:
    words = [0] * WORDS
    low, high, other_low, other_high = planes
    write_features(words, 0, 1, low, high, other_low, other_high)
    return words


def bits_of(planes: tuple[int, ...]) -> Any:
    return np.array([word >> bit & 1 for word in words_of(planes) for bit in range(64)])


def inputs_of(planes: tuple[int, ...]) -> Any:
    """The inputs in the file's order, read from the words independently of `quantization`."""
    words = words_of(planes)
    men_bits = [words[4 * side + i // 50] >> i % 50 & 1 for side in range(2) for i in range(189)]
    kinds = [words[8] >> KIND_BIT + kind & 1 for kind in range(11)]
    features_ = [(words[8 + feature // 6] >> 8 * (feature % 6) & 255) / SCALES[feature % 12] for feature in range(24)]
    return np.array([*men_bits, *kinds, *features_])


def exact(planes: tuple[int, ...]) -> Any:
    """The network in double precision, as it was trained."""
    kind = words_of(planes)[8] >> KIND_BIT
    which = kind.bit_length() - 1
    layer = np.clip(inputs_of(planes) @ ARRAYS["weight_0"] + ARRAYS["bias_0"], 0, 1) ** 2
    for number in (1, 2):
        layer = np.maximum(layer @ ARRAYS[f"weight_{number}"][which] + ARRAYS[f"bias_{number}"][which], 0)
    logits = layer @ ARRAYS["weight_3"][which] + ARRAYS["bias_3"][which]
    own_off, other_off = inputs_of(planes)[175], inputs_of(planes)[189 + 175]
    chances = np.exp(logits - logits.max()) * [1, 1 - other_off, 1 - other_off, 1, 1 - own_off, 1 - own_off]
    return chances / chances.sum()


def test_quantization_hardly_changes_the_outputs(positions: Positions) -> None:
    """At most a hundredth of a point on random games, with a median of half a thousandth."""
    errors = [abs(float((NETWORK.outcomes(*planes) - exact(planes)) @ POINTS)) for planes in positions(300, 8)]
    assert max(errors) < 0.01
    assert np.median(errors) < 0.0005


@given(sides(), sides())
@settings(max_examples=200, deadline=None)
def test_a_sum_fits_into_sixteen_bits_whatever_the_position(own: Men, other: Men) -> None:
    sums = WHOLE_ROWS[bits_of((*own, *other)).astype(bool)].sum(axis=0) + WHOLE.bias
    assert np.abs(sums).max() < 1 << 15


def test_the_largest_sum_uses_most_of_the_sixteen_bits() -> None:
    """Fifteen men on one place, for a unit whose only weight is on the most men there."""
    weight, bias = np.zeros((INPUTS, 1), np.float32), np.zeros(1, np.float32)
    weight[6 * 25 + 4] = 5.0
    whole = quantize_inputs(weight, bias)
    total = bits_of((*men({21: 15}), *men({1: 15}))) @ whole.rows[:-1].astype(np.int64)
    assert 32_000 < int(total[0]) < 32_768


def test_sums_of_products_fit_into_thirty_two_bits() -> None:
    weight = np.random.default_rng(1).normal(size=(3, 4, 700)).astype(np.float32)
    whole, factor = quantize_layer(weight, 4096)
    assert np.abs(whole.astype(np.int64)).sum(-1).max() * 4096 < 1 << 31
    assert np.abs(whole * factor[..., None] * 4096 - weight).max() < 0.002
