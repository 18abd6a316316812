"""The batched environment on a GPU: the same functions inside CUDA kernels, one thread a game, one launch a step.

Each thread plays its game and stages the bit sets of its observation in shared memory; then the threads of a warp write
the bytes of all its games together, sixteen threads a game, so that writes to memory are coalesced.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, Self, Unpack

import numpy as np
from numba import config, int8, int64
from numpy.typing import NDArray

from ludus.core.cuda import ADVICE, cuda
from ludus.core.errors import GameIsOver, IllegalAction, NoDevice
from ludus.core.kernel import for_cuda
from ludus.envs.batched import driver
from ludus.envs.batched.environment import Batch, Options, Step, Totals, check_actions, read_where
from ludus.envs.batched.states import StateFormat
from ludus.envs.options import check_seed

IS_SIMULATED = bool(config.ENABLE_CUDASIM)  # type: ignore[attr-defined]  # Numba makes its settings at run time
WARP = 32
BLOCK = 64 if IS_SIMULATED else 128
"""The simulator starts a thread of the host for each of these, also where there are fewer games."""
TEAM = 16
"""Threads that write one game's bytes together."""
MAX_INDEX = (1 << 28) - 1
"""`& MAX_INDEX` tells the compiler that a game's index is not negative."""


class CudaBatch(Batch[Any]):
    device: ClassVar[str] = "cuda"

    def __init__(self, game: str, num_envs: int, **options: Unpack[Options]) -> None:
        if not cuda.is_available():
            raise NoDevice(f"Numba finds no CUDA device; {ADVICE}")
        super().__init__(game, num_envs, **options)

    def _allocate(self) -> None:
        n, kernel = self.num_envs, self._kernel
        self._launch = kernels(kernel, self._layout)
        shared = BLOCK * max(kernel.COMPACT, kernel.PACKED_OBSERVATION + kernel.PACKED_MASK) * 8
        self._grid = (n + BLOCK - 1) // BLOCK, BLOCK, 0, shared
        observation_width, mask_width = self._widths
        self._state = cuda.device_array((kernel.WORDS, n), np.int64)
        self._last = cuda.device_array((kernel.WORDS, n), np.int64)
        self._history = cuda.to_device(np.zeros(n * kernel.HISTORY + 1, np.int64))
        self._start = cuda.to_device(self._initial)
        self._transition = tuple(cuda.device_array(n, kind) for kind in (self._encoding.reward, np.int8, np.int8))
        self._view = (
            cuda.device_array(n * observation_width, np.int64),
            cuda.device_array(n * mask_width, np.int64),
            cuda.device_array(n, np.int8),
        )
        self._totals = cuda.device_array(4, np.int64)
        self._illegal = cuda.to_device(np.full(1, -1, np.int64))
        self._bad = cuda.to_device(np.full(1, -1, np.int64))
        self._no_actions = cuda.device_array(1, np.int64)
        reward, terminated, truncated = self._transition
        rows = self._view[0].reshape(n, observation_width), self._view[1].reshape(n, mask_width)
        self._views = Step(*self._shaped(*rows), reward, terminated, truncated, self._view[2])

    def reset(self, *, seed: int | None = None, where: Any = None) -> Step[Any]:
        games = read_where(where, self.num_envs)
        if seed is None:
            self._refresh(games, driver.CONTINUE)
        else:
            self._refresh(games, driver.SEED, check_seed(seed))
        return self._views

    def _refresh(self, games: NDArray[np.int64], task: int, seed: int = 0) -> None:
        which = np.zeros(self.num_envs, np.int8)
        which[games] = 1
        self._launch.refresh[self._grid](
            self._state, cuda.to_device(which), task, self._start, seed, *self._transition, *self._view
        )

    def save(self) -> Any:
        states = cuda.device_array((self.num_envs, self.state_words), np.int64)
        self._launch.save[grid_of(states.size)](self._state, self._history, self._format.tag, states)
        return states

    def restore(self, states: Any, where: Any = None) -> Step[Any]:
        games = read_where(where, self.num_envs)
        self._format.check_shape(states, len(games))
        rows = cuda.as_cuda_array(states) if is_on_device(states) else cuda.to_device(np.ascontiguousarray(states))
        self._check_rows(rows)
        self._launch.restore[grid_of(rows.size)](rows, cuda.to_device(games), self._state, self._history)
        self._refresh(games, driver.SHOW)
        return self._views

    def _check_rows(self, rows: Any) -> None:
        """Raises if a row is no state of this game, or of one that is over."""
        self._launch.check[grid_of(len(rows))](rows, self._format.tag, self._bad)
        row = int(self._bad.copy_to_host()[0])
        if row >= 0:
            self._bad.copy_to_device(np.full(1, -1, np.int64))
            found = rows[row : row + 1].copy_to_host()
            self._format.check(found)
            raise GameIsOver(f"the game in row {row} is over")

    def _copy_to(self, other: Self, games: NDArray[np.int64]) -> None:
        chosen = cuda.to_device(games)
        for source, target in zip((self._state, self._last), (other._state, other._last), strict=True):
            copy_columns[grid_of(target.size)](source, chosen, target)
        for source, target in zip(self._rows(), other._rows(), strict=True):
            copy_rows[grid_of(target.size)](source, chosen, target)

    def _rows(self) -> list[Any]:
        """All that a copy needs beside the columns, a row a game."""
        n, past = self.num_envs, self._kernel.HISTORY
        flat = [(array, 1) for array in (*self._transition, self._view[2])]
        flat += zip(self._view[:2], self._widths, strict=True)
        flat += [(self._history[: n * past], past)] if past else []
        return [array.reshape(n, width) for array, width in flat]

    def step(self, actions: Any = None, *, check: bool = True) -> Step[Any]:
        """Plays one action in each game, random ones for None.

        An illegal action leaves its game unchanged and raises after the others have been stepped. Without `check` the
        host doesn't wait for the device; call `raise_illegal` later.
        """
        is_random = actions is None
        if not is_random:
            check_actions(actions, self.num_envs)
        chosen = self._no_actions if is_random else cuda.as_cuda_array(actions) if is_on_device(actions) else actions
        self._launch.step[self._grid](
            self._state, self._last, self._history, chosen, is_random, self._limit, self._scored, *self._transition,
            *self._view, self._illegal,
        )  # fmt: skip
        if check and not is_random:
            self.raise_illegal()
        return self._views

    def raise_illegal(self) -> None:
        """Raises if any action since the last call was illegal."""
        game = int(self._illegal.copy_to_host()[0])
        if game >= 0:
            self._illegal.copy_to_device(np.full(1, -1, np.int64))
            raise IllegalAction(f"the action in game {game} is not legal; that game is unchanged")

    def _rollout(self, steps: int) -> Totals:
        return self.play(steps, show=False)

    def play(self, steps: int, *, show: bool = True) -> Totals:
        """Random play in one launch; `show` writes observation and mask after every step, not just the last."""
        self._totals.copy_to_device(np.zeros(4, np.int64))
        self._launch.play[self._grid](
            self._state, self._last, self._history, steps, show, self._limit, self._scored, *self._transition,
            *self._view, self._totals,
        )  # fmt: skip
        return Totals(steps * self.num_envs, *self._totals.copy_to_host().tolist())

    def _host(self, array: Any) -> Any:
        return array.copy_to_host()


def is_on_device(array: Any) -> bool:
    return hasattr(array, "__cuda_array_interface__")


def grid_of(threads: int) -> tuple[int, int]:
    return max(1, (threads + BLOCK - 1) // BLOCK), BLOCK


@cuda.jit
def copy_columns(source: Any, games: Any, target: Any) -> None:
    e, number = cuda.grid(1), games.shape[0]
    if e < target.size:
        target[e // number, e % number] = source[e // number, games[e % number]]


@cuda.jit
def copy_rows(source: Any, games: Any, target: Any) -> None:
    e, words = cuda.grid(1), target.shape[1]
    if e < target.size:
        target[e // words, e % words] = source[games[e // words], e % words]


class Launches(NamedTuple):
    """The CUDA kernels of one game and layout."""

    refresh: Any
    step: Any
    play: Any
    save: Any
    restore: Any
    check: Any


@cache
def kernels(game: ModuleType, layout: int) -> Launches:
    """Their shared memory holds the bit sets of each game of the block, written as words and read as bytes."""
    names, loops = for_cuda(game), for_cuda(driver, game)
    sample_action, is_legal = names.sample_action, names.is_legal
    observation_word, mask_word = names.observation_word, names.mask_word
    advance, write_transition, result, begin = loops.advance, loops.write_transition, loops.result, loops.begin
    player_row, packed_words, packed_mask = game.PLAYER, game.PACKED_OBSERVATION, game.PACKED_MASK
    words, mask_words, is_bytes = game.OBSERVATION_WORDS, game.MASK_WORDS, layout == driver.BYTES
    width, history_words = game.COMPACT if is_bytes else packed_words + packed_mask, game.HISTORY
    state_words, block_shape = game.WORDS, (game.WORDS, BLOCK)
    write_packed, write_compact = names.write_packed, names.write_compact
    row_words, tag_word, outcome_word = StateFormat.width(game), driver.TAG, driver.OUTCOME
    first_word, first_past = driver.HEADER, driver.HEADER + game.WORDS
    bounds = StateFormat.bounds_of(game)

    @cuda.jit(device=True)
    def sync() -> None:
        """Waits for the rest of the warp, whose games are written together."""
        if IS_SIMULATED:  # there a warp is a block
            cuda.syncthreads()
        else:
            cuda.syncwarp()

    @cuda.jit(device=True)
    def stage(state: Any, i: int) -> None:
        """Puts what can be seen of a game into shared memory."""
        packed, at = cuda.shared.array(0, int64), (cuda.threadIdx.x & BLOCK - 1) * width
        if is_bytes:
            write_compact(state, i, packed, at)
        else:
            write_packed(state, i, packed, at, packed, at + packed_words)

    @cuda.jit(device=True)
    def write_warp(i: int, n: int, observation: Any, mask: Any) -> None:
        """Writes all games of the warp, sixteen threads a game."""
        packed, pieces = cuda.shared.array(0, int64), cuda.shared.array(0, int8)
        lane = cuda.threadIdx.x & TEAM - 1
        for turn in range(TEAM):
            mate = turn * 2 + (cuda.threadIdx.x >> 4 & 1)
            row, base = (i & MAX_INDEX - WARP + 1) + mate, ((cuda.threadIdx.x & BLOCK - WARP) + mate) * width
            if row >= n:
                break
            if is_bytes:
                for part in range((words + TEAM - 1) // TEAM):
                    word = lane + TEAM * part
                    if word < words:
                        observation[row * words + word] = observation_word(pieces, base * 8, word)
                for part in range((mask_words + TEAM - 1) // TEAM):
                    word = lane + TEAM * part
                    if word < mask_words:
                        mask[row * mask_words + word] = mask_word(pieces, (base + packed_words) * 8, word)
            else:
                if lane < packed_words:
                    observation[row * packed_words + lane] = packed[base + lane]
                if lane < packed_mask:
                    mask[row * packed_mask + lane] = packed[base + packed_words + lane]

    @cuda.jit
    def refresh_all(
        state: Any,
        which: Any,
        task: int,
        initial: Any,
        seed: int,
        reward: Any,
        terminated: Any,
        truncated: Any,
        observation: Any,
        mask: Any,
        to_play: Any,
    ) -> None:
        i, n = cuda.grid(1) & MAX_INDEX, to_play.shape[0]
        if i < n:
            if which[i]:
                if task != driver.SHOW:
                    begin(state, i, i, task, initial, seed)
                write_transition(i, 0, False, reward, terminated, truncated)
            to_play[i] = state[player_row, i]
            stage(state, i)
        sync()
        write_warp(i, n, observation, mask)

    @cuda.jit
    def save_all(state: Any, history: Any, tag: int, rows: Any) -> None:
        """A thread a word of the rows."""
        e = cuda.grid(1)
        i, word = e // row_words, e % row_words
        if i < rows.shape[0]:
            if word == tag_word:
                rows[i, word] = tag
            elif word == outcome_word:
                rows[i, word] = 0
            elif word < first_past:
                rows[i, word] = state[word - first_word, i]
            else:
                rows[i, word] = history[i * history_words + word - first_past]

    @cuda.jit
    def restore_some(rows: Any, games: Any, state: Any, history: Any) -> None:
        e = cuda.grid(1)
        k, word = e // row_words, e % row_words
        if k < rows.shape[0] and word >= first_word:
            if word < first_past:
                state[word - first_word, games[k]] = rows[k, word]
            else:
                history[games[k] * history_words + word - first_past] = rows[k, word]

    @cuda.jit
    def check_rows(rows: Any, tag: int, bad: Any) -> None:
        k = cuda.grid(1)
        if k < rows.shape[0]:
            is_good = rows[k, tag_word] == tag and rows[k, outcome_word] == 0
            for word, high in bounds:
                is_good = is_good and 0 <= rows[k, first_word + word] <= high
            if not is_good:
                bad[0] = k

    @cuda.jit
    def step_all(
        state: Any,
        last: Any,
        history: Any,
        actions: Any,
        is_random: bool,
        limit: int,
        scored: bool,
        reward: Any,
        terminated: Any,
        truncated: Any,
        observation: Any,
        mask: Any,
        to_play: Any,
        illegal: Any,
    ) -> None:
        i, n = cuda.grid(1) & MAX_INDEX, to_play.shape[0]
        if i < n:
            action = sample_action(state, i) if is_random else actions[i]
            end = 0
            if is_random or is_legal(state, i, action):
                end = advance(state, i, history, i * history_words, action, limit, last, i)
            else:
                illegal[0] = i
            write_transition(i, end, scored, reward, terminated, truncated)
            to_play[i] = state[player_row, i]
            stage(state, i)
        sync()
        write_warp(i, n, observation, mask)

    @cuda.jit
    def play_all(
        state: Any,
        last: Any,
        history: Any,
        steps: int,
        show: bool,
        limit: int,
        scored: bool,
        reward: Any,
        terminated: Any,
        truncated: Any,
        observation: Any,
        mask: Any,
        to_play: Any,
        totals: Any,
    ) -> None:
        """Keeps the games' columns in shared memory, so that only what is shown goes through the device's."""
        i, n, me = cuda.grid(1) & MAX_INDEX, to_play.shape[0], cuda.threadIdx.x & BLOCK - 1
        own = cuda.shared.array(block_shape, int64)
        if i < n:
            for word in range(state_words):
                own[word, me] = state[word, i]
        for left in range(steps, 0, -1):
            if i < n:
                player = own[player_row, me]
                end = advance(own, me, history, i * history_words, sample_action(own, me), limit, last, i)
                if end:
                    cuda.atomic.add(totals, result(player, end), 1)
                if show or left == 1:
                    write_transition(i, end, scored, reward, terminated, truncated)
                    to_play[i] = own[player_row, me]
                    stage(own, me)
            if show or left == 1:
                sync()
                write_warp(i, n, observation, mask)
                sync()
        if i < n:
            for word in range(state_words):
                state[word, i] = own[word, me]

    return Launches(refresh_all, step_all, play_all, save_all, restore_some, check_rows)
