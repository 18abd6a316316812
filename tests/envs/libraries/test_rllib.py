"""RLlib's `PettingZooEnv` on all environments, and its PPO with a mask on one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from ludus.envs import checkers_v4

from .makers import every_env

pytest.importorskip("ray.rllib", reason="make libraries installs RLlib")
pytest.importorskip("supersuit", reason="make libraries installs SuperSuit")

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env
from supersuit import observation_lambda_v0

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, of which there are many


@every_env
def test_random_games_end_with_a_winner_or_a_draw(make: Any) -> None:
    env, rng, total, is_over = PettingZooEnv(make()), np.random.default_rng(1), 0.0, False
    seen, _ = env.reset(seed=1)
    while not is_over:
        ((agent, observation),) = seen.items()
        action = rng.choice(np.flatnonzero(observation["action_mask"]))
        seen, rewards, terminations, truncations, _ = env.step({agent: action})
        total += sum(rewards.values())
        is_over = terminations["__all__"] or truncations["__all__"]
    assert total == 0
    assert sorted(rewards.values()) in ([-1, 1], [0, 0])


def renamed(seen: Any, space: Any) -> dict[str, Any]:
    """With the keys and the type that RLlib's module for masks expects."""
    board = seen["observation"] / space["observation"].high
    return {
        "observations": board.ravel().astype(np.float32),
        "action_mask": seen["action_mask"].astype(np.float32),
    }


def space_of_renamed(space: Any) -> spaces.Space[Any]:
    size, mask = int(np.prod(space["observation"].shape)), space["action_mask"].shape
    board, legal = spaces.Box(0, 1, (size,), np.float32), spaces.Box(0, 1, mask, np.float32)
    return spaces.Dict({"observations": board, "action_mask": legal})


def make_for_ppo(config: Any) -> PettingZooEnv:
    return PettingZooEnv(observation_lambda_v0(checkers_v4.env(), renamed, space_of_renamed))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    ray.init(num_cpus=1, object_store_memory=100_000_000, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_ppo_with_a_mask_trains_both_agents(cluster: None) -> None:
    register_env("checkers", make_for_ppo)
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": []})
    config = (
        PPOConfig()
        .environment("checkers", disable_env_checking=True)
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
        .training(train_batch_size_per_learner=400, minibatch_size=200, num_epochs=1)
    )
    algorithm = config.build_algo()
    results = algorithm.train()["env_runners"]
    algorithm.stop()
    assert results["num_env_steps_sampled_lifetime"] == 400
    assert results["episode_len_mean"] > 20  # an illegal action would end a game at once
    assert sum(results["agent_episode_returns_mean"].values()) == pytest.approx(0)
