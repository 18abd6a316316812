"""TorchRL's `PettingZooWrapper` on all environments; `make libraries` runs it, as tests are installed without torch."""

from __future__ import annotations

from typing import Any

import pytest

from ludus.envs import aec, backgammon_v0, checkers_v3, checkers_v4

torchrl = pytest.importorskip("torchrl.envs", reason="make libraries installs TorchRL")
pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version")

AGENTS = ["player_0", "player_1"]
MAKERS: dict[str, Any] = {
    "checkers_v3": lambda: checkers_v3.env(legal_moves=False),
    "checkers_v4": checkers_v4.env,
    "backgammon_v0": backgammon_v0.env,
    "backgammon_v0, whole plays": lambda: backgammon_v0.env(plays=True),
    "any game": lambda: aec.env("checkers"),
}
every_env = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


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
