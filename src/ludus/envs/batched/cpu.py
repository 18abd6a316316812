"""The batched environment on all cores, each with a shard of the games.

Shards run on plain threads, since compiled code releases the GIL. Numba's own parallel loops would do, but their
threading layers either spin while they wait or can't be entered twice.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from ludus.core.cores import cores
from ludus.core.errors import IllegalAction, MalformedAction
from ludus.core.kernel import compiled
from ludus.envs.batched import driver
from ludus.envs.batched.environment import Batch, Options, Step, Totals, check_actions, padded
from ludus.envs.options import check_integer

MIN_SHARD = 2048
"""Games below which another thread doesn't pay."""


class Shard(NamedTuple):
    """One thread's part of the arrays."""

    start: int
    stop: int
    state: Any
    history: Any
    transition: tuple[Any, Any, Any]
    view: tuple[Any, Any, Any]
    totals: Any


def as_array(actions: Any) -> NDArray[Any]:
    try:
        return np.asarray(actions)
    except (TypeError, ValueError):
        raise MalformedAction("actions must be a row of integers") from None


class CpuBatch(Batch[NDArray[Any]]):
    device: ClassVar[str] = "cpu"

    def __init__(self, game: str, num_envs: int, *, threads: int | None = None, **options: Unpack[Options]) -> None:
        wanted = cores() if threads is None else check_integer("threads", threads, 1)
        self._threads = max(1, min(wanted, check_integer("num_envs", num_envs, 1) // MIN_SHARD))
        self._pool = ThreadPoolExecutor(self._threads - 1, "ludus") if self._threads > 1 else None
        super().__init__(game, num_envs, **options)

    def _allocate(self) -> None:
        n, kernel = self.num_envs, self._kernel
        self._driver = compiled(driver, kernel)
        observation_width, mask_width = self._widths
        self._state = np.zeros((n, padded(kernel.WORDS)), np.int64).T
        self._history = np.zeros(n * kernel.HISTORY + 1, np.int64)
        transition = np.zeros(n, self._encoding.reward), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        view = np.zeros((n, observation_width), np.int64), np.zeros((n, mask_width), np.int64), np.zeros(n, np.int8)
        self._totals = np.zeros((n, 4), np.int64)
        self._views = Step(*self._shaped(*view[:2]), *transition, view[2])
        self._random = np.zeros(n, np.int64)
        cuts = [n * k // self._threads for k in range(self._threads + 1)]
        self._shards = [
            Shard(
                a,
                b,
                self._state[:, a:b],
                self._history[a * kernel.HISTORY :],
                (transition[0][a:b], transition[1][a:b], transition[2][a:b]),
                (view[0][a:b], view[1][a:b], view[2][a:b]),
                self._totals[a:b],
            )
            for a, b in pairwise(cuts)
        ]

    def reset(self, *, seed: int | None = None) -> Step[NDArray[Any]]:
        self._state[:] = self._initial_state(seed, self._state.copy())
        for array in (self.reward, self.terminated, self.truncated):
            array[:] = 0
        self._run(lambda shard: self._driver.reset_all(shard.state, self._layout, shard.view))
        return self._views

    def step(self, actions: Any = None) -> Step[NDArray[Any]]:
        if actions is None:
            chosen = self._random
        else:
            actions = as_array(actions)
            check_actions(actions, self.num_envs)
            chosen = actions.astype(np.int64, copy=False)
            self._check_legal(chosen)
        self._run(lambda shard: self._step(shard, chosen, actions is None))
        return self._views

    def _step(self, shard: Shard, actions: Any, is_random: bool) -> None:
        state, history, mine = shard.state, shard.history, actions[shard.start : shard.stop]
        limit, scored = self._limit, self._scored
        self._driver.step_all(
            state, history, mine, is_random, limit, scored, shard.transition, self._layout, shard.view
        )

    def _check_legal(self, actions: Any) -> None:
        bad = self._driver.find_illegal(self._state, actions)
        if bad >= 0:
            raise IllegalAction(f"action {actions[bad]} is not legal in game {bad}; nothing was played")

    def _rollout(self, steps: int) -> Totals:
        self._totals[:] = 0
        self._run(lambda shard: self._rollout_shard(shard, steps))
        return Totals(steps * self.num_envs, *self._totals.sum(axis=0).tolist())

    def _rollout_shard(self, shard: Shard, steps: int) -> None:
        state, history, totals = shard.state, shard.history, shard.totals
        limit, scored = self._limit, self._scored
        self._driver.rollout_all(
            state, history, steps, limit, scored, totals, shard.transition, self._layout, shard.view
        )

    def _run(self, work: Any) -> None:
        """Does the work for every shard, the last one in this thread."""
        others = [self._pool.submit(work, shard) for shard in self._shards[:-1]] if self._pool else []
        work(self._shards[-1])
        for other in others:
            other.result()
