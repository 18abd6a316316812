"""The Gymnasium vector environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from ludus.core.errors import IllegalAction, MalformedAction
from ludus.envs.gym import LudusVectorEnv, SoloEnv

from ..games import (
    IDS,
    OPPONENTS,
    SHAPES,
    games,
    opponents,
)


def walk(env: Any, steps: int, seed: Any) -> list[Any]:
    """What a vector env returns to a random agent."""
    rng = np.random.default_rng(1)
    found = [env.reset(seed=seed)]
    for _ in range(steps):
        mask = found[-1][-1]["action_mask"]
        found.append(env.step((rng.random(mask.shape) * mask).argmax(axis=1)))
    return found


@games
@opponents
def test_the_vector_env_is_many_single_envs(game: str, opponent: str) -> None:
    """Equals Gymnasium's own vector env over single ones, with autoreset in the same step, in every array and info."""
    options: dict[str, Any] = {"opponent": OPPONENTS[opponent](game), "side": "random", "max_steps": 45}
    singles = SyncVectorEnv([lambda: SoloEnv(game, **options)] * 6, autoreset_mode=AutoresetMode.SAME_STEP)
    together = LudusVectorEnv(game, 6, **options)
    expected, got = walk(singles, 200, seed=11), walk(together, 200, seed=11)
    assert any("final_obs" in step[-1] for step in got)
    for one, other in zip(expected, got, strict=True):
        assert data_equivalence(one, other, exact=True)


@games
def test_each_game_can_have_its_own_seed_or_continue(game: str) -> None:
    one, two = LudusVectorEnv(game, 4), LudusVectorEnv(game, 4)
    first = walk(one, 30, seed=[7, 8, 9, 10])
    assert data_equivalence(first, walk(two, 30, seed=7), exact=True)
    seen, _ = one.reset(seed=[7, None, None, 10])
    assert np.array_equal(seen[[0, 3]], first[0][0][[0, 3]])
    fresh = LudusVectorEnv(game, 2)
    fresh.reset(seed=[None, 3])
    assert np.array_equal(fresh._batch.observation[1], LudusVectorEnv(game, 1).reset(seed=3)[0][0])


@games
def test_many_threads_play_the_games_of_one(game: str) -> None:
    one, two = (LudusVectorEnv(game, 5000, threads=threads, side="random", opponent="random") for threads in (1, 2))
    assert data_equivalence(walk(one, 12, seed=1), walk(two, 12, seed=1), exact=True)


@games
def test_gymnasium_makes_the_vector_env(game: str) -> None:
    env = gymnasium.make_vec(IDS[game], num_envs=3, vectorization_mode="vector_entry_point", side="second")
    assert isinstance(env, LudusVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.single_action_space == gymnasium.make(IDS[game]).action_space
    assert env.single_observation_space == gymnasium.make(IDS[game]).observation_space
    assert env.observation_space.shape == (3, *SHAPES[game][0])
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    actions = env.action_space.sample(mask=tuple(infos["action_mask"]))
    observations, rewards, terminations, truncations, _ = env.step(actions)
    assert env.observation_space.contains(observations)
    assert rewards.dtype == np.float64
    assert terminations.dtype == truncations.dtype == np.bool_
    env.close()


@games
def test_gymnasiums_vector_wrappers_fit(game: str) -> None:
    env = RecordEpisodeStatistics(LudusVectorEnv(game, 8))
    found = [step[-1] for step in walk(env, 300, seed=1) if "episode" in step[-1]]
    assert found
    assert {abs(info["episode"]["r"]).max() for info in found} <= {0.0, 1.0}


@games
def test_one_illegal_action_among_many_is_refused_and_nothing_is_played(game: str) -> None:
    env, untouched = LudusVectorEnv(game, 4), LudusVectorEnv(game, 4)
    (_, infos), _ = env.reset(seed=1), untouched.reset(seed=1)
    good = infos["action_mask"].argmax(axis=1)
    bad = good.copy()
    bad[2] = 0
    for actions, kind in [
        (bad, IllegalAction),
        (good[:3], MalformedAction),
        (good[:, None], MalformedAction),
        (good.astype(float), MalformedAction),
        (None, MalformedAction),
        ("abcd", MalformedAction),
        ([[1], [1, 2], [], []], MalformedAction),
    ]:
        with pytest.raises(kind):
            env.step(actions)
    assert data_equivalence(env.step(good), untouched.step(good), exact=True)


@games
def test_an_illegal_action_can_lose_one_game_among_many(game: str) -> None:
    env = LudusVectorEnv(game, 4, illegal="lose")
    _, infos = env.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    actions[2] = 10**6
    _, rewards, terminations, _, infos = env.step(actions)
    assert rewards.tolist() == [0, 0, -1, 0]
    assert terminations.tolist() == [False, False, True, False]
    assert infos["_final_obs"].tolist() == terminations.tolist()
    assert infos["action_mask"].any(axis=1).all()


@games
def test_without_copies_the_arrays_are_the_envs_own(game: str) -> None:
    env, careful = LudusVectorEnv(game, 4, copy=False), LudusVectorEnv(game, 4)
    found, kept = walk(env, 3, seed=1), walk(careful, 3, seed=1)
    assert found[0][0] is found[3][0]
    assert np.array_equal(found[3][0], kept[3][0])
    assert not np.array_equal(kept[0][0], kept[3][0])
