from __future__ import annotations

import numpy as np
import pytest
from tests.engines.checkers.boards import Four, mirrored, some

from ludus.core.kernel import compiled
from ludus.engines.checkers import evaluation
from ludus.engines.checkers.weights import packaged
from ludus.games.checkers.position import bit_of

WEIGHTS = packaged().tolist()


@pytest.mark.parametrize("position", some(100))
def test_a_mirrored_position_has_the_mirrored_value(position: Four) -> None:
    assert evaluation.evaluate(WEIGHTS, *position) == evaluation.evaluate(WEIGHTS, *mirrored(position))


def test_compiled_and_plain_evaluations_agree() -> None:
    for position in some(300):
        assert compiled(evaluation).evaluate(packaged(), *position) == evaluation.evaluate(WEIGHTS, *position)


def test_every_arrangement_of_a_block_has_its_own_cell() -> None:
    squares = [bit_of(square) for square in (1, 2, 5, 6, 9, 10, 13, 14)]
    cells = set()
    for number in range(3**8):
        kinds = [number // 3**k % 3 for k in range(8)]
        men, others = (sum(b for b, kind in zip(squares, kinds, strict=True) if kind == side) for side in (1, 2))
        cells.add(evaluation.men_cell(WEIGHTS, men, others, 0))
    assert cells == set(range(3**8))


def test_cells_of_a_position_are_all_different_and_within_the_tables() -> None:
    for own, other, kings, side in some(200):
        if side == 0:
            out = [0] * evaluation.MOST_CELLS
            found = out[: evaluation.write_cells(WEIGHTS, own, other, kings, out)]
            assert len(set(found)) == len(found)
            assert 0 <= min(found) <= max(found) < evaluation.ALL_CELLS


def test_an_extra_piece_is_worth_something() -> None:
    men = sum(map(bit_of, (9, 10, 14)))
    others = sum(map(bit_of, (22, 23, 27)))
    with_one_more = evaluation.evaluate(WEIGHTS, men | bit_of(1), others, 0, 0)
    assert with_one_more > evaluation.evaluate(WEIGHTS, men, others, 0, 0) + 50
    crowned = evaluation.evaluate(WEIGHTS, men, others, bit_of(14), 0)
    assert crowned > evaluation.evaluate(WEIGHTS, men, others, 0, 0)


def test_weights_fit_16_bits() -> None:
    assert packaged().dtype == np.int16
    assert np.abs(packaged()[evaluation.CELLS :].astype(np.int32)).max() <= 32767
