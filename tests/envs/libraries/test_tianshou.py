"""Tianshou's `Collector` on all environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .makers import every_env

pytest.importorskip("tianshou", reason="make libraries installs Tianshou")

from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm as RandomAgent
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv


def collect(make: Any, games: int) -> Any:
    env = PettingZooEnv(make())
    agents = [RandomAgent(action_space=env.action_space) for _ in env.agents]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=agents, env=env)
    envs = DummyVectorEnv([lambda: PettingZooEnv(make()) for _ in range(3)])
    collector = Collector(algorithm, envs, VectorReplayBuffer(20_000, 3))
    collector.reset()
    return collector.collect(n_episode=games)


@every_env
def test_a_collector_plays_games_to_their_end(make: Any) -> None:
    games = collect(make, 12)
    assert games.n_collected_episodes == 12
    assert np.array_equal(games.returns.sum(axis=1), np.zeros(12))
    assert set(games.returns.flatten()) <= {-1.0, 0.0, 1.0}
    assert games.lens.sum() > 100
