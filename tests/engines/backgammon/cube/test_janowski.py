from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ludus.engines.backgammon.cube.janowski import Array, Owner, Score, cash_point, cubeful, is_free, rates, take_point
from ludus.engines.backgammon.cube.met import MOST_POINTS, MatchScore, table
from ludus.engines.backgammon.cube.score import MoneyScore

NO_GAMMONS = np.array([[0.5, 0, 0, 0, 0]])
TINY = 1e-9


@st.composite
def chances(draw: st.DrawFn) -> Array:
    win = draw(st.floats(0.001, 0.999))
    shares = [draw(st.floats(0, 0.8)), draw(st.floats(0, 0.8))]
    rare = [share * draw(st.floats(0, 0.3)) for share in shares]
    loss = 1 - win
    return np.array([[win, win * shares[0], win * rare[0], loss * shares[1], loss * rare[1]]])


@st.composite
def match_scores(draw: st.DrawFn) -> MatchScore:
    own, other = draw(st.integers(1, MOST_POINTS)), draw(st.integers(1, MOST_POINTS))
    is_crawford = min(own, other) == 1 and draw(st.booleans())
    return MatchScore(table(), own, other, is_crawford, min(own, other) == 1 and not is_crawford)


scores = st.one_of(st.just(MoneyScore()), match_scores())
values = st.sampled_from([1, 2, 4, 8])
lives = st.floats(0, 1)


def worth(score: Score, found: Array, value: int, owner: Owner, life: float) -> float:
    return float(cubeful(score, rates(found), found[:, 0], value, owner, np.array([life]))[0])


@given(scores, chances(), values, lives)
def test_a_cube_is_worth_most_to_its_owner(score: Score, found: Array, value: int, life: float) -> None:
    own, centred, other = (worth(score, found, value, owner, life) for owner in Owner)
    assert own >= centred - TINY
    assert centred >= other - TINY


@given(scores, chances(), values, st.sampled_from(Owner), lives)
def test_both_sides_see_the_same_game(score: Score, found: Array, value: int, owner: Owner, life: float) -> None:
    """Except where one will double next turn whatever happens: then it matters who rolls first."""
    assume(not is_free(score, value, owner) and not is_free(score.flipped, value, owner.flipped))
    win, gammon, backgammon, lost_gammon, lost_backgammon = found[0]
    flipped = np.array([[1 - win, lost_gammon, lost_backgammon, gammon, backgammon]])
    theirs = np.array([worth(score.flipped, flipped, value, owner.flipped, life)])
    assert worth(score, found, value, owner, life) == pytest.approx(float(score.complement(theirs)[0]))


@given(chances(), values, st.sampled_from(Owner))
def test_a_dead_cube_is_none(found: Array, value: int, owner: Owner) -> None:
    win, gammon, backgammon, lost_gammon, lost_backgammon = found[0]
    cubeless = 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon
    assert worth(MoneyScore(), found, value, owner, 0.0) == pytest.approx(value * cubeless)
    assert worth(MoneyScore(has_cube=False), found, value, owner, 1.0) == pytest.approx(value * cubeless)


@given(match_scores(), chances(), st.sampled_from(Owner), lives)
def test_the_crawford_game_has_no_cube(score: MatchScore, found: Array, owner: Owner, life: float) -> None:
    crawford = score._replace(is_crawford=True, is_post_crawford=False, own=1)
    assert worth(crawford, found, 1, owner, life) == pytest.approx(worth(crawford, found, 1, owner, 0.0))


@given(scores, chances(), values, st.sampled_from(Owner), lives)
def test_more_wins_are_better(score: Score, found: Array, value: int, owner: Owner, life: float) -> None:
    win = found[0, 0]
    better_win = (1 + win) / 2
    better = found * np.array([better_win / win] * 3 + [(1 - better_win) / (1 - win)] * 2)
    assert worth(score, better, value, owner, life) >= worth(score, found, value, owner, life) - TINY


@pytest.mark.parametrize(("later", "take", "cash"), [(0.0, 0.25, 0.75), (1.0, 0.2, 0.8)])
def test_without_gammons_money_is_taken_from_a_quarter_or_a_fifth_on(later: float, take: float, cash: float) -> None:
    found = rates(NO_GAMMONS)
    assert take_point(MoneyScore(), found, 1, later) == pytest.approx(take)
    assert cash_point(MoneyScore(), found, 1, later) == pytest.approx(cash)


@given(chances(), lives)
def test_a_livelier_cube_is_taken_earlier(found: Array, later: float) -> None:
    live, real, dead = (float(take_point(MoneyScore(), rates(found), 1, life)[0]) for life in (1.0, later, 0.0))
    assert live - TINY <= real <= dead + TINY


def test_a_long_match_is_played_almost_like_money() -> None:
    score, found = MatchScore(table(), 25, 25), np.array([[0.6, 0.15, 0.01, 0.1, 0.01]])
    match, money = (worth(each, found, 1, Owner.CENTRED, 0.68) for each in (score, MoneyScore()))
    high, low = score.worth(1), score.worth(-1)
    assert (2 * match - high - low) / (high - low) == pytest.approx(money, abs=0.03)


def test_at_two_all_the_take_point_is_the_doublers_chance_at_one_all() -> None:
    """Whoever takes plays for the match, so nobody can double again; a drop leaves 2-away against the Crawford game."""
    score = MatchScore(table(), 2, 2)
    assert take_point(score, rates(NO_GAMMONS), 1) == pytest.approx(score.worth(-1))


def test_the_jacoby_rule_ignores_gammons_while_the_cube_is_centred() -> None:
    score, found = MoneyScore(has_jacoby=True), np.array([[0.6, 0.4, 0.05, 0.05, 0.0]])
    plain = np.array([[0.6, 0, 0, 0, 0]])
    assert worth(score, found, 1, Owner.CENTRED, 0.0) == pytest.approx(worth(score, plain, 1, Owner.CENTRED, 0.0))
    assert worth(score, found, 2, Owner.OTHER, 0.0) > worth(score, plain, 2, Owner.OTHER, 0.0)


def test_after_the_crawford_game_the_trailing_sides_cube_is_live() -> None:
    """It will double next turn, because a loss costs it the match anyway."""
    score, found = MatchScore(table(), 1, 4, is_post_crawford=True), np.array([[0.7, 0, 0, 0, 0]])
    assert worth(score, found, 1, Owner.CENTRED, 0.0) == worth(score, found, 1, Owner.CENTRED, 1.0)
    assert worth(score.flipped, 1 - found, 1, Owner.CENTRED, 0.0) < worth(
        score.flipped, 1 - found, 1, Owner.CENTRED, 1.0
    )


@pytest.mark.parametrize("away", [2, 4, 6])
def test_a_trailing_side_past_the_cash_point_cashes_after_the_crawford_game(away: int) -> None:
    """It may play on for a gammon, but in most positions a drop is worth more to it."""
    score = MatchScore(table(), 1, away, is_post_crawford=True)
    point = float(take_point(score, rates(NO_GAMMONS), 1)[0])
    win = point - 0.1
    found = np.array([[win, 0.1 * win, 0, 0.1 * (1 - win), 0]])
    assert worth(score, found, 1, Owner.CENTRED, 0.7) == score.worth(-1)


def test_the_roll_before_a_double_that_must_come_is_worth_most_at_the_take_point() -> None:
    """Only there does the roll decide whether it is taken."""
    score = MatchScore(table(), 1, 2, is_post_crawford=True)
    point = float(take_point(score, rates(NO_GAMMONS), 1)[0])
    wins = (point - 0.1, point, point + 0.1)
    values_ = [worth(score, np.array([[win, 0, 0, 0, 0]]), 1, Owner.CENTRED, 0.7) for win in wins]
    gains = [value - max(win, score.worth(-1)) for win, value in zip(wins, values_, strict=True)]
    assert gains == pytest.approx([0, 0.025, 0], abs=1e-3)


@pytest.mark.parametrize("away", [2, 4, 6])
def test_it_plays_on_for_a_gammon_as_well_as_anybody_can(away: int) -> None:
    """That is worth more than with a dead cube, since it can cash later, and less than with a live one."""
    score, found = MatchScore(table(), 1, away, is_post_crawford=True), np.array([[0.2, 0, 0, 0.6, 0.02]])
    dead, real, live = (worth(score, found, 1, Owner.CENTRED, life) for life in (0.0, 0.7, 1.0))
    assert live < real < dead <= score.worth(-1)
    assert real == pytest.approx(0.7 * live + 0.3 * dead, abs=0.01)


def test_nobody_cashes_where_a_gammon_wins_the_match() -> None:
    """With a cube of four, black needs five points: at white's take point black plays on."""
    score, found = MatchScore(table(), 13, 5), np.array([[0.5, 0, 0, 0.25, 0]])
    own, centred = (worth(score, found, 4, owner, 1.0) for owner in (Owner.OWN, Owner.CENTRED))
    assert centred <= own
