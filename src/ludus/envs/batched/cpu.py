"""The batched environment on all cores, each with a shard of the games.

Shards run on plain threads, since compiled code releases the GIL. Numba's own parallel loops would do, but their
threading layers either spin while they wait or can't be entered twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from ludus.core.cores import cores
from ludus.core.errors import IllegalAction
from ludus.core.kernel import compiled
from ludus.envs.batched import driver
from ludus.envs.batched.afterstates import Afterstates, Listing, NotListed, read_chosen
from ludus.envs.batched.afterstates.cpu import list_afterstates, roll_dice
from ludus.envs.batched.environment import (
    Batch,
    FinalStep,
    Options,
    Step,
    Totals,
    as_actions,
    keys,
    padded,
    read_dice,
    read_where,
)
from ludus.envs.batched.functions import Chance, StatelessEnv, View, impossible_dice
from ludus.envs.options import check_integer, check_seed
from ludus.envs.sampling.cpu import ColumnSampler, Softmax

MIN_SHARD = 2048
"""Another thread doesn't pay for fewer games than this."""
NOTHING = np.zeros(0, np.int64)
Part = TypeVar("Part")


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


def illegal_action(actions: Any, game: int) -> IllegalAction:
    return IllegalAction(f"action {actions[game]} is not legal in game {game}; nothing was played")


def refuse_illegal(actions: Any, game: int) -> None:
    """`game` is the first one whose action is illegal, or -1."""
    if game >= 0:
        raise illegal_action(actions, game)


class Workers:
    """Threads that each do a part of the work, including the caller's."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pools: dict[int, ThreadPoolExecutor] = {}

    def run(self, work: Callable[[Part], object], parts: Sequence[Part]) -> None:
        if self._threads == 1 or len(parts) == 1:  # even an empty wait costs as much as fifty games
            work(parts[-1])
            return
        pool = self._pool()
        others = [pool.submit(work, part) for part in parts[:-1]]
        try:
            work(parts[-1])
        finally:
            wait(others)  # after an error too, so that none is still running at the next call
        for other in others:
            other.result()

    def _pool(self) -> ThreadPoolExecutor:
        """The process's threads; a forked process has none of its parent's."""
        process = os.getpid()
        if process not in self._pools:
            self._pools = {process: ThreadPoolExecutor(self._threads - 1, "ludus")}
        return self._pools[process]


def cut(number: int, threads: int) -> list[slice]:
    """Cuts the games into even parts, no more than are worth a thread."""
    parts = max(1, min(threads, number // MIN_SHARD))
    return [slice(a, b) for a, b in pairwise(number * k // parts for k in range(parts + 1))]


def new_view(number: int, widths: tuple[int, int]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    seen, mask = (np.zeros((number, width), np.int64) for width in widths)
    return seen, mask, np.zeros(number, np.int8)


def new_scratch(kernel: Any) -> NDArray[np.int64]:
    """A thread's own room for a block of columns."""
    return np.zeros((driver.BLOCK, padded(kernel.WORDS)), np.int64).T


def with_dice(loops: Any, kernel: Any, rows: NDArray[np.int64], dice: Any) -> NDArray[np.int64]:
    """The same states with these dice."""
    new = np.empty_like(rows)
    bad = loops.set_dice_of_rows(rows, read_dice(dice, len(rows)), new_scratch(kernel), new)
    if bad >= 0:
        raise impossible_dice(bad)
    return new


class CpuBatch(Batch[NDArray[Any]]):
    device: ClassVar[str] = "cpu"

    def __init__(self, game: str, num_envs: int, *, threads: int | None = None, **options: Unpack[Options]) -> None:
        self._wanted = cores() if threads is None else check_integer("threads", threads, 1)
        self._parts = cut(check_integer("num_envs", num_envs, 1), self._wanted)
        self._threads = len(self._parts)
        self._workers = Workers(self._threads)
        super().__init__(game, num_envs, **options)

    def _allocate(self) -> None:
        self._listed: Listing | None = None
        self._drawn = NOTHING
        n, kernel = self.num_envs, self._kernel
        self._driver = compiled(driver, kernel)
        self._latest = int(getattr(kernel, "LATEST", -1))
        self._state = np.zeros((n, padded(kernel.WORDS)), np.int64).T
        self._last = np.zeros((n, padded(kernel.WORDS)), np.int64).T
        self._history = np.zeros(n * kernel.HISTORY + 1, np.int64)
        transition = np.zeros(n, self._encoding.reward), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        view = new_view(n, self._widths)
        self._totals = np.zeros((n, 4), np.int64)
        self._views = Step(*self._shaped(*view[:2]), *transition, view[2])
        self._random = np.zeros(n, np.int64)
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
            for a, b in ((part.start, part.stop) for part in self._parts)
        ]

    @cached_property
    def _sampler(self) -> ColumnSampler:
        return ColumnSampler(self._kernel, self._state, self._samples, self._threads)

    def _draw(self, logits: Any, purpose: int, softmax: Softmax, log_probs: bool) -> int:
        """Samples from the softmax; `step` needn't check these actions again. Returns the first bad row, or -1."""
        self._drawn = NOTHING
        bad = self._sampler.sample(logits, purpose, softmax, log_probs)
        if bad < 0:
            self._drawn = self._sampler.drawn
        return bad

    def _draw_random(self) -> None:
        self._sampler.sample_random()
        self._drawn = self._sampler.drawn

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

    def save(self, where: Any = None) -> NDArray[np.int64]:
        games = slice(None) if where is None else read_where(where, self.num_envs)
        columns, words = self._state.T[games], self._format
        states = np.empty((len(columns), self.state_words), np.int64)
        states[:, driver.TAG], states[:, driver.OUTCOME] = words.tag, 0
        states[:, words.column] = columns[:, : self._kernel.WORDS]
        states[:, words.history] = self._past[games]
        return states

    def restore(self, states: Any, where: Any = None) -> Step[NDArray[Any]]:
        games = read_where(where, self.num_envs)
        rows = self._format.check(states, len(games))
        self._format.check_open(rows)
        self._format.check_rolled(rows)
        self._put(rows, games)
        self._refresh(games, driver.SHOW)
        return self._views

    def _put(self, rows: NDArray[np.int64], games: NDArray[np.int64]) -> None:
        """Copies the columns and the history of saved states into these games."""
        self._state.T[games, : self._kernel.WORDS] = rows[:, self._format.column]
        self._past[games] = rows[:, self._format.history]

    def _with_dice(self, rows: NDArray[np.int64], dice: Any) -> NDArray[np.int64]:
        return with_dice(self._driver, self._kernel, rows, dice)

    @property
    def final(self) -> FinalStep[NDArray[Any]]:
        which = self.terminated | self.truncated
        rows = np.zeros((np.count_nonzero(which), self.state_words), np.int64)
        rows[:, driver.OUTCOME] = np.where(self.truncated[which], driver.TRUNCATED, driver.WON)
        rows[:, self._format.column] = self._last.T[which, : self._kernel.WORDS]
        seen, mask, to_play = view = new_view(len(rows), self._widths)
        self._driver.observe_rows(rows, new_scratch(self._kernel), self._layout, view)
        return FinalStep(which, *self._shaped(seen, mask), to_play)

    @property
    def _past(self) -> Any:
        """The history, a row per game."""
        return self._history[:-1].reshape(self.num_envs, self._kernel.HISTORY)

    def _rows(self) -> dict[str, NDArray[Any]]:
        """The arrays that a copy needs, a row per game."""
        return {"state": self._state.T, "past": self._past, "last": self._last.T} | self._views._asdict()

    def _contents(self, games: Any = slice(None)) -> dict[str, Any]:
        return {name: rows[games] for name, rows in self._rows().items()}

    def _fill(self, contents: Mapping[str, Any]) -> None:
        self._drawn = NOTHING
        for name, rows in self._rows().items():
            rows[:] = contents[name]

    def _copy_to(self, other: Self, games: NDArray[np.int64]) -> None:
        other._fill(self._contents(games))

    def _options(self) -> dict[str, Any]:
        return super()._options() | {"threads": self._wanted}

    def step(self, actions: Any = None) -> Step[NDArray[Any]]:
        is_random = actions is None
        chosen = self._random if is_random else as_actions(actions, self.num_envs)
        if len(self._shards) == 1:
            bad = self._step(self._shards[0], chosen, driver.RANDOM if is_random else driver.CHECKED)
            refuse_illegal(chosen, bad)
            self._drawn = NOTHING
            return self._views
        if not is_random:
            refuse_illegal(chosen, self._driver.find_illegal(self._state, chosen, self._drawn))
        source = driver.RANDOM if is_random else driver.LEGAL
        self._run(lambda shard: self._step(shard, chosen[shard.start : shard.stop], source))
        return self._views

    def _step(self, shard: Shard, actions: Any, source: int) -> int:
        return self._driver.step_all(  # type: ignore[no-any-return]  # compiled
            shard.state, shard.last, shard.history, actions, self._drawn, source, self._latest, self._limit,
            self._scored, shard.transition, self._layout, shard.view,
        )  # fmt: skip

    def afterstates(self) -> Afterstates[NDArray[Any]]:
        states = self.save()
        self._listed = Listing(states, list_afterstates(self, states, self._wanted))
        return self._listed.afterstates

    def step_afterstates(self, chosen: Any) -> Step[NDArray[Any]]:
        now = self._state.T[:, : self._kernel.WORDS]
        if self._listed is None or not np.array_equal(now, self._listed.states[:, self._format.column]):
            raise NotListed
        found = self._listed.afterstates
        rows = found.offsets[:-1] + read_chosen(chosen, found.counts)
        self._run(lambda shard: self._step_moves(shard, found.actions, rows[shard.start : shard.stop]))
        return self._views

    def _step_moves(self, shard: Shard, moves: Any, rows: Any) -> None:
        self._driver.step_moves(
            shard.state, shard.last, shard.history, moves, rows, self._limit, self._scored, shard.transition,
            self._layout, shard.view,
        )  # fmt: skip

    def _check_legal(self, actions: Any) -> None:
        refuse_illegal(actions, self._driver.find_illegal(self._state, actions, NOTHING))

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

    def _run(self, work: Callable[[Shard], object]) -> None:
        """Does the work for every shard. Most work changes the games."""
        self._drawn = NOTHING
        self._workers.run(work, self._shards)


class CpuStatelessEnv(StatelessEnv[NDArray[Any]]):
    device: ClassVar[str] = "cpu"

    def __init__(self, game: str, *, threads: int | None = None, **options: Any) -> None:
        super().__init__(game, **options)
        self._threads = cores() if threads is None else check_integer("threads", threads, 1)
        self._workers = Workers(self._threads)
        self._driver = compiled(driver, self._kernel)

    def _options(self) -> dict[str, Any]:
        return super()._options() | {"threads": self._threads}

    def _init(self, num: int, seed: int | None) -> NDArray[np.int64]:
        states, seed = np.zeros((num, self.state_words), np.int64), check_seed(seed)

        def work(part: slice) -> None:
            self._driver.init_rows(
                states[part], new_scratch(self._kernel), part.start, self._format.tag, self._initial, seed
            )

        self._run(work, num)
        return states

    def observe(self, states: Any) -> View[NDArray[Any]]:
        rows = self._read(states)
        seen, mask, to_play = new_view(len(rows), self._widths)

        def work(part: slice) -> None:
            self._driver.observe_rows(
                rows[part], new_scratch(self._kernel), self._layout, (seen[part], mask[part], to_play[part])
            )

        self._run(work, len(rows))
        return View(*self._shaped(seen, mask), to_play)

    def step(self, states: Any, actions: Any = None) -> tuple[NDArray[np.int64], Step[NDArray[Any]]]:
        rows = self._read(states)
        self._format.check_rolled(rows)
        n, is_random = len(rows), actions is None
        chosen, new = np.zeros(n, np.int64) if is_random else as_actions(actions, n), np.empty_like(rows)
        transition = np.zeros(n, self._encoding.reward), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        view = new_view(n, self._widths)
        illegal = []

        def work(part: slice) -> None:
            after, scratch = new[part], new_scratch(self._kernel)
            bad = self._driver.step_rows(
                rows[part], after, after.reshape(-1), scratch, chosen[part], is_random, self._limit, self._scored,
                tuple(array[part] for array in transition), self._layout, tuple(array[part] for array in view),
            )  # fmt: skip
            if bad >= 0:
                illegal.append(part.start + bad)

        self._run(work, n)
        if illegal:
            raise illegal_action(chosen, min(illegal))
        return new, Step(*self._shaped(*view[:2]), *transition, view[2])

    def chance(self, states: Any) -> Chance[NDArray[Any]]:
        rows = self._read(states)
        counts = np.ones(len(rows), np.int64)
        if not self.has_dice:
            return Chance(rows.copy(), counts, np.arange(len(rows) + 1))
        scratch, offsets = new_scratch(self._kernel), np.zeros(len(rows) + 1, np.int64)
        self._driver.count_rolls(rows, scratch, counts)
        counts.cumsum(out=offsets[1:])
        new = np.empty((offsets[-1], self.state_words), np.int64)
        weights = np.empty(len(new), np.int64)
        self._driver.expand_rolls(rows, offsets, scratch, new, weights)
        return Chance(new, weights, offsets)

    def afterstates(self, states: Any) -> Afterstates[NDArray[Any]]:
        return list_afterstates(self, self._read(states), self._threads)

    def roll(self, states: Any) -> NDArray[np.int64]:
        return roll_dice(self, self._read(states).copy())

    def set_dice(self, states: Any, dice: Any) -> NDArray[np.int64]:
        self._check_dice()
        return with_dice(self._driver, self._kernel, self._read(states), dice)

    def set_positions(self, states: Any, positions: Any) -> NDArray[np.int64]:
        return self._placed(self._read(states), positions)

    def reseed(self, states: Any, seed: int | None) -> NDArray[np.int64]:
        new = self._read(states).copy()
        new[:, driver.HEADER + self._kernel.KEY] = keys(check_seed(seed), len(new))
        return new

    def _read(self, states: Any) -> NDArray[np.int64]:
        return np.ascontiguousarray(self._format.check(states))

    def _run(self, work: Callable[[slice], None], number: int) -> None:
        self._workers.run(work, cut(number, self._threads))
