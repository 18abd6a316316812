"""Backgammon with the cube and matches in Gymnasium, against opponents of every kind."""

from __future__ import annotations

from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from tests.envs.games import anything, finish, play

from ludus.core.errors import UnknownOption, UnknownVariant
from ludus.engines import ENGINES
from ludus.engines.engine import OWN_LIMIT
from ludus.engines.random import RandomPlayer
from ludus.envs import batch
from ludus.envs.encoding import find_encoding
from ludus.envs.gym import LudusVectorEnv, SoloEnv
from ludus.envs.opponents import EngineOpponent
from ludus.envs.policy import Policy, widths
from ludus.games import GAMES

ID = "ludus/BackgammonCube-v0"


def a_policy(name: str = "backgammon_v1") -> Policy:
    rng, (inputs, actions) = np.random.default_rng(0), widths(name)
    return Policy.from_layers(name, [(rng.normal(size=(inputs, actions)), np.zeros(actions))])


OPPONENTS: dict[str, Any] = {
    "random": "random",
    "function": anything,
    "policy": a_policy(),
    "engine": EngineOpponent("backgammon_v1", RandomPlayer()),
}
opponents = pytest.mark.parametrize("opponent", OPPONENTS.values(), ids=OPPONENTS)


def test_gymnasiums_checker_passes() -> None:
    env = gymnasium.make(ID, match_length=3, variant="hypergammon", illegal="lose")
    check_env(env.unwrapped, skip_render_check=True)


@opponents
def test_a_match_is_one_episode_that_pays_1(opponent: Any) -> None:
    env = gymnasium.make(ID, match_length=3, variant="hypergammon", opponent=opponent, side="random")
    results = {finish(env, anything, seed) for seed in range(12)}
    assert results == {-1.0, 1.0}


@opponents
def test_the_same_seed_gives_the_same_match(opponent: Any) -> None:
    one, two = (SoloEnv("backgammon_v1", match_length=3, opponent=opponent) for _ in range(2))
    for seen, again in zip(play(one, 60), play(two, 60), strict=True):
        assert str(seen) == str(again)


@opponents
def test_games_in_a_vector_are_those_of_single_environments(opponent: Any) -> None:
    options: Any = {"cube": True, "beavers": True, "variant": "hypergammon", "scoring": "points", "opponent": opponent}
    many, rng = LudusVectorEnv("backgammon_v1", 6, **options), np.random.default_rng(2)
    singles = [SoloEnv("backgammon_v1", **options) for _ in range(6)]
    observations, infos = many.reset(seed=20)
    for i, env in enumerate(singles):
        assert np.array_equal(env.reset(seed=20 + i)[0], observations[i])
    rewards = set()
    for _ in range(120):
        actions = np.array([anything(None, mask, rng) for mask in infos["action_mask"]])
        observations, paid, ended, _, infos = many.step(actions)
        for i, env in enumerate(singles):
            seen, reward, terminated, _, info = env.step(actions[i])
            assert (reward, terminated) == (paid[i], ended[i])
            if terminated:
                rewards.add(reward)
                assert not info["action_mask"].any()
                assert seen[61] == 0
                seen, info = env.reset()
            assert np.array_equal(seen, observations[i])
            assert np.array_equal(info["action_mask"], infos["action_mask"][i])
    assert min(rewards) < -1 and max(rewards) > 1


def test_without_an_opponents_choices_the_dice_are_those_of_a_batch() -> None:
    env, games = SoloEnv("backgammon_v1", match_length=5), batch("backgammon", 1, seed=3, match_length=5)
    seen, _ = env.reset(seed=3)
    while games.to_play[0] != 0:
        games.step()
    assert np.array_equal(seen, games.observation[0])


def test_an_engine_decides_about_the_cube() -> None:
    """The strongest level drops a hopeless position and takes an even one."""
    rules, encoding, answers = GAMES["backgammon"], find_encoding("backgammon_v1"), []
    for board in ("-b----E-C---eE---c-e----B-", "-EEE-------------o--------"):
        position = rules.notation.read_position(f"XGID={board}:0:0:1:D:0:0:0:7:10")
        move = ENGINES["hard"].choose(rules, position, OWN_LIMIT, Random(1))
        answers.append(encoding.encode_move(position, move))
    assert answers == [[158], [159]]


def test_an_illegal_action_costs_the_most_that_the_game_can_be_worth() -> None:
    env, rng = SoloEnv("backgammon_v1", cube=True, scoring="points", illegal="lose"), np.random.default_rng(1)
    seen, info = env.reset(seed=1)
    while not info["action_mask"][158]:
        seen, _, terminated, _, info = env.step(anything(seen, info["action_mask"] * (np.arange(161) != 157), rng))
        assert not terminated
    assert seen[59] == 0
    assert env.step(0)[1] == -6


def test_policies_and_ids_of_the_other_version_are_refused() -> None:
    with pytest.raises(UnknownOption, match="plays backgammon, not backgammon_v1"):
        SoloEnv("backgammon_v1", opponent=a_policy("backgammon"))
    with pytest.raises(UnknownOption, match="plays backgammon_v1, not backgammon"):
        SoloEnv("backgammon", opponent=a_policy())
    with pytest.raises(UnknownVariant, match="backgammon_v1"):
        gymnasium.make("ludus/Backgammon-v0", match_length=3)
