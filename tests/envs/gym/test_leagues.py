"""Opponents that change while games go on, differ between games, or are drawn from a league."""

from __future__ import annotations

import pickle
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from ludus.core.errors import UnknownOption
from ludus.engines.random import RandomPlayer
from ludus.envs.encoding import find_encoding
from ludus.envs.gym import LudusVectorEnv, SoloEnv
from ludus.envs.gym.single_agent import SingleAgentBatch
from ludus.envs.opponents import EngineOpponent, League, find_opponent

from ..games import a_policy, anything, games, highest, lowest

MANY = 8


def members(game: str) -> list[Any]:
    return ["random", lowest, a_policy(game), highest, EngineOpponent(game, RandomPlayer())]


def choose(mask: Any, rng: np.random.Generator) -> Any:
    return (rng.random(mask.shape) * mask).argmax(axis=1)


@games
def test_every_game_can_have_an_opponent_of_its_own(game: str) -> None:
    """The games are those of single environments, each against its own opponent."""
    opponents = members(game)
    together = LudusVectorEnv(game, len(opponents), opponent=opponents, side="random", max_steps=40)
    singles = [SoloEnv(game, opponent=opponent, side="random", max_steps=40) for opponent in opponents]
    rng, ends = np.random.default_rng(1), 0
    observations, infos = together.reset(seed=5)
    for i, env in enumerate(singles):
        assert np.array_equal(env.reset(seed=5 + i)[0], observations[i])
    for _ in range(90):
        actions = choose(infos["action_mask"], rng)
        observations, rewards, terminations, truncations, infos = together.step(actions)
        for i, env in enumerate(singles):
            seen, reward, terminated, truncated, _ = env.step(actions[i])
            assert (reward, terminated, truncated) == (rewards[i], terminations[i], truncations[i])
            if terminated or truncated:
                ends += 1
                seen, _ = env.reset()
            assert np.array_equal(seen, observations[i])
    assert "opponent" not in infos
    assert ends > len(opponents)


@games
def test_a_league_in_a_vector_env_is_that_of_single_envs(game: str) -> None:
    """In every array and info, those of games that ended included."""
    league = League(members(game), [1, 2, 0, 1, 1])
    options: dict[str, Any] = {"opponent": league, "side": "random", "max_steps": 20}
    singles = SyncVectorEnv([lambda: SoloEnv(game, **options)] * MANY, autoreset_mode=AutoresetMode.SAME_STEP)
    together, rng, met = LudusVectorEnv(game, MANY, **options), np.random.default_rng(1), set()
    expected: Any = singles.reset(seed=3)
    got: Any = together.reset(seed=3)
    for step in range(100):
        assert data_equivalence(expected, got, exact=True)
        if step == 50:
            league.add(anything, 5)
        actions = choose(got[-1]["action_mask"], rng)
        expected, got = singles.step(actions), together.step(actions)
        if "final_info" in got[-1]:
            met |= set(got[-1]["final_info"]["opponent"][got[-1]["_final_info"]].tolist())
    assert met == {0, 1, 3, 4, 5}


def test_members_are_drawn_by_their_weights() -> None:
    league = League(["random", "random", "random"], [1, 0, 3])
    batch = SingleAgentBatch("checkers", 4000, opponent=league, seed=2)
    counts = np.bincount(batch.opponents, minlength=3)
    assert counts[1] == 0
    assert abs(counts[0] - 1000) < 120
    league.set_weights([0, 1, 0])
    assert set(batch.opponents.tolist()) == {0, 2}
    batch.reset(where=np.arange(10))
    assert Counter(batch.opponents.tolist())[1] == 10
    assert (batch.opponents[:10] == 1).all()


def test_a_league_may_begin_with_one_member() -> None:
    league = League(["random"])
    env, single = LudusVectorEnv("checkers", 2, opponent=league), SoloEnv("checkers", opponent=league)
    assert env.reset(seed=1)[1]["opponent"].tolist() == [0, 0]
    assert pickle.loads(pickle.dumps(single)).reset(seed=1)[1]["opponent"] == 0
    assert "opponent" not in pickle.loads(pickle.dumps(SoloEnv("checkers"))).reset(seed=1)[1]
    assert league.add(lowest, 10**9) == 1
    assert env.reset()[1]["opponent"].tolist() == [1, 1]
    assert single.reset(seed=1)[1]["opponent"] == 1


def test_an_opponent_is_changed_in_mid_game() -> None:
    calls: Counter[str] = Counter()

    def named(name: str) -> Any:
        def play(observation: Any, mask: Any, rng: Any) -> int:
            calls[name] += 1
            return lowest(observation, mask, rng)

        return play

    one, two, three = map(named, ("one", "two", "three"))
    env = LudusVectorEnv("checkers", 4, opponent=one)
    _, infos = env.reset(seed=1)

    def step() -> Counter[str]:
        nonlocal infos
        calls.clear()
        infos = env.step(infos["action_mask"].argmax(axis=1))[-1]
        return calls

    assert step() == {"one": 4}
    env.set_opponent(two, where=np.array([True, False, True, False]))
    assert step() == {"one": 2, "two": 2}
    env.set_opponent([three, one], where=[2, 1])
    assert step() == {"one": 2, "two": 1, "three": 1}
    env.set_opponent("random", where=[0])
    assert step() == {"one": 2, "three": 1}
    env.set_opponent(two)
    assert step() == {"two": 4}
    assert len(env._batch._leagues) == 1
    single = SoloEnv("checkers", opponent=one)
    _, info = single.reset(seed=1)
    single.set_opponent(three)
    calls.clear()
    single.step(info["action_mask"].argmax())
    assert calls == {"three": 1}


@pytest.mark.parametrize(
    ("opponent", "where", "problem"),
    [
        ("kasparov", None, "no opponent 'kasparov'"),
        (["random", "kasparov"], [0, 1], "no opponent 'kasparov'"),
        (["random"] * 3, None, "3 opponents for 4 games"),
        ("random", [4], "0 to 3"),
        ("random", [1, 1], "twice"),
        ("random", np.ones(3, bool), "4 booleans"),
        (League(["random", "kasparov"]), None, "no opponent 'kasparov'"),
        (a_policy("backgammon"), None, "plays backgammon, not checkers"),
    ],
)
def test_what_cannot_be_an_opponent_is_refused_and_changes_nothing(opponent: Any, where: Any, problem: str) -> None:
    env = LudusVectorEnv("checkers", 4, opponent=lowest)
    _, infos = env.reset(seed=1)
    with pytest.raises(UnknownOption, match=problem):
        env.set_opponent(opponent, where)
    env.step(infos["action_mask"].argmax(axis=1))
    assert env._batch._league.tolist() == [0] * 4
    assert len(env._batch._leagues) == 1


@pytest.mark.parametrize("weights", [[1], [1, 2, 3], [-1, 2], [0, 0], [np.nan, 1], [np.inf, 1], ["a", 1], 3, None])
def test_weights_must_be_those_of_the_members(weights: Any) -> None:
    league = League(["random", lowest])
    with pytest.raises(UnknownOption, match="a league of 2 has 2 weights"):
        league.set_weights(weights)
    assert league.weights.tolist() == [1, 1]
    with pytest.raises(UnknownOption, match="a league of 3 has 3 weights"):
        league.add(highest, -1)
    assert league.members == ("random", lowest)


def test_weights_whose_sum_is_no_number_are_refused() -> None:
    league = League(["random", lowest])
    with pytest.raises(UnknownOption, match=r"weights are at most 1e\+300"):
        league.set_weights([1e308, 1e308])
    league.set_weights([1e300, 1e300])
    assert set(league.draw(np.array([0, 1 << 31, (1 << 32) - 1])).tolist()) == {0, 1}


def test_a_league_has_members_and_plays_one_game() -> None:
    with pytest.raises(UnknownOption, match="at least one member"):
        League([])
    league = League(["random", lowest])
    SoloEnv("checkers", opponent=league)
    with pytest.raises(UnknownOption, match="plays checkers, not backgammon"):
        SoloEnv("backgammon", opponent=league)
    with pytest.raises(UnknownOption, match="no opponent 'kasparov'"):
        league.add("kasparov")
    assert len(league.members) == 2


def test_weights_of_ludus_train_are_opponents_by_their_path(tmp_path: Path) -> None:
    data = files("ludus.engines.checkers").joinpath("weights.npz").read_bytes()
    (tmp_path / "network.npz").write_bytes(data)
    for path in (tmp_path / "network.npz", str(tmp_path / "network.npz")):
        found = find_opponent(path, find_encoding("checkers"))
        assert isinstance(found, EngineOpponent)
    with pytest.raises(UnknownOption, match=r"network\.npz plays checkers, not backgammon"):
        SoloEnv("backgammon", opponent=str(tmp_path / "network.npz"))
    env = SoloEnv("checkers", opponent=str(tmp_path / "network.npz"), side="second")
    observation, _ = env.reset(seed=1)
    assert observation[2].sum() == 12
