"""SuperSuit's wrappers on the PettingZoo environments.

Those that change observations take arrays, not dictionaries with a mask; `bare` gives them the array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ludus.envs import backgammon_v0, checkers_v3, checkers_v4

supersuit: Any = pytest.importorskip("supersuit", reason="make libraries installs SuperSuit")

OBSERVERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "dtype": (lambda env: supersuit.dtype_v0(env, np.float32), "float32"),
    "frame_stack": (lambda env: supersuit.frame_stack_v1(env, 3), ""),
    "flatten": (supersuit.flatten_v0, ""),
    "normalize": (lambda env: supersuit.normalize_obs_v0(supersuit.dtype_v0(env, np.float32)), "float32"),
    "delay": (lambda env: supersuit.delay_observations_v0(env, 1), ""),
}


def bare(env: Any) -> Any:
    return supersuit.observation_lambda_v0(
        env, lambda seen, space: seen["observation"], lambda space: space["observation"]
    )


def play(env: Any) -> list[float]:
    """A random game; the rewards that the agents collect."""
    env.reset(seed=1)
    rng, rewards = np.random.default_rng(1), []
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        assert env.observation_space(agent).contains(observation)
        if termination or truncation:
            rewards.append(reward)
            env.step(None)
        else:
            env.step(rng.choice(info["legal_moves"]))
    return rewards


@pytest.mark.parametrize("module", [checkers_v3, checkers_v4, backgammon_v0])
@pytest.mark.parametrize(("wrap", "dtype"), OBSERVERS.values(), ids=OBSERVERS)
def test_wrappers_of_observations_take_the_bare_array(module: Any, wrap: Callable[[Any], Any], dtype: str) -> None:
    env = wrap(bare(module.env(legal_moves=True)))
    assert sum(play(env)) == 0
    assert env.observation_space("player_0").dtype == (dtype or bare(module.env()).observation_space("player_0").dtype)


@pytest.mark.parametrize("module", [checkers_v3, checkers_v4, backgammon_v0])
def test_wrappers_of_rewards_and_actions_take_the_environment_as_it_is(module: Any) -> None:
    env = supersuit.reward_lambda_v0(module.env(legal_moves=True), lambda reward: reward * 10)
    env = supersuit.action_lambda_v1(env, lambda action, space: action, lambda space: space)
    assert sorted(play(env)) in ([-10, 10], [0, 0])
