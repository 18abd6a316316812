"""Rollouts against endings whose value is known."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ludus.core.errors import BadInput
from ludus.core.rules import Player
from ludus.engines.backgammon.bearoff import CENTRED, OTHERS, OWN, rank
from ludus.engines.backgammon.network import Chances
from ludus.engines.backgammon.network.features import INPUTS, KINDS
from ludus.engines.backgammon.network.inference import OUTCOMES
from ludus.engines.backgammon.network.network import FORMAT, NAMES
from ludus.engines.backgammon.rollout import CubeRollout, Rollout, Rollouts, Settings, rollout, rollout_cube
from ludus.engines.backgammon.tables import bearoff_tables, cube_pairs
from ludus.engines.estimate import Estimate
from ludus.games.backgammon.position import VARIANTS, Cube, CubeAction, Match, Men, Position, Stage, men
from ludus.games.backgammon.rules import ROLLS

START = VARIANTS["standard"]._replace(mover=Player.FIRST)
RACE = Position(men({17: 1, 0: 14}), men({1: 6, 0: 9}), Player.FIRST)
"""White's last man runs home while black bears off: nobody has a choice."""

QUICK = Settings(trials=36)
ZERO = Chances(0, 0, 0, 0, 0)


@cache
def win(pips: int, men_left: int) -> float:
    """The chance to win of the side with one man this far away, on roll against men on the ace point."""
    if men_left <= 0:
        return 0.0
    total = 0.0
    for (one, two), weight in ROLLS:
        left = pips - (4 * one if one == two else one + two)
        total += weight * (1.0 if left <= 0 else 5 / 6 * win(left, men_left - 2) + 1 / 6 * win(left, men_left - 4))
    return total / 36


VALUE = 2 * win(17, 6) - 1


@pytest.fixture
def useless_weights(tmp_path: Path) -> str:
    """A network with random weights."""
    rng, wide, narrow = np.random.default_rng(1), 16, 8
    shapes = [(INPUTS, wide), (wide,), (KINDS, wide, narrow), (KINDS, narrow), (KINDS, narrow, narrow), (KINDS, narrow)]
    arrays = {
        name: rng.normal(0, 0.5, shape).astype(np.float32)
        for name, shape in zip(NAMES, [*shapes, (KINDS, narrow, OUTCOMES), (KINDS, OUTCOMES)], strict=True)
    }
    np.savez(tmp_path / "weights.npz", format=FORMAT, **arrays)  # type: ignore[arg-type]  # the stubs want arrays only
    return str(tmp_path / "weights.npz")


def test_both_results_are_right_and_the_adjusted_one_is_far_more_precise() -> None:
    found = rollout(RACE, Settings(trials=720))
    for estimate in (found.equity, found.plain_equity):
        assert estimate.error is not None and abs(estimate.mean - VALUE) < 3 * estimate.error
    assert found.plain_equity.error is not None and found.plain_equity.error < ((1 - VALUE**2) / 720) ** 0.5
    assert found.variance_ratio is not None and found.variance_ratio > 40


def test_an_evaluation_that_knows_nothing_adds_no_bias(useless_weights: str) -> None:
    found = rollout(RACE, Settings(trials=720, weights=useless_weights))
    assert found.equity.error is not None and abs(found.equity.mean - VALUE) < 3 * found.equity.error
    assert found.variance_ratio is not None and found.variance_ratio < 10


def test_where_the_tables_know_what_follows_there_is_no_error_left() -> None:
    """Seven men on the ace point: whatever is rolled, the table of pairs has the rest."""
    own, other, pairs = men({1: 7, 0: 8}), men({6: 3, 0: 12}), bearoff_tables().pairs
    after = [(5 / 6, rank(*men({1: 5}))), (1 / 6, rank(*men({1: 3})))]
    expected = sum(share * (1 - 2 * pairs[rank(*other), number]) for share, number in after)
    found = rollout(Position(own, other, Player.FIRST), Settings(trials=36))
    assert found.equity.mean == pytest.approx(expected, abs=1e-9)
    assert found.equity.error == pytest.approx(0, abs=1e-9)
    assert found.plain_equity.error is not None and found.plain_equity.error > 0.01


def test_a_position_of_the_tables_is_not_played() -> None:
    few = men({6: 2, 3: 1, 0: 12})
    found = rollout(Position(few, few, Player.SECOND), Settings(trials=2))
    assert found.equity == found.plain_equity
    assert found.chances.win == pytest.approx(bearoff_tables().pairs[rank(*few), rank(*few)], abs=1e-12)


def test_the_opening_is_worth_what_is_known() -> None:
    """GNU Backgammon's rollouts of the starting position with a player on roll give 0.07, gammons 15 % and 13 %."""
    found = rollout(START, Settings(trials=36, truncate=7))
    assert found.equity.error is not None and found.equity.error < 0.01
    assert found.equity.mean == pytest.approx(0.07, abs=0.02)
    assert found.chances == pytest.approx((0.525, 0.152, 0.007, 0.129, 0.006), abs=0.02)
    assert max(found.errors) < 0.01


def test_the_same_seed_gives_the_same_result_and_another_does_not() -> None:
    settings = Settings(trials=4, truncate=3, seed=5)
    assert rollout(START, settings) == rollout(START, settings) != rollout(START, settings._replace(seed=6))


@pytest.mark.slow
def test_so_it_does_on_any_number_of_processes() -> None:
    settings = Settings(trials=6, truncate=3)
    assert rollout(START, settings) == rollout(START, settings, cores=2)


def test_looking_further_ahead_changes_plays_and_truncated_values() -> None:
    settings = Settings(trials=3, truncate=4)
    assert rollout(START, settings).equity != rollout(START, settings._replace(plies=1)).equity


def test_candidates_get_the_same_dice() -> None:
    """31 in the opening: the five point, or 24/23 13/10."""
    five, other = men({24: 2, 13: 5, 8: 2, 6: 4, 5: 2}), men({24: 1, 23: 1, 13: 4, 10: 1, 8: 3, 6: 5})
    starts = [Position(white, START.black, Player.SECOND) for white in (five, other, five)]
    rollouts = Rollouts(starts, START, Settings(trials=36, truncate=5))
    assert list(rollouts.run()) == list(range(1, 37))
    results, difference = rollouts.results, rollouts.difference(0, 1)
    assert results[0] == results[2] and rollouts.difference(0, 2) == (0, 0)
    assert difference.mean == pytest.approx(results[0].equity.mean - results[1].equity.mean)
    assert difference.mean == pytest.approx(0.17, abs=0.04)
    assert results[0].equity.mean > 0.1


def test_a_stopped_rollout_has_what_was_played() -> None:
    rollouts = Rollouts([START], START, Settings(trials=100, truncate=1))
    with pytest.raises(BadInput, match="no trial"):
        rollouts.results  # noqa: B018  # it is a property
    for done in rollouts.run():
        if done == 5:
            break
    assert rollouts.results[0].trials == 5


@pytest.mark.parametrize(
    "settings",
    [Settings(trials=0), Settings(trials=10**7), Settings(plies=3), Settings(plies=-1), Settings(truncate=0)],
)
def test_senseless_settings_are_refused(settings: Settings) -> None:
    with pytest.raises(BadInput):
        rollout(START, settings)


def test_positions_that_nobody_can_roll_in_are_refused() -> None:
    gone = men({0: 15})
    for position in (START._replace(mover=None), START._replace(dice=(3, 1)), START._replace(white=gone)):
        with pytest.raises(BadInput):
            rollout(position)
    with pytest.raises(BadInput, match="processes"):
        rollout(START, cores=0)


SEVEN = men({1: 7, 0: 8})
THREE = men({6: 3, 0: 12})


def cubeful(own_rank: int, other_rank: int, cube: int) -> float:
    """The exact value of a pair to the side to roll, with the best decisions."""
    rolled = cube_pairs()[own_rank, other_rank]
    return float(rolled[cube] if cube == OTHERS else max(rolled[cube], min(1.0, 2 * rolled[OTHERS])))


@pytest.mark.parametrize("men_off", [(SEVEN, THREE), (men({1: 7, 0: 8}), men({3: 2, 2: 2, 0: 11}))])
def test_decisions_about_the_cube_equal_exact_ones(men_off: tuple[Men, Men]) -> None:
    """Whatever is rolled next, the table of pairs with a cube has the rest."""
    own, other = men_off
    after = [(5 / 6, rank(*men({1: 5}))), (1 / 6, rank(*men({1: 3})))]
    found = rollout_cube(Position(own, other, Player.SECOND, cube=Cube(4))._replace(white=other, black=own), QUICK)
    no_double = -sum(share * cubeful(rank(*other), number, CENTRED) for share, number in after)
    taken = -2 * sum(share * cubeful(rank(*other), number, OWN) for share, number in after)
    assert found.no_double.equity.mean == pytest.approx(no_double, abs=1e-9)
    assert found.double_take.equity.mean == pytest.approx(taken, abs=1e-9)
    assert found.difference.mean == pytest.approx(taken - no_double, abs=1e-9)
    assert found.best is (CubeAction.DOUBLE if min(taken, 1) > no_double else CubeAction.NO_DOUBLE)
    assert found.response is (CubeAction.DROP if taken > 1 else CubeAction.TAKE)


def taken(mean: float, *, has_beavers: bool = True, no_double: float = 0.0) -> CubeRollout:
    """A decision in which a double that is taken is worth this."""
    results = [Rollout(36, Estimate(each, 0.01), Estimate(each, 0.1), ZERO, ZERO) for each in (no_double, mean)]
    return CubeRollout(results[0], results[1], Estimate(mean, 0.01), has_beavers=has_beavers)


@pytest.mark.parametrize(
    ("mean", "beaver", "response", "answer"),
    [
        (1.2, 2.4, CubeAction.DROP, CubeAction.TAKE),
        (0.3, 0.6, CubeAction.TAKE, CubeAction.TAKE),
        (-0.3, -0.6, CubeAction.BEAVER, CubeAction.TAKE),
        (-1.5, -2.0, CubeAction.BEAVER, CubeAction.DROP),
        (-2.5, -2.0, CubeAction.TAKE, CubeAction.DROP),
    ],
)
def test_a_beaver_is_worth_twice_a_take_until_it_is_dropped(
    mean: float, beaver: float, response: CubeAction, answer: CubeAction
) -> None:
    found = taken(mean)
    assert found.double_beaver and found.double_beaver.mean == pytest.approx(beaver)
    assert (found.response, found.beaver_response) == (response, answer)
    assert found.equities.double == pytest.approx(min(1.0, mean, beaver))
    assert taken(mean, has_beavers=False).double_beaver is None
    assert taken(mean, has_beavers=False).response is not CubeAction.BEAVER


@pytest.mark.parametrize(
    ("no_double", "mean", "action"),
    [(1.1, 1.4, "too_good"), (0.9, 1.4, "double_pass"), (0.8, 0.7, "no_double"), (1.0, 1.4, "double_pass")],
)
def test_playing_on_can_be_worth_more_than_a_dropped_double(no_double: float, mean: float, action: str) -> None:
    found = taken(mean, no_double=no_double)
    assert found.equities.action == action
    assert found.is_too_good is (action == "too_good")
    assert (found.best is CubeAction.DOUBLE) is action.startswith("double")


def test_a_beaver_is_as_uncertain_as_twice_the_take_and_a_drop_is_certain() -> None:
    found, dropped = taken(-0.3).double_beaver, taken(-1.5).double_beaver
    assert found and dropped and (found.error, dropped.error) == (0.02, None)


def test_beavers_are_decided_on_where_the_rules_have_them() -> None:
    """The start with the cube: nobody should double, and a double should be beavered."""
    for has_beavers in (True, False):
        found = rollout_cube(START._replace(cube=Cube(has_beavers=has_beavers)), Settings(trials=36, truncate=2))
        assert found.best is CubeAction.NO_DOUBLE and found.double_take.equity.mean < 0
        assert found.response is (CubeAction.BEAVER if has_beavers else CubeAction.TAKE)


def test_a_race_with_a_cube_is_right_within_its_error() -> None:
    """Whoever has the cube: few decisions are close, so trials decide as perfect players would."""
    for owner in (None, Player.FIRST, Player.SECOND):
        found = rollout(RACE._replace(cube=Cube(2, owner)), Settings(trials=180))
        value = race_value(17, 6, CENTRED if owner is None else OWN if owner is Player.FIRST else OTHERS, is_white=True)
        assert found.equity.error is not None and found.equity.error < 0.02
        assert abs(found.equity.mean - value) < 3 * found.equity.error
        assert found.variance_ratio is not None and found.variance_ratio > 20


@cache
def race_value(pips: int, men_left: int, cube: int, *, is_white: bool) -> float:
    """The race with perfect decisions, for the side to roll: white's single man, or black's on the ace point."""
    rolled = race_rolled(pips, men_left, cube, is_white=is_white)
    if cube == OTHERS:
        return rolled
    return max(rolled, min(1.0, 2 * race_rolled(pips, men_left, OTHERS, is_white=is_white)))


@cache
def race_rolled(pips: int, men_left: int, cube: int, *, is_white: bool) -> float:
    then, total = {CENTRED: CENTRED, OWN: OTHERS, OTHERS: OWN}[cube], 0.0
    for (one, two), weight in ROLLS:
        is_double = one == two
        left = pips - ((4 * one if is_double else one + two) if is_white else 0)
        men_then = men_left - (0 if is_white else 4 if is_double else 2)
        is_won = left <= 0 or men_then <= 0
        total += weight * (1.0 if is_won else -race_value(left, men_then, then, is_white=not is_white))
    return total / 36


def test_without_the_cube_it_is_not_turned() -> None:
    settings = Settings(trials=36, truncate=3)
    assert rollout(START._replace(cube=Cube(2)), settings._replace(cube=False)) == rollout(START, settings)
    assert rollout(START._replace(cube=Cube(2)), settings) != rollout(START, settings)


def test_double_match_point_is_worth_twice_the_winning_chance() -> None:
    """Gammons don't count, so plays aim at wins alone."""
    position = START._replace(cube=Cube(), match=Match(3, 2, 2))
    found = rollout(position, Settings(trials=36, truncate=5))
    assert found.equity.mean == pytest.approx(2 * found.chances.win - 1, abs=1e-9)
    assert found.chances.win_gammon < rollout(START, Settings(trials=36, truncate=5)).chances.win_gammon


def test_in_a_match_equities_are_normalized() -> None:
    """Far from the end a match is like money."""
    found = rollout(START._replace(cube=Cube(), match=Match(9)), Settings(trials=36, truncate=5))
    assert found.equity.mean == pytest.approx(0.09, abs=0.05)


def test_who_may_not_double_has_no_decision() -> None:
    for position in (START, START._replace(cube=Cube(2, Player.SECOND)), START._replace(cube=Cube(), match=Match(1))):
        with pytest.raises(BadInput, match="may double"):
            rollout_cube(position)
    with pytest.raises(BadInput, match="not used"):
        rollout_cube(START._replace(cube=Cube()), Settings(cube=False))


@pytest.mark.parametrize("stage", [Stage.DOUBLED, Stage.BEAVERED])
def test_an_open_double_is_the_same_decision(stage: Stage) -> None:
    settings = Settings(trials=2, truncate=2)
    doubled = START._replace(cube=Cube(stage=stage))
    assert rollout_cube(doubled, settings) == rollout_cube(START._replace(cube=Cube()), settings)
