"""TorchRL's `PettingZooWrapper` on all environments."""

from __future__ import annotations

from typing import Any

import pytest

from .makers import AGENTS, every_env

torchrl = pytest.importorskip("torchrl.envs", reason="make libraries installs TorchRL")
pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version")


@every_env
def test_a_rollout_ends_with_the_game_and_its_rewards(make: Any) -> None:
    game = torchrl.PettingZooWrapper(make(), use_mask=True, seed=1).rollout(3000)
    assert game["next", "done"].flatten().tolist() == [False] * (len(game) - 1) + [True]
    rewards = [game["next", agent, "reward"].sum().item() for agent in AGENTS]
    assert sorted(rewards) in ([-1, 1], [0, 0])


@every_env
def test_only_legal_actions_are_drawn_in_games_that_follow_each_other(make: Any) -> None:
    games = torchrl.PettingZooWrapper(make(), use_mask=True, seed=2).rollout(600, break_when_any_done=False)
    assert games.shape == (600,)
    assert games["next", "done"].sum() > 1
    for agent in AGENTS:
        player = games[agent][games[agent, "mask"]]
        assert len(player) > 100
        assert player["action_mask"].gather(-1, player["action"].unsqueeze(-1)).all()


@every_env
def test_torchrls_own_check_of_the_specs_passes(make: Any) -> None:
    torchrl.check_env_specs(torchrl.PettingZooWrapper(make(), use_mask=True, seed=3))
