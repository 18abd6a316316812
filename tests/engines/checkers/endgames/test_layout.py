"""The order and sizes of slices."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ludus.engines.checkers.endgames import layout
from ludus.engines.checkers.endgames.layout import Slice


@pytest.mark.parametrize(("pieces", "positions"), [
    (2, 3_488), (3, 196_032), (4, 6_209_316), (5, 139_450_808),
])  # fmt: skip
def test_slices_have_the_published_numbers_of_positions(pieces: int, positions: int) -> None:
    assert sum(pair.size for pair in layout.pairs(pieces) if pair.pieces == pieces) == positions


def test_slices_do_not_overlap_and_start_on_whole_bytes() -> None:
    slices = [part for pair in layout.pairs(6) for part in pair.slices]
    for part, after in pairwise(slices):
        assert layout.offset(part) + part.size <= layout.offset(after)
        assert layout.offset(after) % 4 == 0
    assert layout.offset(slices[-1]) + slices[-1].size <= layout.total(6)


def test_captures_and_crownings_lead_to_earlier_pairs() -> None:
    at = {part: number for number, pair in enumerate(layout.pairs(6)) for part in pair.slices}
    assert len(at) == len({*at, *(part.flipped for part in at)})
    for part, number in at.items():
        men, kings, others_men, others_kings = part
        fewer = [
            Slice(others_men, others_kings, men - 1, kings + 1),
            Slice(others_men - 1, others_kings, men, kings),
            Slice(others_men, others_kings - 1, men, kings),
        ]
        assert all(at[after] < number for after in fewer if after in at)
        assert at[part.flipped] == number


def test_larger_tables_start_with_the_smaller_ones() -> None:
    assert layout.pairs(5) == layout.pairs(6)[: len(layout.pairs(5))]


def test_a_slice_is_named_by_its_pieces() -> None:
    assert str(Slice(1, 2, 0, 1)) == "2K1 v 1K"
