from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import BadInput
from ludus.engines.backgammon.cube.met import MOST_POINTS, match_equity, table

ROCKWELL_KAZAROSS = {
    (1, 2): 67.69, (1, 3): 75.12, (1, 4): 81.38, (1, 5): 84.19, (1, 7): 90.72, (1, 9): 94.40,
    (2, 3): 59.90, (2, 4): 66.86, (2, 5): 74.34, (2, 7): 84.21, (3, 4): 57.14, (3, 5): 64.77, (3, 7): 76.25,
    (4, 5): 57.74, (4, 7): 69.97, (4, 9): 78.83, (5, 7): 62.67, (5, 9): 72.55, (6, 9): 66.79, (7, 9): 60.86,
    (7, 11): 70.02, (9, 15): 75.28, (11, 15): 66.79,
}  # fmt: skip
"""Published values, in percent, by the points that the player and the opponent need."""
POST_CRAWFORD = {2: 48.77, 3: 32.31, 4: 31.03, 5: 19.08, 6: 18.12, 7: 11.59, 8: 10.91, 9: 6.97, 10: 6.52}
"""The same for the trailing side."""
scores = st.integers(1, MOST_POINTS)


@pytest.mark.parametrize(("score", "published"), ROCKWELL_KAZAROSS.items(), ids=str)
def test_scores_are_within_half_a_point_of_published_ones(score: tuple[int, int], published: float) -> None:
    assert 100 * match_equity(*score) == pytest.approx(published, abs=0.5)


@pytest.mark.parametrize(("own", "published"), POST_CRAWFORD.items())
def test_so_are_those_after_the_crawford_game(own: int, published: float) -> None:
    assert 100 * match_equity(own, 1, is_post_crawford=True) == pytest.approx(published, abs=0.5)


@given(scores, scores, st.booleans())
def test_the_sides_share_the_match(own: int, other: int, has_cube: bool) -> None:
    equity = match_equity(own, other, has_cube=has_cube)
    assert equity + match_equity(other, own, has_cube=has_cube) == pytest.approx(1)
    assert own != other or equity == pytest.approx(0.5)


@given(scores, scores, st.booleans())
def test_a_point_less_to_go_is_better(own: int, other: int, has_cube: bool) -> None:
    assert match_equity(own - 1, other, has_cube=has_cube) > match_equity(own, other, has_cube=has_cube)


def test_a_drop_is_free_after_the_crawford_game_if_the_other_side_needs_an_even_number() -> None:
    """It needs as many wins as before; so two points more are worth nearly as much as one."""
    after = [match_equity(own, 1, is_post_crawford=True) for own in range(1, 10)]
    even, odd = [after[own - 1] - after[own] for own in (1, 3, 5)], [after[own - 1] - after[own] for own in (2, 4, 6)]
    assert max(even) < 0.02 < min(odd)
    assert all(difference > 0 for difference in even)


def test_without_a_cube_and_without_gammons_points_are_coin_tosses() -> None:
    fair = table(0.0, 0.0, has_cube=False)
    assert fair.equity(1, 2) == pytest.approx(3 / 4)
    assert fair.equity(2, 3) == pytest.approx(11 / 16)


def test_more_gammons_help_the_side_that_trails_the_crawford_game() -> None:
    assert table(0.4, 0.0).equity(2, 1) > table(0.2, 0.0).equity(2, 1)


def test_the_match_is_over_when_nothing_is_missing() -> None:
    assert (match_equity(0, 5), match_equity(5, 0)) == (1.0, 0.0)


@pytest.mark.parametrize("arguments", [(0, 0), (-1, 3), (3, 26), (2, 2, True)])
def test_scores_that_do_not_exist_are_refused(arguments: tuple[int, ...]) -> None:
    with pytest.raises(BadInput):
        match_equity(*arguments)  # type: ignore[arg-type]  # the last one is a boolean
