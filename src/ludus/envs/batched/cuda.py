"""The batched environment on a GPU: the same functions inside CUDA kernels, one thread a game, one launch a step.

Each thread plays its game and stages the bit sets of its observation in shared memory; then the threads of a warp write
the bytes of all its games together, sixteen threads a game, so that writes to memory are coalesced.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, ClassVar, Unpack

import numpy as np
from numba import config, int8, int64

from ludus.core.cuda import ADVICE, cuda
from ludus.core.errors import IllegalAction, NoDevice
from ludus.core.kernel import for_cuda
from ludus.envs.batched import driver
from ludus.envs.batched.environment import Batch, Options, Step, Totals, check_actions

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
        self._reset, self._step, self._play = kernels(kernel, self._layout)
        shared = BLOCK * max(kernel.COMPACT, kernel.PACKED_OBSERVATION + kernel.PACKED_MASK) * 8
        self._grid = (n + BLOCK - 1) // BLOCK, BLOCK, 0, shared
        observation_width, mask_width = self._widths
        self._state = cuda.device_array((kernel.WORDS, n), np.int64)
        self._history = cuda.device_array(n * kernel.HISTORY + 1, np.int64)
        self._transition = tuple(cuda.device_array(n, kind) for kind in (self._encoding.reward, np.int8, np.int8))
        self._view = (
            cuda.device_array(n * observation_width, np.int64),
            cuda.device_array(n * mask_width, np.int64),
            cuda.device_array(n, np.int8),
        )
        self._totals = cuda.device_array(4, np.int64)
        self._illegal = cuda.to_device(np.full(1, -1, np.int64))
        self._no_actions = cuda.device_array(1, np.int64)
        reward, terminated, truncated = self._transition
        rows = self._view[0].reshape(n, observation_width), self._view[1].reshape(n, mask_width)
        self._views = Step(*self._shaped(*rows), reward, terminated, truncated, self._view[2])

    def reset(self, *, seed: int | None = None) -> Step[Any]:
        old = None if seed is not None else self._state.copy_to_host()
        fresh = np.ascontiguousarray(self._initial_state(seed, old)[: self._kernel.WORDS])
        self._state.copy_to_device(fresh)
        for array in self._transition:
            array.copy_to_device(np.zeros(self.num_envs, array.dtype))
        self._reset[self._grid](self._state, *self._view)
        return self._views

    def step(self, actions: Any = None, *, check: bool = True) -> Step[Any]:
        """Plays one action in each game, random ones for None.

        An illegal action leaves its game unchanged and raises after the others have been stepped. Without `check` the
        host doesn't wait for the device; call `raise_illegal` later.
        """
        is_random = actions is None
        if not is_random:
            check_actions(actions, self.num_envs)
        chosen = self._no_actions if is_random else cuda.as_cuda_array(actions) if is_on_device(actions) else actions
        self._step[self._grid](
            self._state, self._history, chosen, is_random, self._limit, self._scored, *self._transition, *self._view,
            self._illegal,
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
        self._play[self._grid](
            self._state, self._history, steps, show, self._limit, self._scored, *self._transition, *self._view,
            self._totals,
        )  # fmt: skip
        return Totals(steps * self.num_envs, *self._totals.copy_to_host().tolist())

    def _host(self, array: Any) -> Any:
        return array.copy_to_host()


def is_on_device(array: Any) -> bool:
    return hasattr(array, "__cuda_array_interface__")


@cache
def kernels(game: ModuleType, layout: int) -> tuple[Any, Any, Any]:
    """The launches for one game and layout: reset all games, step them, play many steps.

    Their shared memory holds the bit sets of each game of the block, written as words and read as bytes.
    """
    names, loops = for_cuda(game), for_cuda(driver, game)
    reset, sample_action, is_legal = names.reset, names.sample_action, names.is_legal
    observation_word, mask_word = names.observation_word, names.mask_word
    advance, write_transition, result = loops.advance, loops.write_transition, loops.result
    player_row, packed_words, packed_mask = game.PLAYER, game.PACKED_OBSERVATION, game.PACKED_MASK
    words, mask_words, is_bytes = game.OBSERVATION_WORDS, game.MASK_WORDS, layout == driver.BYTES
    width, history_words = game.COMPACT if is_bytes else packed_words + packed_mask, game.HISTORY
    state_words, block_shape = game.WORDS, (game.WORDS, BLOCK)
    write_packed, write_compact = names.write_packed, names.write_compact

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
    def reset_all(state: Any, observation: Any, mask: Any, to_play: Any) -> None:
        i, n = cuda.grid(1) & MAX_INDEX, to_play.shape[0]
        if i < n:
            reset(state, i)
            to_play[i] = state[player_row, i]
            stage(state, i)
        sync()
        write_warp(i, n, observation, mask)

    @cuda.jit
    def step_all(
        state: Any,
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
                end = advance(state, i, history, i * history_words, action, limit)
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
                end = advance(own, me, history, i * history_words, sample_action(own, me), limit)
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

    return reset_all, step_all, play_all
