"""The CUDA kernel that XLA's calls launch: one thread per game, which does what `driver.run` does for that game.

It takes addresses and integers only, eight bytes each, so that a launch needs no arrays of Numba's. Games are staged
and written as in `ludus.envs.batched.cuda`.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

from numba import float32, int8, int32, int64, types

from ludus.core.cuda import cuda
from ludus.core.kernel import for_cuda
from ludus.envs.batched.cuda import BLOCK, IS_SIMULATED, MAX_INDEX, TEAM, WARP
from ludus.envs.batched.driver import HEADER, OUTCOME
from ludus.envs.batched.states import StateFormat
from ludus.envs.jax import driver

address_of: Any = types.CPointer
WORD, BYTE, INT, FLOAT = (address_of(kind) for kind in (int64, int8, int32, float32))
BUFFERS = (WORD, WORD, INT, WORD, WORD, WORD, FLOAT, BYTE, BYTE, INT)
"""The types of the addresses: given and new rows, actions, keys, observation, mask, rewards, terminated, truncated,
to_play."""
SIGNATURE = types.void(*BUFFERS, WORD, *[int64] * (3 + driver.OPTIONS))
"""They are followed by the address for the number of a problem, then the number of games, whether to copy the rows, the
tag, and the options."""


def shared_bytes(game: Any) -> int:
    """The shared memory that a launch reserves for a block, beside the columns."""
    return int(8 * BLOCK * game.COMPACT)


@cache
def make_kernel(game: ModuleType) -> Any:
    names, loops = for_cuda(game), for_cuda(driver, game)
    run_one, write_compact = loops.run_one, names.write_compact
    observation_word, mask_word = names.observation_word, names.mask_word
    column_words, block_shape = game.WORDS, (game.WORDS, BLOCK)
    width, mask_at = game.COMPACT, 8 * game.PACKED_OBSERVATION
    words, mask_words = game.OBSERVATION_WORDS, game.MASK_WORDS
    row_words, header, outcome_word = StateFormat.width(game), HEADER, OUTCOME
    foreign, every_byte = driver.FOREIGN, driver.EVERY_BYTE

    @cuda.jit(device=True)
    def sync() -> None:
        """Waits for the other threads of the warp, whose games are written together."""
        if IS_SIMULATED:  # there a warp is a block
            cuda.syncthreads()
        else:
            cuda.syncwarp()

    @cuda.jit(device=True)
    def copy_warp(given: Any, rows: Any, i: int, n: int) -> None:
        """Copies the rows of the warp's games, which are contiguous."""
        lane = cuda.threadIdx.x & WARP - 1
        first = (i - lane) * row_words
        for part in range(row_words):
            e = first + part * WARP + lane
            if e < n * row_words:
                rows[e] = given[e]
        sync()

    @cuda.jit(device=True)
    def write_warp(i: int, n: int, is_over: Any, observation: Any, mask: Any) -> None:
        """Writes all games of the warp, sixteen threads per game."""
        pieces = cuda.shared.array(0, int8)
        lane = cuda.threadIdx.x & TEAM - 1
        for turn in range(TEAM):
            mate = turn * 2 + (cuda.threadIdx.x >> 4 & 1)
            row, place = (i & MAX_INDEX - WARP + 1) + mate, (cuda.threadIdx.x & BLOCK - WARP) + mate
            if row >= n:
                break
            base = 8 * place * width
            for part in range((words + TEAM - 1) // TEAM):
                word = lane + TEAM * part
                if word < words:
                    observation[row * words + word] = observation_word(pieces, base, word)
            for part in range((mask_words + TEAM - 1) // TEAM):
                word = lane + TEAM * part
                if word < mask_words:
                    legal = every_byte if is_over[place] else mask_word(pieces, base + mask_at, word)
                    mask[row * mask_words + word] = legal

    @cuda.jit
    def run_all(
        given: Any,
        rows: Any,
        actions: Any,
        keys: Any,
        observation: Any,
        mask: Any,
        rewards: Any,
        terminated: Any,
        truncated: Any,
        to_play: Any,
        problems: Any,
        n: int,
        is_copied: int,
        tag: int,
        task: int,
        has_keys: int,
        limit: int,
        is_scored: int,
        autoresets: int,
        forfeits: int,
    ) -> None:
        """A game with a problem keeps its position; a row that isn't a state shows nothing."""
        i, me = cuda.grid(1) & MAX_INDEX, cuda.threadIdx.x & BLOCK - 1
        own = cuda.shared.array(block_shape, int64)
        is_over = cuda.shared.array(BLOCK, int8)
        staged = cuda.shared.array(0, int64)
        if is_copied:
            copy_warp(given, rows, i, n)
        if i < n:
            at, options = i * row_words, (task, has_keys, limit, is_scored, autoresets, forfeits)
            for word in range(column_words):
                own[word, me] = rows[at + header + word]
            problem = run_one(
                rows, at, own, me, tag, i, actions, keys, options, rewards, terminated, truncated, to_play
            )
            if problem:
                problems[0] = problem
            if problem == foreign:
                rewards[2 * i] = rewards[2 * i + 1] = 0
                terminated[i] = truncated[i] = 0
                to_play[i] = 0
                for word in range(width):
                    staged[me * width + word] = 0
            else:
                for word in range(column_words):
                    rows[at + header + word] = own[word, me]
                write_compact(own, me, staged, me * width)
            is_over[me] = problem != foreign and rows[at + outcome_word] != 0
        sync()
        write_warp(i, n, is_over, observation, mask)

    return run_all
