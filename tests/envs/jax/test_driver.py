"""The loop of the XLA call in the interpreter; `tests/envs/libraries/test_jax.py` runs it in JAX."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from ludus.core.extras import MissingExtra
from ludus.core.kernel import bound
from ludus.envs import batch
from ludus.envs.batched.driver import OUTCOME, TAG, WON
from ludus.envs.batched.states import StateFormat
from ludus.envs.encoding import find_encoding
from ludus.envs.jax import driver, make

GAMES, STEPS, LIMIT = 6, 120, 55


class Rows:
    """The arrays of a call, and the call."""

    def __init__(self, name: str, rows: Any, **options: int) -> None:
        encoding = find_encoding(name)
        kernel, words = encoding.kernel, StateFormat(encoding)
        self.tag, self.rows, self._run = words.tag, rows, bound(driver, kernel).run
        self.state = rows[:, words.column].T
        self.options = [options.get(name, 0) for name in OPTION_NAMES]
        self.keys = np.zeros(len(rows), np.int64)
        self.observation = np.zeros((len(rows), kernel.OBSERVATION_WORDS), np.int64)
        self.mask = np.zeros((len(rows), kernel.MASK_WORDS), np.int64)
        self.rewards = np.zeros((len(rows), 2), np.float32)
        self.terminated, self.truncated = np.zeros((2, len(rows)), np.bool_)
        self.to_play = np.zeros(len(rows), np.int32)

    def run(self, task: int, actions: Any = None) -> int:
        chosen = np.zeros(len(self.rows), np.int32) if actions is None else actions
        self.options[driver.TASK] = task
        problem: int = self._run(
            self.rows.reshape(-1), self.state, self.tag, chosen, self.keys, self.options, self.observation, self.mask,
            self.rewards.reshape(-1), self.terminated, self.truncated, self.to_play,
        )  # fmt: skip
        return problem


OPTION_NAMES = ("task", "has_keys", "limit", "is_scored", "autoresets", "forfeits")


@pytest.mark.parametrize(
    ("name", "variant"),
    [("checkers", "standard"), ("backgammon", "hypergammon"), ("backgammon_v1", "hypergammon+cube")],
)
def test_the_rows_play_the_games_of_a_batch(name: str, variant: str) -> None:
    env = batch(name, GAMES, seed=4, variant=variant, scoring="points", max_steps=LIMIT)
    rows = Rows(name, env.save(), limit=LIMIT, is_scored=1, autoresets=1)
    terminated = truncated = 0
    for step in range(STEPS):
        actions = env.action_mask.argmax(axis=1) if step % 2 else None
        movers = env.to_play.copy()
        env.step(actions)
        assert rows.run(driver.STEP_AT_RANDOM if actions is None else driver.STEP, actions) == 0
        assert np.array_equal(rows.rows, env.save())
        assert np.array_equal(rows.to_play, env.to_play)
        assert np.array_equal(rows.rewards[np.arange(GAMES), movers], env.reward)
        assert np.array_equal(rows.rewards.sum(axis=1), np.zeros(GAMES))
        assert np.array_equal(rows.terminated, env.terminated)
        assert np.array_equal(rows.truncated, env.truncated)
        assert np.array_equal(rows.mask.view(np.int8)[:, : env.num_actions], env.action_mask)
        seen = rows.observation.view(np.int8)[:, : env.observation[0].size]
        assert np.array_equal(seen, env.observation.reshape(GAMES, -1))
        terminated += int(env.terminated.sum())
        truncated += int(env.truncated.sum())
    assert terminated
    assert truncated


def test_a_game_that_is_over_ignores_its_actions_and_allows_all() -> None:
    rows = Rows("checkers", batch("checkers", 2, seed=1).save())
    while not rows.terminated.all():
        assert rows.run(driver.STEP_AT_RANDOM) == 0
    last, seen = rows.rows.copy(), rows.observation.copy()
    assert set(last[:, OUTCOME].tolist()) <= {5, -3, 2}
    assert rows.run(driver.STEP, np.full(2, -1)) == 0
    assert np.array_equal(rows.rows, last)
    assert np.array_equal(rows.observation, seen)
    assert rows.terminated.all()
    assert not rows.rewards.any()
    assert (rows.mask.view(np.int8) == 1).all()
    assert rows.run(driver.RESET) == 0
    assert not rows.terminated.any()
    assert (rows.mask.view(np.int8).sum(axis=1) == 7).all()


def test_an_illegal_action_is_a_problem_or_a_loss() -> None:
    states = batch("checkers", 2, seed=1).save()
    legal = batch("checkers", 2, seed=1).action_mask.argmax(axis=1)
    assert Rows("checkers", states.copy()).run(driver.STEP, legal * 0) == driver.ILLEGAL
    rows = Rows("checkers", states, forfeits=1)
    assert rows.run(driver.STEP, legal) == 0
    assert rows.run(driver.STEP, np.array([-1, 256])) == 0
    assert rows.rewards.tolist() == [[1, -1], [1, -1]]
    assert rows.terminated.all()
    assert rows.rows[:, OUTCOME].tolist() == [WON | 1 << 2] * 2


def test_rows_of_another_game_are_a_problem() -> None:
    rows = Rows("checkers", batch("checkers", 2, seed=1).save())
    rows.rows[1, TAG] += 1
    assert rows.run(driver.OBSERVE) == driver.FOREIGN


def test_keys_replace_those_of_the_games() -> None:
    states = batch("backgammon", 2, seed=1).save()
    rows = [Rows("backgammon", states.copy(), has_keys=1) for _ in range(2)]
    for key, each in enumerate(rows):
        each.keys[:] = key - 1, key
        assert each.run(driver.RESET) == 0
        assert (each.state[find_encoding("backgammon").kernel.KEY] >= 0).all()
    assert not np.array_equal(rows[0].observation[0], rows[1].observation[0])
    assert np.array_equal(rows[0].observation[1], rows[1].observation[0])


@pytest.mark.skipif(find_spec("jax") is not None, reason="JAX is installed")
def test_without_jax_the_error_names_the_extra() -> None:
    with pytest.raises(MissingExtra, match=r"this needs jax: pip install 'ludus-games\[jax\]'"):
        make("checkers")
