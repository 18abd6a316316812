from __future__ import annotations

from functools import cache
from math import comb
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.rules import Player
from ludus.engines.backgammon import bearoff
from ludus.engines.backgammon.bearoff import CENTRED, OTHERS, OWN
from ludus.engines.backgammon.tables import bearoff_cube, bearoff_tables, cube_equities, cube_pairs, effective_pips
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import Cube, Match, Men, Position, men
from ludus.games.backgammon.rules import ROLLS

GONE = men({0: 15})


def chances(own: Men, other: Men) -> list[float]:
    """Win, gammon, backgammon of the side to roll, then the other's."""
    out: Any = np.zeros(6)
    bearoff.write_bearoff(out, 0, *own, *other, bearoff_tables())
    found: list[float] = out.tolist()
    return found


def rolls(layout: dict[int, int]) -> Any:
    return bearoff_tables().rolls[bearoff.rank(*men(layout))].astype(float)


@cache
def ranks_after(rank: int, dice: tuple[int, int]) -> frozenset[int]:
    words = [0] * kernel.MOST_PLAYS * kernel.WORDS
    end = kernel.write_plays(words, 0, *bearoff.unrank(rank), 0, 0, *dice)
    return frozenset(bearoff.rank(*words[i : i + 2]) for i in range(0, end * kernel.WORDS, kernel.WORDS))


@cache
def win(rank: int, other: int) -> float:
    """The table of pairs, by plain recursion."""
    if rank == 0 or other == 0:
        return float(rank == 0)
    return sum(weight * max(1 - win(other, after) for after in ranks_after(rank, roll)) for roll, weight in ROLLS) / 36


@cache
def mean(rank: int) -> float:
    """The expected number of rolls, by plain recursion."""
    if rank == 0:
        return 0
    return 1 + sum(weight * min(mean(after) for after in ranks_after(rank, roll)) for roll, weight in ROLLS) / 36


def test_there_are_54264_arrangements_of_men_at_home() -> None:
    assert comb(21, 6) == bearoff.RANKS == len(bearoff_tables().rolls) == 54_264


@given(st.integers(0, bearoff.RANKS - 1))
def test_rank_and_unrank_are_inverse(rank: int) -> None:
    assert bearoff.rank(*bearoff.unrank(rank)) == rank


def test_few_men_have_the_lowest_ranks() -> None:
    assert {sum(Men(*bearoff.unrank(rank)).counts) for rank in range(bearoff.PAIR_RANKS)} == set(range(7))
    assert bearoff.rank(*men({1: 7})) == bearoff.PAIR_RANKS


@given(st.integers(1, bearoff.RANKS - 1), st.sampled_from(ROLLS))
def test_every_play_lowers_the_rank(rank: int, roll: Any) -> None:
    assert max(ranks_after(rank, roll[0])) < rank


@pytest.mark.parametrize(("layout", "expected"), [({6: 5}, 4.51819), ({1: 7, 2: 5, 3: 3}, 6.98438)])
def test_published_numbers_of_rolls(layout: dict[int, int], expected: float) -> None:
    assert rolls(layout).sum() == pytest.approx(expected, abs=5e-6)


def test_numbers_of_rolls_equal_plain_recursion() -> None:
    means = bearoff_tables().rolls[:200].astype(float).sum(1)
    assert means == pytest.approx([mean(rank) for rank in range(200)], abs=1e-5)


def test_chances_to_need_more_rolls_fall_from_one_to_nothing() -> None:
    assert (bearoff_tables().rolls[1:, 0] == 1).all() and (bearoff_tables().rolls[0] == 0).all()
    assert (np.diff(bearoff_tables().rolls, axis=1) <= 1e-6).all() and bearoff_tables().rolls[:, -1].max() < 1e-8
    assert (np.diff(bearoff_tables().first, axis=1) <= 1e-6).all() and bearoff_tables().first[:, -1].max() < 1e-8


def test_the_first_man_is_off_no_later_than_the_last() -> None:
    assert (bearoff_tables().first.sum(1) <= bearoff_tables().rolls.sum(1) + 1e-6).all()


@pytest.mark.parametrize("seed", range(40))
def test_pairs_equal_plain_recursion(seed: int) -> None:
    one, two = (Random(seed).randrange(1, 84), Random(seed + 1000).randrange(1, 84))
    assert bearoff_tables().pairs[one, two] == pytest.approx(win(one, two), abs=1e-12)


@cache
def cube_value(rank: int, other: int, cube: int) -> float:
    """The equity of the side to roll with the best decisions about the cube, by plain recursion."""
    if rank == 0 or other == 0:
        return 1.0 if rank == 0 else -1.0
    rolled = cube_rolled(rank, other, cube)
    return rolled if cube == OTHERS else max(rolled, min(1.0, 2 * cube_rolled(rank, other, OTHERS)))


@cache
def cube_rolled(rank: int, other: int, cube: int) -> float:
    """The same if it doesn't double."""
    then = {CENTRED: CENTRED, OWN: OTHERS, OTHERS: OWN}[cube]
    best = [
        (max(-cube_value(other, after, then) for after in ranks_after(rank, roll)), weight) for roll, weight in ROLLS
    ]
    return sum(value * weight for value, weight in best) / 36


@pytest.mark.parametrize("seed", range(20))
def test_pairs_with_a_cube_equal_plain_recursion(seed: int) -> None:
    one, two = (Random(seed).randrange(1, 84), Random(seed + 1000).randrange(1, 84))
    assert cube_pairs()[one, two].tolist() == pytest.approx(
        [cube_rolled(one, two, cube) for cube in (CENTRED, OWN, OTHERS)], abs=1e-12
    )


def test_equities_with_a_cube_equal_those_of_gnu_backgammon() -> None:
    """From its own table of six men a side, which has sixteen bits for a number."""
    six, four = men({6: 6, 0: 9}), men({5: 2, 3: 1, 1: 1, 0: 11})
    assert cube_equities(six, six, CENTRED) == pytest.approx((0.4850, 0.4430), abs=2e-4)
    assert cube_equities(six, six, OWN) == pytest.approx((0.5449, 0.4430), abs=2e-4)
    assert cube_equities(four, men({6: 2, 4: 1, 0: 12}), CENTRED) == pytest.approx((0.6015, 0.8346), abs=2e-4)


def test_a_redouble_to_a_last_roll_is_worth_twice_the_chance() -> None:
    """With 27 rolls of 36 that win the other side may take or drop; with 23 it takes."""
    last = men({1: 1, 0: 14})
    assert cube_equities(men({6: 1, 0: 14}), last, OWN) == pytest.approx((0.5, 1.0))
    assert cube_equities(men({4: 1, 2: 1, 0: 13}), last, CENTRED) == pytest.approx((10 / 36, 20 / 36))


def test_a_cube_is_never_a_burden() -> None:
    """Equity grows from the other side's cube to a centred one to one's own."""
    centred, own, others = (cube_pairs()[..., cube] for cube in (CENTRED, OWN, OTHERS))
    assert (own - centred).min() >= -1e-12 and (centred - others).min() >= -1e-12
    assert (own - others).max() > 0.3


def test_cube_equities_are_for_few_men_in_a_game_that_goes_on() -> None:
    few = men({6: 6, 0: 9})
    for own, other in (
        (few, GONE),
        (GONE, few),
        (few, men({6: 7, 0: 8})),
        (men({6: 3}), few),
        (few, men({7: 1, 0: 14})),
    ):
        assert cube_equities(own, other, CENTRED) is None


def test_the_cube_of_a_position_decides_which_equities_are_its_own() -> None:
    six = men({6: 6, 0: 9})
    for mover in Player:
        position = Position(six, six, mover, cube=Cube(4))
        for owner, cube in ((None, CENTRED), (mover, OWN), (mover.other, OTHERS)):
            assert bearoff_cube(position._replace(cube=Cube(4, owner))) == cube_equities(six, six, cube)
    assert bearoff_cube(position._replace(cube=None)) is None
    assert bearoff_cube(position._replace(match=Match(5))) is None


@pytest.mark.parametrize(
    ("layout", "expected"),
    [({6: 5, 0: 10}, 36.89855), ({6: 6, 0: 9}, 43.385), ({6: 2, 4: 1, 0: 12}, 21.813), ({0: 15}, 0)],
)
def test_effective_pip_counts(layout: dict[int, int], expected: float) -> None:
    """Published as 4.51819 rolls; as GNU Backgammon shows them, twice; with no man left."""
    assert effective_pips(men(layout)) == pytest.approx(expected, abs=1e-3)


def test_outside_home_there_is_no_effective_pip_count() -> None:
    assert effective_pips(men({7: 1, 1: 2, 0: 12})) is None


def test_known_chances_of_last_rolls() -> None:
    last = men({1: 1, 0: 14})
    assert chances(men({6: 1, 0: 14}), last)[0] == pytest.approx(27 / 36)
    assert chances(men({5: 1, 2: 1, 0: 13}), last)[0] == pytest.approx(19 / 36)
    assert chances(men({4: 1, 1: 1, 0: 13}), last)[0] == pytest.approx(29 / 36)


def test_minimizing_rolls_is_nearly_as_good_as_playing_to_win() -> None:
    rows = bearoff_tables().rolls[: bearoff.PAIR_RANKS].astype(float)
    raced = (rows[:, :-1] - rows[:, 1:]) @ rows[:, :-1].T
    off = abs(raced - bearoff_tables().pairs)[1:, 1:]
    assert off.mean() < 0.001
    assert 0 < off.max() < 0.015


def test_a_side_without_a_man_off_may_lose_a_gammon() -> None:
    """Three men on the ace point leave at once with a double; fifteen on the six point free one with 17 rolls of 36."""
    won, gammon, *lost = chances(men({1: 3, 0: 12}), men({6: 15}))
    assert (won, gammon) == pytest.approx((5 / 6 * 17 / 36, 1 / 6 + 5 / 6 * 19 / 36), abs=1e-6)
    assert lost == pytest.approx([0, 0, 0, 0], abs=1e-9)
    assert chances(men({6: 15}), men({1: 1, 0: 14}))[4] == pytest.approx(19 / 36, abs=1e-6)


@given(st.integers(1, bearoff.RANKS - 1), st.integers(1, bearoff.RANKS - 1), st.booleans(), st.booleans())
def test_chances_add_up_to_one(one: int, two: int, is_off: bool, is_other_off: bool) -> None:
    own, other = Men(*bearoff.unrank(one)), Men(*bearoff.unrank(two))
    own = Men(*kernel.add(*own, kernel.OFF)) if is_off else own
    other = Men(*kernel.add(*other, kernel.OFF)) if is_other_off else other
    found = chances(own, other)
    assert min(found) >= 0 and sum(found) == pytest.approx(1, abs=1e-6)
    assert not is_other_off or found[1] == 0
    assert not is_off or found[4] == 0


def test_finished_games_and_few_men_without_gammons_are_exact() -> None:
    few, many = men({6: 6, 0: 9}), men({6: 7, 0: 8})
    assert bearoff.is_exact(*few, *few)
    assert bearoff.is_exact(*many, *GONE)
    assert not bearoff.is_exact(*few, *many)
    assert not bearoff.is_exact(*men({6: 3}), *few)
    assert not bearoff.is_exact(*men({7: 1, 0: 14}), *few)
