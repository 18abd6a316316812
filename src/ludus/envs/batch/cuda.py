"""The batched environment on a GPU: the same functions inside CUDA kernels, one thread a game, one launch a step.

Each thread plays its game and leaves the bit sets of its observation in shared memory; then the block's threads write
the bytes of all its games together, sixteen of them side by side, so that memory sees whole lines.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from ludus.core.errors import IllegalAction, NoDevice
from ludus.core.kernel import for_cuda
from ludus.envs.batch import driver
from ludus.envs.batch.batch import Batch, Step, Totals, check_actions

if not hasattr(np, "row_stack"):  # numba-cuda up to 0.2x asks for it, NumPy 2.5 has dropped it
    np.row_stack = np.vstack
from numba import cuda as untyped_cuda

cuda: Any = untyped_cuda
BLOCK = 128
TEAM = 16
"""Threads that write one game's bytes together."""


class CudaBatch(Batch):
    device: ClassVar[str] = "cuda"

    def __init__(self, game: str, num_envs: int, **options: Any) -> None:
        if not cuda.is_available():
            raise NoDevice("there is no CUDA device on this machine; device='cpu' runs everywhere")
        super().__init__(game, num_envs, **options)

    def _allocate(self) -> None:
        n, kernel = self.num_envs, self._kernel
        self._begin, self._step, self._play = kernels(kernel, self._layout)
        self._grid = (n + BLOCK - 1) // BLOCK, BLOCK
        observation_width, mask_width = self._widths
        self._state = cuda.device_array((kernel.WORDS, n), np.int64)
        self._history = cuda.device_array(n * kernel.HISTORY + 1, np.int64)
        self._ends = tuple(cuda.device_array(n, np.int8) for _ in range(3))
        self._seen = (
            cuda.device_array((n, observation_width), np.int64),
            cuda.device_array((n, mask_width), np.int64),
            cuda.device_array(n, np.int8),
        )
        self._totals = cuda.device_array((n, 4), np.int64)
        self._illegal = cuda.to_device(np.full(1, -1, np.int64))
        self._no_actions = cuda.device_array(1, np.int64)
        reward, terminated, truncated = self._ends
        self._views = Step(*self._shaped(*self._seen[:2]), reward, terminated, truncated, self._seen[2])

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
        self._totals.copy_to_device(np.zeros((self.num_envs, 4), np.int64))
        self._play[self._grid](
            self._state, self._history, steps, show, self._limit, self._scored, *self._ends, *self._seen, self._totals
        )
        return Totals(steps * self.num_envs, *self._totals.copy_to_host().sum(axis=0).tolist())

    def _host(self, array: Any) -> Any:
        return array.copy_to_host()


def is_on_device(array: Any) -> bool:
    return hasattr(array, "__cuda_array_interface__")


@cache
def kernels(game: ModuleType, layout: int) -> tuple[Any, Any, Any]:
    """The launches for one game and layout: begin all games, step them, play many steps."""
    names, steps = for_cuda(game), for_cuda(driver, game)
    begin, pick_random, is_legal, write_packed = names.begin, names.pick_random, names.is_legal, names.write_packed
    observation_word, mask_word, advance = names.observation_word, names.mask_word, steps.advance
    player_at, most, masks = game.PLAYER, game.PACKED_OBSERVATION, game.PACKED_MASK
    words, mask_words, cut = game.OBSERVATION_WORDS, game.MASK_WORDS, driver.CUT
    is_bytes, room = layout == driver.BYTES, (BLOCK, most)
    mask_room = BLOCK, masks

    @cuda.jit(device=True)  # type: ignore[untyped-decorator]
    def write_together(packed: Any, packed_mask: Any, first: int, games: int, observation: Any, mask: Any) -> None:
        lane = cuda.threadIdx.x % TEAM
        for at in range(cuda.threadIdx.x // TEAM, games, BLOCK // TEAM):
            if is_bytes:
                for word in range(lane, words, TEAM):
                    observation[first + at, word] = observation_word(packed, at, word)
                for word in range(lane, mask_words, TEAM):
                    mask[first + at, word] = mask_word(packed_mask, at, word)
            else:
                if lane < most:
                    observation[first + at, lane] = packed[at, lane]
                if lane < masks:
                    mask[first + at, lane] = packed_mask[at, lane]

    @cuda.jit  # type: ignore[untyped-decorator]
    def begin_all(state: Any, observation: Any, mask: Any, to_play: Any) -> None:
        packed = cuda.shared.array(room, np.int64)
        packed_mask = cuda.shared.array(mask_room, np.int64)
        i, first = cuda.grid(1), cuda.blockIdx.x * BLOCK
        if i < to_play.shape[0]:
            begin(state, i)
            to_play[i] = state[player_at, i]
            write_packed(state, i, packed, packed_mask, cuda.threadIdx.x)
        cuda.syncthreads()
        write_together(packed, packed_mask, first, min(BLOCK, to_play.shape[0] - first), observation, mask)

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
        packed = cuda.shared.array(room, np.int64)
        packed_mask = cuda.shared.array(mask_room, np.int64)
        i, first = cuda.grid(1), cuda.blockIdx.x * BLOCK
        n = to_play.shape[0]
        if i < n:
            action = pick_random(state, i) if is_random else actions[i]
            end = 0
            if is_random or is_legal(state, i, action):
                end = advance(state, i, history, i, n, action, limit)
            else:
                illegal[0] = i
            reward[i] = end >> 2 if scored else end >> 2 != 0
            terminated[i] = end != 0 and end != cut
            truncated[i] = end == cut
            to_play[i] = state[player_at, i]
            write_packed(state, i, packed, packed_mask, cuda.threadIdx.x)
        cuda.syncthreads()
        write_together(packed, packed_mask, first, min(BLOCK, n - first), observation, mask)

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
        packed = cuda.shared.array(room, np.int64)
        packed_mask = cuda.shared.array(mask_room, np.int64)
        i, first = cuda.grid(1), cuda.blockIdx.x * BLOCK
        n = to_play.shape[0]
        for left in range(steps, 0, -1):
            if i < n:
                player = state[player_at, i]
                end = advance(state, i, history, i, n, pick_random(state, i), limit)
                if end:
                    totals[i, player if end & 3 == 1 else end & 3] += 1
                if show or left == 1:
                    reward[i] = end >> 2 if scored else end >> 2 != 0
                    terminated[i] = end != 0 and end != cut
                    truncated[i] = end == cut
                    to_play[i] = state[player_at, i]
                    write_packed(state, i, packed, packed_mask, cuda.threadIdx.x)
            if show or left == 1:
                cuda.syncthreads()
                write_together(packed, packed_mask, first, min(BLOCK, n - first), observation, mask)
                cuda.syncthreads()

    return begin_all, step_all, play_all
