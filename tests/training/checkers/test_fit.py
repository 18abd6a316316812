from __future__ import annotations

from math import log

import numpy as np
import pytest

from ludus.core.kernel import compiled
from ludus.engines.checkers import evaluation
from ludus.games.checkers.position import bit_of
from ludus.training.checkers import fit
from ludus.training.checkers.folding import fold, initial_weights
from ludus.training.checkers.selfplay import ZERO

WORDS = fold(initial_weights())
MEN = sum(map(bit_of, (1, 2, 6, 9)))
OTHERS = sum(map(bit_of, (21, 22, 30)))


def label(points: int, result: int) -> int:
    return points + ZERO | result << 16


def test_a_target_blends_result_and_search_score() -> None:
    assert fit.target_of(label(0, 2), 0.0) == 1.0
    assert fit.target_of(label(0, 2), 1.0) == 0.5
    assert fit.target_of(label(100, 1), 0.5) == pytest.approx(0.25 + 0.5 / (1 + 2.718281828**-1))


def test_an_always_won_position_is_learned() -> None:
    rows = np.array([MEN, OTHERS, 0, label(0, 2)], np.int64)
    theta, order = initial_weights().reshape(-1) * 0, np.zeros(200, np.int64)
    gradients, cells = np.ones_like(theta), np.zeros(fit.MOST_WEIGHTS, np.int64)
    code = compiled(fit)
    assert code.loss_of(WORDS, theta, rows, 0, 1, 0.0, cells) == pytest.approx(log(2), abs=1e-6)
    code.fit(WORDS, theta, gradients, rows, order, 0, 200, 0.1, 0.0, cells)
    assert code.loss_of(WORDS, theta, rows, 0, 1, 0.0, cells) < 0.05


def test_predictions_equal_the_engines_evaluation_of_folded_weights() -> None:
    theta = initial_weights() + np.random.default_rng(1).normal(0, 0.1, (fit.WEIGHTS, 2)).astype(np.float32)
    made, cells = fold(theta).tolist(), [0] * fit.MOST_WEIGHTS
    for kings in (0, bit_of(6) | bit_of(30)):
        number = fit.write_weights(made, MEN, OTHERS, kings, cells)
        predicted = fit.SCALE * fit.predict(theta.reshape(-1).tolist(), cells, number, 7 / evaluation.ALL_PIECES)
        assert evaluation.evaluate(made, MEN, OTHERS, kings, 0) == pytest.approx(predicted, abs=2)


def test_each_piece_has_its_own_weight() -> None:
    out = [0] * fit.MOST_WEIGHTS
    number = fit.write_weights(WORDS.tolist(), MEN, OTHERS, bit_of(9), out)
    pieces = [cell - evaluation.ALL_CELLS for cell in out[:number] if cell >= evaluation.ALL_CELLS]
    assert sorted(pieces) == [0, 1, 5, 32 + 20, 32 + 21, 32 + 29, 64 + 8]
