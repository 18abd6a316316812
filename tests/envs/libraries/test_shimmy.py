"""Our games of OpenSpiel as PettingZoo environments again, through Shimmy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test

pytest.importorskip("shimmy", reason="make libraries installs Shimmy")
pytest.importorskip("pyspiel", reason="make libraries installs OpenSpiel")

import pyspiel
import shimmy

import ludus.envs.openspiel  # noqa: F401  # registers


@pytest.mark.parametrize("name", ["ludus_checkers", "ludus_backgammon"])
def test_random_games_end_with_a_winner_or_a_draw(name: str) -> None:
    for seed in range(5):
        env = shimmy.OpenSpielCompatibilityV0(env=pyspiel.load_game(name))
        env.reset(seed=seed)
        rng, rewards = np.random.default_rng(seed), []
        for _ in env.agent_iter():
            _, reward, termination, truncation, info = env.last()
            if termination or truncation:
                rewards.append(np.sign(reward))  # Shimmy 2.0.1 pays the second agent of any game twice
                env.step(None)
            else:
                env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        assert sorted(rewards) in ([-1, 1], [0, 0])


@pytest.mark.parametrize("name", ["ludus_checkers", "ludus_backgammon"])
def test_pettingzoos_own_test_passes(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(shimmy.OpenSpielCompatibilityV0(env=pyspiel.load_game(name)), num_cycles=100)
