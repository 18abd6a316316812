"""The batched environment on all cores, each with a shard of the games.

Shards run on plain threads, since compiled code releases the GIL. Numba's own parallel loops would do, but their
threading layers either spin while they wait or can't be entered twice.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from ludus.core.cores import cores
from ludus.core.errors import IllegalAction, MalformedAction
from ludus.core.kernel import compiled
from ludus.envs.batched import driver
from ludus.envs.batched.environment import Batch, Options, Step, Totals, check_actions, padded, read_where
from ludus.envs.options import check_integer, check_seed

MIN_SHARD = 2048
"""Games below which another thread doesn't pay."""


class Shard(NamedTuple):
    """One thread's part of the arrays."""

    start: int
    stop: int
    state: Any
    last: Any
    history: Any
    transition: tuple[Any, Any, Any]
    view: tuple[Any, Any, Any]
    totals: Any


def as_array(actions: Any) -> NDArray[Any]:
    try:
        return np.asarray(actions)
    except (TypeError, ValueError):
        raise MalformedAction("actions must be a row of integers") from None


def illegal_action(actions: Any, game: int) -> IllegalAction:
    return IllegalAction(f"action {actions[game]} is not legal in game {game}; nothing was played")


class CpuBatch(Batch[NDArray[Any]]):
    device: ClassVar[str] = "cpu"

    def __init__(self, game: str, num_envs: int, *, threads: int | None = None, **options: Unpack[Options]) -> None:
        self._wanted = cores() if threads is None else check_integer("threads", threads, 1)
        self._threads = max(1, min(self._wanted, check_integer("num_envs", num_envs, 1) // MIN_SHARD))
        self._pool = ThreadPoolExecutor(self._threads - 1, "ludus") if self._threads > 1 else None
        super().__init__(game, num_envs, **options)

    def _allocate(self) -> None:
        n, kernel = self.num_envs, self._kernel
        self._driver = compiled(driver, kernel)
        observation_width, mask_width = self._widths
        self._state = np.zeros((n, padded(kernel.WORDS)), np.int64).T
        self._last = np.zeros((n, padded(kernel.WORDS)), np.int64).T
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
                self._last[:, a:b],
                self._history[a * kernel.HISTORY :],
                (transition[0][a:b], transition[1][a:b], transition[2][a:b]),
                (view[0][a:b], view[1][a:b], view[2][a:b]),
                self._totals[a:b],
            )
            for a, b in pairwise(cuts)
        ]

    def reset(self, *, seed: int | None = None, where: Any = None) -> Step[NDArray[Any]]:
        games = read_where(where, self.num_envs)
        if seed is None:
            self._refresh(games, driver.CONTINUE)
        else:
            self._refresh(games, driver.SEED, check_seed(seed))
        return self._views

    def _refresh(self, games: Any, task: int, seed: int = 0) -> None:
        which = np.zeros(self.num_envs, np.bool_)
        which[games] = True
        self._run(lambda shard: self._refresh_shard(shard, which, task, seed))

    def _refresh_shard(self, shard: Shard, which: Any, task: int, seed: int) -> None:
        mine = which[shard.start : shard.stop]
        self._driver.refresh(
            shard.state, shard.start, mine, task, self._initial, seed, self._layout, shard.transition, shard.view
        )

    def save(self) -> NDArray[np.int64]:
        states, words = np.empty((self.num_envs, self.state_words), np.int64), self._format
        states[:, driver.TAG], states[:, driver.OUTCOME] = words.tag, 0
        states[:, words.column] = self._state.T[:, : self._kernel.WORDS]
        states[:, words.history] = self._past
        return states

    def restore(self, states: Any, where: Any = None) -> Step[NDArray[Any]]:
        games, words = read_where(where, self.num_envs), self._format
        rows = words.check(states, len(games))
        words.check_open(rows)
        self._state.T[games, : self._kernel.WORDS] = rows[:, words.column]
        self._past[games] = rows[:, words.history]
        self._refresh(games, driver.SHOW)
        return self._views

    @property
    def _past(self) -> Any:
        """The history, a row a game."""
        return self._history[:-1].reshape(self.num_envs, self._kernel.HISTORY)

    def _contents(self) -> dict[str, NDArray[Any]]:
        """All that a copy needs, a row a game."""
        return {"state": self._state.T, "past": self._past, "last": self._last.T} | self._views._asdict()

    def _copy_to(self, other: Self, games: NDArray[np.int64]) -> None:
        own = self._contents()
        for name, rows in other._contents().items():
            rows[:] = own[name][games]

    def _options(self) -> dict[str, Any]:
        return super()._options() | {"threads": self._wanted}

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
        mine, limit, scored = actions[shard.start : shard.stop], self._limit, self._scored
        self._driver.step_all(
            shard.state, shard.last, shard.history, mine, is_random, limit, scored, shard.transition, self._layout,
            shard.view,
        )  # fmt: skip

    def _check_legal(self, actions: Any) -> None:
        bad = self._driver.find_illegal(self._state, actions)
        if bad >= 0:
            raise illegal_action(actions, bad)

    def _rollout(self, steps: int) -> Totals:
        self._totals[:] = 0
        self._run(lambda shard: self._rollout_shard(shard, steps))
        return Totals(steps * self.num_envs, *self._totals.sum(axis=0).tolist())

    def _rollout_shard(self, shard: Shard, steps: int) -> None:
        limit, scored = self._limit, self._scored
        self._driver.rollout_all(
            shard.state, shard.last, shard.history, steps, limit, scored, shard.totals, shard.transition, self._layout,
            shard.view,
        )  # fmt: skip

    def _run(self, work: Any) -> None:
        """Does the work for every shard, the last one in this thread."""
        others = [self._pool.submit(work, shard) for shard in self._shards[:-1]] if self._pool else []
        work(self._shards[-1])
        for other in others:
            other.result()
