"""Environments against an opponent are saved, restored, pickled and copied with their games."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from ludus.core.errors import MalformedState
from ludus.envs import batch
from ludus.envs.gym import LudusVectorEnv
from ludus.envs.gym.single_agent import SingleAgentBatch
from ludus.envs.opponents import League


def first_legal(observation: Any, mask: Any, rng: Any) -> int:
    return int(mask.argmax())


def vector(**options: Any) -> Any:
    defaults: Any = {"side": "random", "scoring": "points", "max_steps": 25}
    env: Any = LudusVectorEnv("backgammon", 12, variant="hypergammon", **(defaults | options))
    env.reset(seed=3)
    return env


def play(env: Any, steps: int) -> list[Any]:
    """Everything that so many steps return."""
    seen: list[Any] = []
    for _ in range(steps):
        *arrays, infos = env.step(env.action_masks().argmax(axis=1))
        seen += [array.copy() for array in arrays] + [infos["action_mask"].copy()]
    return seen


def is_same(one: list[Any], two: list[Any]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_a_restored_vector_environment_continues_alike() -> None:
    env, other = vector(), vector()
    play(env, 17)
    states = env.save()
    expected = play(env, 30)
    play(other, 5)
    seen, infos = other.restore(states)
    assert np.array_equal(seen, other._batch.observation)
    assert np.array_equal(infos["action_mask"], other.action_masks())
    assert is_same(play(other, 30), expected)
    other.restore(states[[4, 9]], where=[4, 9])
    assert np.array_equal(other.save(where=[4, 9]), states[[4, 9]])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("opponent", ["random", first_legal, League(["random", first_legal], [1, 3])])
def test_a_copy_of_an_environment_plays_on_alike(copied: Any, opponent: Any) -> None:
    env = vector(opponent=opponent)
    play(env, 11)
    twin = copied(env)
    assert is_same(list(twin._batch.final), list(env._batch.final))
    assert is_same(play(twin, 25), play(env, 25))


def test_a_batch_of_chosen_games_keeps_their_opponents() -> None:
    leagues = [League([first_legal]), League(["random"])]
    env = SingleAgentBatch("checkers", 4, opponent=[leagues[k % 2] for k in range(4)], seed=5)
    env.step()
    taken = env.take([3, 0])
    for _ in range(20):
        env.step()
        taken.step()
    assert np.array_equal(taken.save(), env.save()[[3, 0]])


def test_a_finished_game_is_restored_as_finished() -> None:
    env: Any = gymnasium.make("ludus/Checkers-v0", max_steps=3, side="second").unwrapped
    with pytest.raises(ResetNeeded):
        env.save()
    env.reset(seed=1)
    start = env.save()
    for _ in range(3):
        last = env.step(env.action_masks().argmax())
    over = env.save()
    env.restore(start)
    seen, info = env.restore(over)
    assert np.array_equal(seen, last[0])
    assert np.array_equal(info["action_mask"], last[-1]["action_mask"])
    assert np.array_equal(env.save(), over)
    with pytest.raises(ValueError, match="over"):
        env.step(0)
    env.restore(start)
    env.step(env.action_masks().argmax())


def test_the_outcome_of_a_won_game_survives() -> None:
    env = SingleAgentBatch("backgammon", 200, variant="hypergammon", side="random", scoring="points", seed=2)
    for _ in range(40):
        env.play_or_begin()
        if env.terminated.any():
            break
    states, ended = env.save(), env.terminated.copy()
    shown = [array.copy() for array in env._views]
    other = SingleAgentBatch("backgammon", 200, variant="hypergammon", scoring="points", seed=9)
    other.restore(states)
    assert ended.any()
    for now, then in zip(other._views, shown, strict=True):
        assert np.array_equal(now[ended], then[ended])
    assert np.array_equal(other.save(), states)


def test_games_with_and_without_an_opponent_have_different_states() -> None:
    plain, against = batch("checkers", 3), SingleAgentBatch("checkers", 3)
    with pytest.raises(MalformedState):
        plain.restore(against.save())
    with pytest.raises(MalformedState):
        against.restore(plain.save())
    bad = against.save()
    bad[1, -1] = 7
    with pytest.raises(MalformedState):
        against.restore(bad)
