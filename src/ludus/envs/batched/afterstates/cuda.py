"""After-states on a GPU: the moves are counted, the counts summed up to offsets, and the rows written.

A list of moves has no tight bound, so a limited number of threads get room for the longest list, and each lists the
moves of one game after the other. The later kernels have a thread for each row, or for each word of the observation.
The host waits once, for the number of rows.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import int64

from ludus.core.cuda import cuda, current_stream, device_array, on_device, to_device, to_host
from ludus.core.kernel import for_cuda
from ludus.envs.batched.afterstates import Afterstates, check_listable, driver, no_moves, segments
from ludus.envs.batched.cuda import IS_SIMULATED, grid_of
from ludus.envs.batched.driver import BYTES, HEADER, OUTCOME

if TYPE_CHECKING:
    from ludus.envs.batched.environment import Environment

ROOM = 1 << 16 if IS_SIMULATED else 1 << 26
"""Words for all lists together: half a gibibyte."""
SCAN = 64 if IS_SIMULATED else 1024
"""Values that one block sums up, a power of two."""


class Lister:
    """Lists the moves of one environment's games."""

    def __init__(self, env: Environment[Any]) -> None:
        check_listable(env._kernel, env._encoding.name)
        self._env = env
        self._kernels = kernels(env._kernel, env._layout)
        self._threads = 0

    def afterstates(self, states: Any) -> Afterstates[Any]:
        """The after-states of games whose states, on the device, have been checked."""
        env, number = self._env, len(states)
        parents = states, states.reshape(-1), env.state_words
        self._make_room(number)
        offsets, waiting = device_array(number + 1, np.int64), to_device(np.full(1, -1, np.int64))
        self._kernels.count[grid_of(self._threads)](*parents, self._moves, self._threads, offsets, waiting)
        scan(offsets[1:])
        rows, game = int(to_host(offsets[number:])[0]), int(to_host(waiting)[0])
        if game >= 0:
            raise no_moves(env._format, to_host(states[game]), game)
        return self._write(parents, offsets, rows)

    def roll(self, states: Any) -> Any:
        """Rolls the dice, in place, in games that wait for them."""
        if len(states):
            self._kernels.resolve[grid_of(len(states))](states, states.reshape(-1), self._env.state_words)
        return states

    def _make_room(self, number: int) -> None:
        """Makes room for the lists: a thread per game, if there is enough memory."""
        words = self._env._kernel.MOST_MOVES * self._env._kernel.MOVE_WORDS
        threads = max(1, min(number, ROOM // words))
        if threads > self._threads:
            self._moves = device_array(threads * words, np.int64)
            self._threads = threads

    def _write(self, parents: Any, offsets: Any, rows: int) -> Afterstates[Any]:
        env, kernel, (width, mask_width) = self._env, self._env._kernel, self._env._widths
        moves, games = device_array(rows * kernel.MOVE_WORDS, np.int64), device_array(rows, np.int64)
        self._kernels.collect[grid_of(self._threads)](*parents, self._moves, self._threads, offsets, moves, games)
        states = device_array((rows, env.state_words), np.int64)
        kinds = env._encoding.reward, np.int8, np.int8, np.int8
        reward, discount, terminated, to_play = (device_array(rows, kind) for kind in kinds)
        actions = device_array((rows, kernel.MOVE_ACTIONS), np.int16)
        words = device_array((rows, width), np.int64)
        scratch = device_array(rows * (kernel.COMPACT if env._layout == BYTES else mask_width), np.int64)
        if rows:
            self._kernels.write[grid_of(rows)](
                *parents[1:], moves, games, env._scored, states, states.reshape(-1), actions, reward,
                discount, terminated, to_play, words.reshape(-1), scratch,
            )  # fmt: skip
            if env._layout == BYTES:
                self._kernels.spread[grid_of(rows * width)](scratch.view(np.int8), words.reshape(-1))
        shown, _ = env._shaped(words, words)
        return Afterstates(offsets, states, actions, shown, reward, discount, terminated, to_play)


class Kernels(NamedTuple):
    count: Any
    collect: Any
    write: Any
    spread: Any
    resolve: Any


@cache
def kernels(game: ModuleType, layout: int) -> Kernels:
    """The kernels cut the game's columns out of the rows, since `.T` on the host would copy them."""
    names, loops = for_cuda(game), for_cuda(driver, game)
    list_moves, write_child, resolve = loops.list_moves, loops.write_child, loops.resolve
    write_packed, write_compact, observation_word = names.write_packed, names.write_compact, names.observation_word
    room, move_words, is_bytes = game.MOST_MOVES, game.MOVE_WORDS, layout == BYTES
    compact, words, mask_words = game.COMPACT, game.OBSERVATION_WORDS, game.PACKED_MASK
    packed_words, first_word, first_past = game.PACKED_OBSERVATION, HEADER, HEADER + game.WORDS

    @cuda.jit
    def count_all(rows: Any, flat: Any, width: int, moves: Any, threads: int, offsets: Any, waiting: Any) -> None:
        me, n, columns = cuda.grid(1), offsets.shape[0] - 1, rows[:, first_word:first_past].T
        if me < threads:
            for i in range(me, n, threads):
                number = list_moves(columns, flat, width, i, moves, me * room) - me * room
                offsets[i + 1] = number
                if number == 0 and flat[i * width + OUTCOME] == 0:
                    waiting[0] = i
        if me == 0:
            offsets[0] = 0

    @cuda.jit
    def collect_all(
        rows: Any, flat: Any, width: int, moves: Any, threads: int, offsets: Any, out: Any, games: Any
    ) -> None:
        """Lists the moves again, if one thread has more than one game, and copies them to their rows."""
        me, n, columns = cuda.grid(1), offsets.shape[0] - 1, rows[:, first_word:first_past].T
        if me < threads:
            for i in range(me, n, threads):
                if n > threads:
                    list_moves(columns, flat, width, i, moves, me * room)
                first = offsets[i]
                for row in range(first, offsets[i + 1]):
                    games[row] = i
                for word in range((offsets[i + 1] - first) * move_words):
                    out[first * move_words + word] = moves[me * room * move_words + word]

    @cuda.jit
    def write_all(
        flat: Any,
        width: int,
        moves: Any,
        games: Any,
        scored: bool,
        children: Any,
        child_flat: Any,
        actions: Any,
        reward: Any,
        discount: Any,
        terminated: Any,
        to_play: Any,
        observation: Any,
        scratch: Any,
    ) -> None:
        m, child_columns = cuda.grid(1), children[:, first_word:first_past].T
        if m < games.shape[0]:
            write_child(
                flat, width, games[m], m, moves, m, scored, child_columns, child_flat, actions, reward, discount,
                terminated, to_play,
            )  # fmt: skip
            if is_bytes:
                write_compact(child_columns, m, scratch, m * compact)
            else:
                write_packed(child_columns, m, observation, m * packed_words, scratch, m * mask_words)

    @cuda.jit
    def spread_all(pieces: Any, observation: Any) -> None:
        at = cuda.grid(1)
        if at < observation.shape[0]:
            observation[at] = observation_word(pieces, at // words * compact * 8, at % words)

    @cuda.jit
    def resolve_all(rows: Any, flat: Any, width: int) -> None:
        i = cuda.grid(1)
        if i < rows.shape[0]:
            resolve(rows[:, first_word:first_past].T, flat, width, i)

    return Kernels(count_all, collect_all, write_all, spread_all, resolve_all)


def scan(values: Any) -> None:
    """Replaces each value by the sum of all up to it."""
    if not len(values):
        return
    blocks = (len(values) + SCAN - 1) // SCAN
    sums = device_array(blocks, np.int64)
    scan_blocks[blocks, SCAN, current_stream()](values, sums)
    if blocks > 1:
        scan(sums)
        add_sums[blocks, SCAN, current_stream()](values, sums)


@cuda.jit
def scan_blocks(values: Any, sums: Any) -> None:
    running = cuda.shared.array(SCAN, int64)
    me, i = cuda.threadIdx.x, cuda.grid(1)
    running[me] = values[i] if i < values.shape[0] else 0
    distance = 1
    while distance < SCAN:
        cuda.syncthreads()
        before = running[me - distance] if me >= distance else 0
        cuda.syncthreads()
        running[me] += before
        distance *= 2
    if i < values.shape[0]:
        values[i] = running[me]
    if me == SCAN - 1:
        sums[cuda.blockIdx.x] = running[me]


@cuda.jit
def add_sums(values: Any, sums: Any) -> None:
    i = cuda.grid(1)
    if cuda.blockIdx.x > 0 and i < values.shape[0]:
        values[i] += sums[cuda.blockIdx.x - 1]


def find_best(offsets: Any, worth: Any) -> Any:
    """The values may be any library's array on the device."""
    values, chosen = on_device(worth), device_array(len(offsets) - 1, np.int64)
    if len(chosen):
        segment_kernels().best[grid_of(len(chosen))](offsets, values, chosen)
    return chosen


def count_rows(offsets: Any) -> Any:
    counts = device_array(len(offsets) - 1, np.int64)
    if len(counts):
        segment_kernels().count[grid_of(len(counts))](offsets, counts)
    return counts


def name_games(found: Afterstates[Any]) -> Any:
    """The game of each row."""
    games = device_array(len(found.states), np.int64)
    if len(games):
        segment_kernels().name[grid_of(len(found.offsets) - 1)](found.offsets, games)
    return games


class SegmentKernels(NamedTuple):
    best: Any
    count: Any
    name: Any


@cache
def segment_kernels() -> SegmentKernels:
    find = for_cuda(segments).find_best

    @cuda.jit
    def find_all(offsets: Any, values: Any, chosen: Any) -> None:
        i = cuda.grid(1)
        if i < chosen.shape[0]:
            find(i, offsets, values, chosen)

    @cuda.jit
    def count_all(offsets: Any, counts: Any) -> None:
        i = cuda.grid(1)
        if i < counts.shape[0]:
            counts[i] = offsets[i + 1] - offsets[i]

    @cuda.jit
    def name_all(offsets: Any, games: Any) -> None:
        i = cuda.grid(1)
        if i < offsets.shape[0] - 1:
            for row in range(offsets[i], offsets[i + 1]):
                games[row] = i

    return SegmentKernels(find_all, count_all, name_all)
