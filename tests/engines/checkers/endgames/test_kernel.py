"""Indexing and probing."""

from __future__ import annotations

import random
from typing import Any

import pytest

from ludus.core.bits import reverse
from ludus.core.kernel import compiled
from ludus.engines.checkers.endgames import kernel, layout
from ludus.engines.checkers.endgames.layout import Slice
from ludus.engines.checkers.endgames.tables import EndgameTables
from ludus.games.checkers.kernel import BOTTOM, DARK, TOP
from ludus.games.checkers.position import bit_of

THREE = [part for pair in layout.pairs(3) for part in pair.slices]
LARGER = [part for pair in layout.pairs(6) for part in pair.slices if part.pieces > 3]


@pytest.mark.parametrize("part", THREE, ids=str)
def test_indices_of_a_slice_and_its_positions_are_one_to_one(part: Slice) -> None:
    code, words, start = compiled(kernel), layout.kernel_layout(6), layout.offset(part)
    found = [code.position_at(words, *part, place) for place in range(part.size)]
    assert [code.index_of(words, *position) for position in found] == list(range(start, start + part.size))
    assert len(set(found)) == part.size


def test_indices_of_larger_slices_round_trip() -> None:
    code, words, rng = compiled(kernel), layout.kernel_layout(6), random.Random(1)
    for part in LARGER:
        for place in (0, part.size - 1, *(rng.randrange(part.size) for _ in range(200))):
            assert code.index_of(words, *code.position_at(words, *part, place)) == layout.offset(part) + place


def test_positions_of_a_slice_have_its_pieces_on_legal_squares() -> None:
    rng = random.Random(2)
    for part in THREE + LARGER:
        own, other, kings = kernel.position_at(layout.kernel_layout(6), *part, rng.randrange(part.size))
        men, others_men = own & ~kings, other & ~kings
        counted = (men, own & kings, others_men, other & kings)
        assert tuple(squares.bit_count() for squares in counted) == part
        assert not own & other and not (own | other) & ~DARK and not men & BOTTOM and not others_men & TOP


def test_the_interpreter_and_the_compiler_agree(four: EndgameTables, positions: Any) -> None:
    code = compiled(kernel)
    for position in positions(1000, 4, seed=3):
        asked = position.own, position.other, position.kings, position.mover.value
        assert kernel.probe_wld(four.wld, four.layout, *asked) == code.probe_wld(four.wld, four.layout, *asked)


def test_a_rotated_position_has_the_same_value(four: EndgameTables, positions: Any) -> None:
    code = compiled(kernel)
    for position in positions(2000, 4, seed=4):
        own, other, kings, side = position.own, position.other, position.kings, position.mover.value
        flipped = reverse(own), reverse(other), reverse(kings), 1 - side
        value = code.probe_wld(four.wld, four.layout, own, other, kings, side)
        assert value != kernel.UNKNOWN
        assert value == code.probe_wld(four.wld, four.layout, *flipped)


def test_more_pieces_than_the_tables_have_are_unknown(four: EndgameTables, positions: Any) -> None:
    for position in positions(50, 5, seed=5):
        asked = position.own, position.other, position.kings, position.mover.value
        assert kernel.probe_wld(four.wld, four.layout, *asked) == kernel.UNKNOWN


@pytest.mark.parametrize(("own", "other", "kings", "value"), [
    ([], [14], [14], kernel.LOSS),
    ([14], [], [14], kernel.UNKNOWN),
    ([30], [14], [], kernel.UNKNOWN),
    ([14], [2], [], kernel.UNKNOWN),
    ([30], [2], [2, 30], kernel.DRAW),
])  # fmt: skip
def test_no_pieces_lose_and_uncrowned_kings_are_unknown(
    four: EndgameTables, own: list[int], other: list[int], kings: list[int], value: int
) -> None:
    own_set, other_set, king_set = (sum(map(bit_of, squares)) for squares in (own, other, kings))
    assert kernel.probe_wld(four.wld, four.layout, own_set, other_set, king_set, 0) == value
