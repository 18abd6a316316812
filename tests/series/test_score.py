"""Scores and error bars."""

from __future__ import annotations

import math
from random import Random

import pytest
from tests.series.pairs import pair

from ludus.core.rules import Player
from ludus.series.score import Count, Score, elo


def test_games_are_counted_for_the_first_contender() -> None:
    score = Score([pair(0, 1.0, 1.0), pair(1, 0.5, 0.0), pair(2, 1.0, 0.0)])
    assert score.games == 6
    assert score.count() == Count(won=3, drawn=1, lost=2)
    assert score.count([Player.FIRST]) == Count(2, 1, 0)
    assert score.count([Player.SECOND]) == Count(1, 0, 2)
    assert score.share == pytest.approx(3.5 / 6)


def test_points_have_the_standard_error_of_pairs() -> None:
    score = Score([pair(0, 1.0, 1.0, points=2), pair(1, 1.0, 0.0, points=3), pair(2, 0.0, 0.0)])
    assert score.points.mean == pytest.approx((2 + 0 - 1) / 3)
    assert score.points.error == pytest.approx(math.sqrt(((2 - 1 / 3) ** 2 + (1 / 3) ** 2 + (4 / 3) ** 2) / 2 / 3))
    assert score.worth(2) == (2, 0)
    assert score.worth(3) == (1, 1)
    assert score.worth(1) == (0, 2)


def test_the_result_without_luck_is_that_of_the_first_contender() -> None:
    """Who is the second player in games with odd numbers."""
    pairs = [tuple(each._replace(luck_adjusted=0.25) for each in pair(number, 1.0, 0.0)) for number in range(2)]
    one, other = pairs[0]
    assert (one.adjusted, other.adjusted) == (0.25, -0.25)
    adjusted = Score([(one, other), (one, one)]).adjusted
    assert adjusted is not None and adjusted.mean == 0.125 and adjusted.error == pytest.approx(0.125)
    assert Score([pair(0, 1.0, 0.0)]).adjusted is None


def test_a_gammon_is_one_whatever_the_cube_shows() -> None:
    one, other = pair(0, 1.0, 1.0, points=8)
    score = Score([(one._replace(outcome=one.outcome._replace(stake=4)), other)])
    assert score.worth(2) == (1, 0) and score.points.mean == 8


def test_one_pair_shows_no_error() -> None:
    assert Score([pair(0, 1.0, 0.0)]).points == (0.0, None)


def test_luck_that_cancels_within_pairs_adds_no_error() -> None:
    """White wins every game, which says nothing about the contenders."""
    score = Score([pair(number, 1.0, 0.0) for number in range(200)])
    assert score.share == 0.5
    assert score.interval.high - score.interval.low < 0.02


def test_a_whitewash_is_no_proof_of_infinite_strength() -> None:
    score = Score([pair(number, 1.0, 1.0) for number in range(10)])
    assert score.share == 1.0
    assert 0.6 < score.interval.low < 0.9
    assert score.interval.high == 1.0


@pytest.mark.parametrize(("won", "drawn", "pairs"), [(0.5, 0, 10), (0.9, 0, 10), (0.3, 0.4, 40), (0.75, 0.2, 40)])
def test_the_interval_covers_the_true_share_in_95_percent_of_series(won: float, drawn: float, pairs: int) -> None:
    rng = Random(7)

    def share() -> float:
        luck = rng.random()
        return 1.0 if luck < won else 0.5 if luck < won + drawn else 0.0

    hits = 0
    for _ in range(400):
        low, high = Score(pair(number, share(), share()) for number in range(pairs)).interval
        hits += low <= won + drawn / 2 <= high
    assert hits >= 0.93 * 400


def test_elo_of_known_shares() -> None:
    assert elo(0.5) == 0
    assert elo(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1 / 11) == pytest.approx(-400)
    assert (elo(1.0), elo(0.0)) == (math.inf, -math.inf)


def test_repeated_games_are_counted() -> None:
    twice = pair(0, 1.0, 1.0)
    assert Score([twice, twice]).different_games == 2
