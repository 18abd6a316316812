from __future__ import annotations

import numpy as np
import pytest

from ludus.core.kernel import compiled
from ludus.engines.checkers.endgames.tables import PACKAGED, EndgameTables
from ludus.engines.checkers.state import new_state
from ludus.games.checkers import kernel
from ludus.training.checkers import selfplay
from ludus.training.checkers.folding import fold, initial_weights
from ludus.training.checkers.workers import Rows, Score, Workers

WEIGHTS = fold(initial_weights())
WORKERS = Workers(2)


def positions(rows: Rows) -> list[tuple[int, ...]]:
    return [tuple(row) for row in rows.reshape(-1, selfplay.ROW).tolist()]


@pytest.fixture(scope="module")
def rows() -> Rows:
    return WORKERS.play(WEIGHTS, seed=5, rounds=2, nodes=60, random_every=20)


def test_games_yield_many_positions(rows: Rows) -> None:
    assert len(positions(rows)) > 16 * 2 * 10


def test_only_quiet_positions_are_learned_from(rows: Rows) -> None:
    for own, other, kings, _ in positions(rows):
        assert not any(kernel.jumpers(own, other, kings, 0)) and not any(kernel.jumpers(other, own, kings, 1))
        assert kernel.can_move(own, other, kings, 0)
        assert own and other and not own & other and not kings & ~(own | other)


def test_every_label_has_a_result_and_a_score(rows: Rows) -> None:
    results = {label >> 16 for *_, label in positions(rows)}
    assert results == {0, 1, 2}
    assert all(abs((label & 0xFFFF) - selfplay.ZERO) < selfplay.MAX_SCORE for *_, label in positions(rows))


def test_the_same_seed_plays_the_same_games(rows: Rows) -> None:
    assert np.array_equal(WORKERS.play(WEIGHTS, seed=5, rounds=2, nodes=60, random_every=20), rows)


def test_another_seed_plays_other_games(rows: Rows) -> None:
    assert not np.array_equal(WORKERS.play(WEIGHTS, seed=500, rounds=2, nodes=60, random_every=20), rows)


def test_a_match_against_oneself_is_even_over_pairs() -> None:
    score = WORKERS.match(WEIGHTS, WEIGHTS, seed=3, number=16, nodes=60)
    assert score.games == 16
    assert score.wins == score.losses


def test_material_beats_no_evaluation() -> None:
    blind = fold(np.zeros_like(initial_weights()))
    assert WORKERS.match(WEIGHTS, blind, seed=3, number=24, nodes=100).mean > 0.8


def test_the_interpreter_plays_the_same_game() -> None:
    tables = EndgameTables(PACKAGED)
    made = []
    for code, is_plain in ((selfplay, True), (compiled(selfplay), False)):
        state, weights, wld = new_state(8, tables.layout), WEIGHTS, tables.wld
        random, path, out = np.zeros(2, np.int64), np.zeros(300, np.int64), np.zeros(4 * 300, np.int64)
        arrays = [state, weights, wld, random, path]
        given = [array.tolist() for array in arrays] if is_plain else arrays
        words = out.tolist() if is_plain else out
        number = code.play_games(*given, 11, 1, 12, 9, words)
        made.append(list(words[: number * selfplay.ROW]))
    assert made[0] == made[1]


def test_a_score_has_mean_and_error() -> None:
    score = Score(losses=1, draws=2, wins=1)
    assert score.mean == 0.5
    assert score.error == pytest.approx((0.5 / 4 / 4) ** 0.5)
    assert str(score) == "0.5000 ± 0.1768 (+1 =2 -1)"
