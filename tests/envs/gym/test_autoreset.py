"""Gymnasium's autoreset modes, and resets of chosen games."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from ludus.core.errors import GameIsOver, IllegalAction, UnknownOption
from ludus.envs.gym import LudusVectorEnv, SoloEnv

from ..games import IDS, OPPONENTS, games, lowest

GAMES = 6
modes = pytest.mark.parametrize("mode", AutoresetMode)


def both(game: str, mode: AutoresetMode, **options: Any) -> tuple[Any, Any]:
    """Gymnasium's own vector env over single ones, and ours."""
    options |= {"side": "random", "max_steps": 25}
    singles = SyncVectorEnv([lambda: SoloEnv(game, **options)] * GAMES, autoreset_mode=mode)
    return singles, LudusVectorEnv(game, GAMES, autoreset_mode=mode, **options)


def choose(mask: Any, rng: np.random.Generator) -> Any:
    return (rng.random(mask.shape) * mask).argmax(axis=1)


@games
@pytest.mark.parametrize("opponent", ["random", "policy"])
@pytest.mark.parametrize("illegal", ["raise", "lose"])
def test_reset_in_the_next_step_is_gymnasiums(game: str, opponent: str, illegal: str) -> None:
    options: Any = {"opponent": OPPONENTS[opponent](game), "illegal": illegal}
    singles, together = both(game, AutoresetMode.NEXT_STEP, **options)
    rng, ends = np.random.default_rng(1), 0
    expected, got = singles.reset(seed=11), together.reset(seed=11)
    for step in range(80):
        assert data_equivalence(expected, got, exact=True)
        actions = choose(got[-1]["action_mask"], rng)
        if illegal == "lose" and step % 9 == 0:
            actions[step % GAMES] = 3
        expected, got = singles.step(actions), together.step(actions)
        ends += int(np.count_nonzero(got[2] | got[3]))
    assert ends > GAMES


@games
def test_without_autoreset_chosen_games_are_reset(game: str) -> None:
    singles, together = both(game, AutoresetMode.DISABLED, opponent=lowest)
    rng, ends = np.random.default_rng(2), 0
    singles.reset(seed=4)
    masks = together.reset(seed=4)[1]["action_mask"]
    for _ in range(60):
        actions = choose(masks, rng)
        expected, got = singles.step(actions), together.step(actions)
        assert data_equivalence(expected, got, exact=True)
        over, masks = got[2] | got[3], got[4]["action_mask"]
        if over.any():
            ends += int(np.count_nonzero(over))
            seed = [100 + ends if i % 2 else None for i in range(GAMES)]
            expected = singles.reset(seed=seed, options={"reset_mask": over})
            got = together.reset(seed=seed, options={"reset_mask": over})
            assert np.array_equal(expected[0], got[0])
            assert np.array_equal(expected[1]["action_mask"][over], got[1]["action_mask"][over])
            assert np.array_equal(masks[~over], got[1]["action_mask"][~over])
            masks = got[1]["action_mask"]
    assert ends > GAMES


@modes
def test_the_mode_is_in_the_metadata_of_this_environment_alone(mode: AutoresetMode) -> None:
    for name in (mode, mode.value):
        env = gymnasium.make_vec(IDS["checkers"], 2, vectorization_mode="vector_entry_point", autoreset_mode=name)
        assert env.metadata["autoreset_mode"] is mode
    assert LudusVectorEnv("checkers", 2).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


@pytest.mark.parametrize("mode", ["SomeDay", None, 3])
def test_unknown_modes_are_refused(mode: Any) -> None:
    with pytest.raises(UnknownOption, match="NextStep, SameStep, Disabled"):
        LudusVectorEnv("checkers", 2, autoreset_mode=mode)


def test_without_autoreset_a_step_after_the_end_is_refused_until_that_game_is_reset() -> None:
    env = LudusVectorEnv("checkers", 3, autoreset_mode="Disabled", illegal="lose")
    _, infos = env.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    actions[1] = 0
    assert env.step(actions)[2].tolist() == [False, True, False]
    before = env.action_masks()
    with pytest.raises(GameIsOver, match="game 1 is over"):
        env.step(actions)
    assert np.array_equal(env.action_masks(), before)
    _, infos = env.reset(options={"reset_mask": np.array([False, True, False])})
    env.step(infos["action_mask"].argmax(axis=1))


def test_an_illegal_action_is_refused_while_other_games_wait_for_their_reset() -> None:
    env = LudusVectorEnv("checkers", 3, autoreset_mode="NextStep", max_steps=2)
    env.reset(seed=1)
    env.reset(options={"reset_mask": np.array([True, False, False])})
    actions = env.action_masks().argmax(axis=1)
    env.step(actions)
    env._batch._over[1] = True
    bad = env.action_masks().argmax(axis=1)
    bad[2] = 0
    before = env.action_masks()
    with pytest.raises(IllegalAction, match="game 2"):
        env.step(bad)
    assert np.array_equal(env.action_masks(), before)


@pytest.mark.parametrize(
    "mask", [np.zeros(3, bool), np.ones(2, bool), np.ones(3, int), [1, 0, 1], None, "abc", np.ones((3, 1), bool)]
)
def test_a_reset_mask_is_a_boolean_for_each_game(mask: Any) -> None:
    env = LudusVectorEnv("checkers", 3)
    env.reset(seed=1)
    before = env.action_masks()
    with pytest.raises(UnknownOption, match="reset_mask must be 3 booleans"):
        env.reset(options={"reset_mask": mask})
    assert np.array_equal(env.action_masks(), before)


def test_the_first_reset_is_one_of_all_games() -> None:
    with pytest.raises(ResetNeeded):
        LudusVectorEnv("checkers", 2).reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(UnknownOption, match="there are side"):
        SoloEnv("checkers").reset(options={"reset_mask": np.array([True])})


def test_a_failed_opponent_is_not_reset_by_the_next_step() -> None:
    def failing(observation: Any, mask: Any, rng: Any) -> int:
        raise RuntimeError("no more")

    env = LudusVectorEnv("checkers", 2, autoreset_mode="NextStep", opponent=failing)
    _, infos = env.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    with pytest.raises(RuntimeError, match="no more"):
        env.step(actions)
    with pytest.raises(GameIsOver, match="reset"):
        env.step(actions)
    with pytest.raises(GameIsOver, match="reset"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.set_opponent("random")
    env.reset()
    env.step(actions)
