"""The batched environment on all cores, each with a slice of the games.

The slices run on plain threads over compiled code that holds no lock. Numba's own parallel loops would do the same, but
their layers either spin while they wait or must not be entered twice.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import IllegalAction, MalformedAction
from ludus.core.kernel import compiled
from ludus.envs.batched import driver
from ludus.envs.batched.batch import ROOM, Batch, Step, Totals, check_actions
from ludus.envs.options import check_integer

LEAST = 2048
"""Games a thread must have before a second one is worth its start."""


class Slice(NamedTuple):
    """One thread's part of the arrays."""

    start: int
    stop: int
    state: Any
    history: Any
    ends: tuple[Any, Any, Any]
    seen: tuple[Any, Any, Any]
    totals: Any


def cores() -> int:
    """How many this process may use, where the system tells."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def as_array(actions: Any) -> NDArray[Any]:
    try:
        return np.asarray(actions)
    except (TypeError, ValueError):
        raise MalformedAction("actions must be integers in a row") from None


class CpuBatch(Batch):
    device: ClassVar[str] = "cpu"

    def __init__(self, game: str, num_envs: int, *, threads: int | None = None, **options: Any) -> None:
        wanted = cores() if threads is None else check_integer("threads", threads, 1)
        self._threads = max(1, min(wanted, check_integer("num_envs", num_envs, 1) // LEAST))
        self._pool = ThreadPoolExecutor(self._threads - 1, "ludus") if self._threads > 1 else None
        super().__init__(game, num_envs, **options)

    def _allocate(self) -> None:
        n, kernel = self.num_envs, self._kernel
        self._driver = compiled(driver, kernel)
        observation_width, mask_width = self._widths
        self._state = np.zeros((n, ROOM), np.int64).T
        self._history = np.zeros(n * kernel.HISTORY + 1, np.int64)
        ends = np.zeros(n, np.int8), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        seen = np.zeros((n, observation_width), np.int64), np.zeros((n, mask_width), np.int64), np.zeros(n, np.int8)
        totals = np.zeros((n, 4), np.int64)
        self._views = Step(*self._shaped(*seen[:2]), *ends, seen[2])
        self._totals = totals
        self._random = np.zeros(n, np.int64)
        cuts = [n * k // self._threads for k in range(self._threads + 1)]
        self._slices = [
            Slice(
                a,
                b,
                self._state[:, a:b],
                self._history[a * kernel.HISTORY :],
                (ends[0][a:b], ends[1][a:b], ends[2][a:b]),
                (seen[0][a:b], seen[1][a:b], seen[2][a:b]),
                totals[a:b],
            )
            for a, b in pairwise(cuts)
        ]

    def reset(self, *, seed: int | None = None) -> Step:
        self._state[:] = self._fresh_state(seed, self._state.copy())
        for array in (self.reward, self.terminated, self.truncated):
            array[:] = 0
        self._run(lambda part: self._driver.begin_all(part.state, self._layout, part.seen))
        return self._views

    def step(self, actions: Any = None) -> Step:
        if actions is None:
            chosen = self._random
        else:
            actions = as_array(actions)
            check_actions(actions, self.num_envs)
            chosen = actions.astype(np.int64, copy=False)
            self._refuse_illegal(chosen)
        self._run(lambda part: self._step(part, chosen, actions is None))
        return self._views

    def _step(self, part: Slice, actions: Any, is_random: bool) -> None:
        mine = actions[part.start : part.stop]
        across, limit, scored = self._kernel.HISTORY, self._limit, self._scored
        self._driver.step_all(
            part.state, part.history, across, 1, mine, is_random, limit, scored, part.ends, self._layout, part.seen
        )

    def _refuse_illegal(self, actions: Any) -> None:
        bad = self._driver.find_illegal(self._state, actions)
        if bad >= 0:
            raise IllegalAction(f"action {actions[bad]} is not legal in game {bad}; nothing was played")

    def _roll_out(self, steps: int) -> Totals:
        self._totals[:] = 0
        self._run(lambda part: self._roll_out_slice(part, steps))
        return Totals(steps * self.num_envs, *self._totals.sum(axis=0).tolist())

    def _roll_out_slice(self, part: Slice, steps: int) -> None:
        across, limit, scored = self._kernel.HISTORY, self._limit, self._scored
        totals, ends, seen = part.totals, part.ends, part.seen
        self._driver.roll_out_all(
            part.state, part.history, across, 1, steps, limit, scored, totals, ends, self._layout, seen
        )

    def _run(self, work: Any) -> None:
        """Does the work for every slice, the last one in this thread."""
        others = [self._pool.submit(work, part) for part in self._slices[:-1]] if self._pool else []
        work(self._slices[-1])
        for other in others:
            other.result()
