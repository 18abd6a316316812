"""The linear evaluator: what it sees, and how it plays."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from ludus import GAMES
from ludus.engines import engines
from ludus.engines.backgammon.linear import FEATURES, LinearPlayer, evaluate, features, is_race, sides, weights
from ludus.engines.engine import OWN_LIMIT
from ludus.envs.opponents import EngineOpponent, find_opponent
from ludus.games.backgammon.position import CubeAction
from ludus.players import find_player
from ludus.training.backgammon.linear import fit

RULES: Any = GAMES["backgammon"]
START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
RACE = "XGID=-BBBCCC------------cccbbb-:0:0:1:31:0:0:0:0:10"
LAST_MAN = "XGID=-A---------------------b--:0:0:1:21:0:0:0:0:10"
FAR_AHEAD = "XGID=-FFC-------------mb-------:0:0:1:31:0:0:0:0:10"


def position(text: str) -> Any:
    return RULES.notation.read_position(text)


def men_of(text: str) -> Any:
    at = position(text)
    return sides([(*at.own, *at.other)])


def test_men_are_counted_on_each_place() -> None:
    own, other = men_of(START)[0].tolist()
    assert own == other
    assert {place: number for place, number in enumerate(own) if number} == {1: 2, 12: 5, 17: 3, 19: 5}


def test_a_race_is_one_in_which_all_men_have_passed_each_other() -> None:
    assert not is_race(men_of(START))[0]
    assert is_race(men_of(RACE))[0]


def test_a_feature_is_one_kind_of_a_point() -> None:
    seen = features(men_of(START))[0]
    assert seen.shape == (FEATURES,)
    twos, threes, beyond = (seen[24 * k : 24 * (k + 1)] for k in (1, 2, 3))
    assert (twos.sum(), threes.sum(), beyond.sum(), seen[-1]) == (4, 3, 4, 1)


def test_it_makes_the_best_opening_play_every_time() -> None:
    at = position(START)
    moves = {LinearPlayer().choose(RULES, at, OWN_LIMIT, Random(seed)) for seed in range(3)}
    assert [RULES.notation.write_move(at, move) for move in moves] == ["8/5 6/5"]


def test_it_bears_off_its_last_man() -> None:
    at = position(LAST_MAN)
    move = LinearPlayer().choose(RULES, at, OWN_LIMIT, Random(1))
    assert RULES.outcome(RULES.play(at, move)) is not None


def test_a_position_is_worth_more_to_the_side_that_is_ahead() -> None:
    (start,), ahead = evaluate(men_of(START)), men_of(START)
    ahead[0, 0, 1], ahead[0, 0, 17] = 0, 5
    behind = ahead[:, ::-1]
    assert evaluate(behind)[0] < start < evaluate(ahead)[0]


@pytest.mark.parametrize(("text", "action"), [
    (START.replace("31:0:0:0:0", "00:2:3:0:7"), CubeAction.NO_DOUBLE),
    (START.replace("31:0:0:0:0", "D:2:3:0:7"), CubeAction.TAKE),
    (RACE.replace("31:0:0:0:0", "00:2:3:0:7"), CubeAction.NO_DOUBLE),
    (FAR_AHEAD.replace("31:0:0:0:0", "D:2:3:0:7"), CubeAction.DROP),
])  # fmt: skip
def test_it_never_doubles_and_drops_what_is_lost(text: str, action: CubeAction) -> None:
    assert LinearPlayer().choose(RULES, position(text), OWN_LIMIT, Random(1)) is action


def test_it_is_found_by_its_name_in_backgammon_alone() -> None:
    assert isinstance(find_player("linear", "backgammon"), LinearPlayer)
    assert isinstance(find_opponent("linear", "backgammon"), EngineOpponent)
    assert "linear" not in engines("checkers")


def test_fitting_a_little_gives_weights_like_those_of_the_package() -> None:
    found = fit(games=32, turns=60)
    assert found.shape == weights().shape == (2, FEATURES)
    rows = np.concatenate([men_of(START), men_of(RACE)])
    seen = features(rows)
    assert np.abs((seen * found).sum(axis=1) - (seen * weights()).sum(axis=1)).max() < 0.3
