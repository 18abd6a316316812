"""`MaskablePPO` from SB3-contrib on the Gymnasium environments."""

from __future__ import annotations

import gymnasium
import pytest

import ludus.envs  # noqa: F401  # registers

pytest.importorskip("sb3_contrib", reason="make libraries installs SB3-contrib")

from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env


@pytest.mark.parametrize("name", ["Checkers-v0", "Backgammon-v0", "BackgammonCube-v0"])
def test_maskable_ppo_learns_and_then_plays_only_legal_actions(name: str) -> None:
    env = gymnasium.make(f"ludus/{name}", opponent="random", side="random")
    model = MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=64, n_epochs=1, seed=1, device="cpu")
    model.learn(256)
    assert model.num_timesteps == 256
    observation, info = env.reset(seed=7)
    is_over = False
    while not is_over:
        action, _ = model.predict(observation, action_masks=info["action_mask"])
        assert info["action_mask"][action]
        observation, reward, terminated, truncated, info = env.step(int(action))
        is_over = terminated or truncated
    assert reward in (-1, 0, 1)


def test_stable_baselines_own_check_of_an_environment_passes() -> None:
    check_env(gymnasium.make("ludus/Backgammon-v0", opponent="random", illegal="lose").unwrapped, warn=False)
