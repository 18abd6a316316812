"""The batched environment on a GPU: the same functions inside CUDA kernels, one thread a game, one launch a step.

Each thread plays its game and leaves the bit sets of its observation in shared memory; then the threads of a warp write
the bytes of all its games together, sixteen of them side by side, so that memory sees whole lines.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from ludus.core.errors import IllegalAction, NoDevice
from ludus.core.kernel import for_cuda
from ludus.envs.batched import driver
from ludus.envs.batched.batch import Batch, Step, Totals, check_actions

if not hasattr(np, "row_stack"):  # numba-cuda up to 0.2x asks for it, NumPy 2.5 has dropped it
    np.row_stack = np.vstack
from numba import config, int8, int64
from numba import cuda as untyped_cuda

cuda: Any = untyped_cuda
BLOCK, WARP = 128, 32
TEAM = 16
"""Threads that write one game's bytes together."""
MOST = (1 << 28) - 1
"""The highest number a game can have. `& MOST` tells the compiler that an index is not negative."""


class CudaBatch(Batch):
    device: ClassVar[str] = "cuda"

    def __init__(self, game: str, num_envs: int, **options: Any) -> None:
        if not cuda.is_available():
            raise NoDevice("there is no CUDA device on this machine; device='cpu' runs everywhere")
        super().__init__(game, num_envs, **options)

    def _allocate(self) -> None:
        n, kernel = self.num_envs, self._kernel
        self._begin, self._step, self._play = kernels(kernel, self._layout)
        shared = BLOCK * max(kernel.COMPACT, kernel.PACKED_OBSERVATION + kernel.PACKED_MASK) * 8
        self._grid = (n + BLOCK - 1) // BLOCK, BLOCK, 0, shared
        observation_width, mask_width = self._widths
        self._state = cuda.device_array((kernel.WORDS, n), np.int64)
        self._history = cuda.device_array(n * kernel.HISTORY + 1, np.int64)
        self._ends = tuple(cuda.device_array(n, np.int8) for _ in range(3))
        self._seen = (
            cuda.device_array(n * observation_width, np.int64),
            cuda.device_array(n * mask_width, np.int64),
            cuda.device_array(n, np.int8),
        )
        self._totals = cuda.device_array(4, np.int64)
        self._illegal = cuda.to_device(np.full(1, -1, np.int64))
        self._no_actions = cuda.device_array(1, np.int64)
        reward, terminated, truncated = self._ends
        rows = self._seen[0].reshape(n, observation_width), self._seen[1].reshape(n, mask_width)
        self._views = Step(*self._shaped(*rows), reward, terminated, truncated, self._seen[2])

    def reset(self, *, seed: int | None = None) -> Step:
        old = None if seed is not None else self._state.copy_to_host()
        fresh = np.ascontiguousarray(self._fresh_state(seed, old)[: self._kernel.WORDS])
        self._state.copy_to_device(fresh)
        for array in self._ends:
            array.copy_to_device(np.zeros(self.num_envs, np.int8))
        self._begin[self._grid](self._state, *self._seen)
        return self._views

    def step(self, actions: Any = None, *, check: bool = True) -> Step:
        """One action in each game; None plays at random.

        An action that is not legal changes nothing in its game, and raises once all games have been stepped. Without
        `check` nothing waits for the device, and `raise_illegal` tells later.
        """
        is_random = actions is None
        if not is_random:
            check_actions(actions, self.num_envs)
        chosen = self._no_actions if is_random else cuda.as_cuda_array(actions) if is_on_device(actions) else actions
        self._step[self._grid](
            self._state, self._history, chosen, is_random, self._limit, self._scored, *self._ends, *self._seen,
            self._illegal,
        )  # fmt: skip
        if check and not is_random:
            self.raise_illegal()
        return self._views

    def raise_illegal(self) -> None:
        """Raises if an action since the last call was not legal."""
        game = int(self._illegal.copy_to_host()[0])
        if game >= 0:
            self._illegal.copy_to_device(np.full(1, -1, np.int64))
            raise IllegalAction(f"an action was not legal in game {game}; that game stands as it stood")

    def _roll_out(self, steps: int) -> Totals:
        return self.play(steps, show=False)

    def play(self, steps: int, *, show: bool = True) -> Totals:
        """Random play in one launch; `show` writes observation and mask after every step, not only after the last."""
        self._totals.copy_to_device(np.zeros(4, np.int64))
        self._play[self._grid](
            self._state, self._history, steps, show, self._limit, self._scored, *self._ends, *self._seen, self._totals
        )
        return Totals(steps * self.num_envs, *self._totals.copy_to_host().tolist())

    def _host(self, array: Any) -> Any:
        return array.copy_to_host()


def is_on_device(array: Any) -> bool:
    return hasattr(array, "__cuda_array_interface__")


@cache
def kernels(game: ModuleType, layout: int) -> tuple[Any, Any, Any]:
    """The launches for one game and layout: begin all games, step them, play many steps.

    Their shared memory holds the bit sets of each game of the block, written as words and read as bytes.
    """
    names, steps = for_cuda(game), for_cuda(driver, game)
    begin, pick_random, is_legal = names.begin, names.pick_random, names.is_legal
    observation_word, mask_word, advance = names.observation_word, names.mask_word, steps.advance
    player_at, seen, masks, cut = game.PLAYER, game.PACKED_OBSERVATION, game.PACKED_MASK, driver.CUT
    words, mask_words, is_bytes = game.OBSERVATION_WORDS, game.MASK_WORDS, layout == driver.BYTES
    width, remembered = game.COMPACT if is_bytes else seen + masks, game.HISTORY
    kept, room = game.WORDS, (game.WORDS, BLOCK)
    write_packed, write_compact = names.write_packed, names.write_compact
    is_simulated = bool(config.ENABLE_CUDASIM)  # type: ignore[attr-defined]  # it takes a block for a warp

    @cuda.jit(device=True)  # type: ignore[untyped-decorator]
    def wait() -> None:
        """For the rest of the warp, whose games are written together."""
        if is_simulated:
            cuda.syncthreads()
        else:
            cuda.syncwarp()

    @cuda.jit(device=True)  # type: ignore[untyped-decorator]
    def leave(state: Any, i: int) -> None:
        """Puts what can be seen of a game where the block's threads find it."""
        packed, at = cuda.shared.array(0, int64), (cuda.threadIdx.x & BLOCK - 1) * width
        if is_bytes:
            write_compact(state, i, packed, at)
        else:
            write_packed(state, i, packed, at, packed, at + seen)

    @cuda.jit(device=True)  # type: ignore[untyped-decorator]
    def write_together(i: int, n: int, observation: Any, mask: Any) -> None:
        """All games of the warp, sixteen threads to a game."""
        packed, pieces = cuda.shared.array(0, int64), cuda.shared.array(0, int8)
        lane = cuda.threadIdx.x & TEAM - 1
        for turn in range(TEAM):
            mate = turn * 2 + (cuda.threadIdx.x >> 4 & 1)
            row, base = (i & MOST - WARP + 1) + mate, ((cuda.threadIdx.x & BLOCK - WARP) + mate) * width
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
                        mask[row * mask_words + word] = mask_word(pieces, (base + seen) * 8, word)
            else:
                if lane < seen:
                    observation[row * seen + lane] = packed[base + lane]
                if lane < masks:
                    mask[row * masks + lane] = packed[base + seen + lane]

    @cuda.jit  # type: ignore[untyped-decorator]
    def begin_all(state: Any, observation: Any, mask: Any, to_play: Any) -> None:
        i, n = cuda.grid(1) & MOST, to_play.shape[0]
        if i < n:
            begin(state, i)
            to_play[i] = state[player_at, i]
            leave(state, i)
        wait()
        write_together(i, n, observation, mask)

    @cuda.jit  # type: ignore[untyped-decorator]
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
        i, n = cuda.grid(1) & MOST, to_play.shape[0]
        if i < n:
            action = pick_random(state, i) if is_random else actions[i]
            end = 0
            if is_random or is_legal(state, i, action):
                end = advance(state, i, history, i * remembered, 1, action, limit)
            else:
                illegal[0] = i
            reward[i] = end >> 2 if scored else end >> 2 != 0
            terminated[i] = end != 0 and end != cut
            truncated[i] = end == cut
            to_play[i] = state[player_at, i]
            leave(state, i)
        wait()
        write_together(i, n, observation, mask)

    @cuda.jit  # type: ignore[untyped-decorator]
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
        """The games' columns stay in shared memory, so that only what is shown goes through the device's."""
        i, n, me = cuda.grid(1) & MOST, to_play.shape[0], cuda.threadIdx.x & BLOCK - 1
        own = cuda.shared.array(room, int64)
        if i < n:
            for word in range(kept):
                own[word, me] = state[word, i]
        for left in range(steps, 0, -1):
            if i < n:
                player = own[player_at, me]
                end = advance(own, me, history, i * remembered, 1, pick_random(own, me), limit)
                if end:
                    cuda.atomic.add(totals, player if end & 3 == 1 else end & 3, 1)
                if show or left == 1:
                    reward[i] = end >> 2 if scored else end >> 2 != 0
                    terminated[i] = end != 0 and end != cut
                    truncated[i] = end == cut
                    to_play[i] = own[player_at, me]
                    leave(own, me)
            if show or left == 1:
                wait()
                write_together(i, n, observation, mask)
                wait()
        if i < n:
            for word in range(kept):
                state[word, i] = own[word, me]

    return begin_all, step_all, play_all
