"""The batched environment on a GPU: the same functions in CUDA kernels, one thread per game, one launch per step.

Each thread plays its game and stages the bit sets of its observation in shared memory; then the threads of a warp write
the bytes of all its games together, sixteen threads per game, so that writes to memory are coalesced.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cache, cached_property
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, Self, Unpack, cast

import numpy as np
from numba import config, int8, int64
from numpy.typing import NDArray

from ludus.core.cuda import (
    ADVICE,
    check_not_capturing,
    cuda,
    current_stream,
    device_array,
    on_device,
    on_stream,
    to_device,
    to_host,
    write,
)
from ludus.core.errors import GameIsOver, IllegalAction, MalformedAction, MalformedState, NoDevice
from ludus.core.kernel import for_cuda
from ludus.envs.batched import driver, streams
from ludus.envs.batched.afterstates import Afterstates, Listing, NotListed
from ludus.envs.batched.environment import (
    Batch,
    Environment,
    FinalStep,
    Options,
    Step,
    Totals,
    as_actions,
    as_host_array,
    check_actions,
    read_dice,
    read_where,
)
from ludus.envs.batched.functions import Chance, StatelessEnv, View, impossible_dice
from ludus.envs.batched.states import StateFormat, not_rolled
from ludus.envs.options import check_integer, check_seed
from ludus.envs.sampling import is_on_device

IS_SIMULATED = bool(config.ENABLE_CUDASIM)  # type: ignore[attr-defined]  # Numba makes its settings at run time
WARP = 32
BLOCK = 32 if IS_SIMULATED else 128
"""Threads per block. The simulator starts a host thread for each, even if there are fewer games."""
WARPS = BLOCK // WARP
TEAM = 16
"""Threads that write one game's bytes together."""
FEW = 1 << 14
"""Up to this many games leave most of a GPU idle, so four warps write for each warp that plays."""
MAX_INDEX = (1 << 28) - 1
"""`& MAX_INDEX` shows the compiler that a game's index is not negative."""


class CudaEnvironment(Environment[Any]):
    """What batches and stateless environments on a GPU have in common."""

    device: ClassVar[str] = "cuda"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        if not cuda.is_available():
            raise NoDevice(f"Numba finds no CUDA device; {ADVICE}")
        self._illegal, self._bad = (to_device(np.full(1, -1, np.int64)) for _ in range(2))
        self._no_actions = device_array(1, np.int64)
        super().__init__(*arguments, **options)

    def on_stream(self, stream: Any) -> AbstractContextManager[None]:
        """In this context everything is launched and copied on this stream, also by the functions of `sampling`.

        It may be torch's, CuPy's, Numba's, any with `__cuda_stream__`, or a handle. As everywhere in CUDA, streams
        don't wait for each other. While it is captured into a graph, anything that allocates memory or needs the host
        raises `NotCapturable`.
        """
        return on_stream(stream)

    @cached_property
    def _launch(self) -> Launches:
        return kernels(self._kernel, self._layout)

    @cached_property
    def _start(self) -> Any:
        """The words of a column before its first game."""
        return to_device(self._initial)

    @cached_property
    def _lister(self) -> Any:
        from ludus.envs.batched.afterstates.cuda import Lister  # which takes parts of this module

        return Lister(self)

    def _grid_of(self, games: int) -> tuple[int, int, Any, int]:
        """The grid: a thread per game, with shared memory for its observation and mask."""
        kernel = self._kernel
        shared = BLOCK * max(kernel.COMPACT, kernel.PACKED_OBSERVATION + kernel.PACKED_MASK) * 8
        return *grid_of(games), shared

    def _new_view(self, number: int) -> tuple[Any, Any, Any]:
        seen, mask = (device_array(number * width, np.int64) for width in self._widths)
        return seen, mask, device_array(number, np.int8)

    def _rows_of(self, seen: Any, mask: Any, number: int) -> tuple[Any, Any]:
        """Flat arrays as users see them."""
        rows = (array.reshape(number, width) for array, width in zip((seen, mask), self._widths, strict=True))
        return self._shaped(*rows)

    def _trimmed(self, rows: Any, width: int) -> Any:
        """Without padding; slicing would make Numba visit every row on the host, half a second for a million games."""
        if not len(rows) or not hasattr(rows, "__cuda_array_interface__"):  # Numba's simulator has none
            return rows[:, :width]
        described = {"shape": (len(rows), width), "strides": rows.strides}
        return cuda.from_cuda_array_interface(rows.__cuda_array_interface__ | described, owner=rows)

    def _observe(self, rows: Any) -> tuple[Any, Any, Any]:
        seen, mask, to_play = self._new_view(len(rows))
        if len(rows):
            self._launch.observe[self._grid_of(len(rows))](rows, seen, mask, to_play)
        return *self._rows_of(seen, mask, len(rows)), to_play

    def _actions(self, actions: Any, number: int) -> Any:
        """A row of integers on the device, copied there if need be; a placeholder for None."""
        if actions is None:
            return self._no_actions
        if not is_on_device(actions):
            return to_device(as_actions(actions, number))
        check_actions(actions, number)
        return on_device(actions)

    def _read(self, states: Any, number: int | None = None) -> Any:
        """States on the device, copied there if need be, or if they have gaps."""
        self._format.check_shape(states, number)
        rows = on_device(states)
        return rows if rows.is_c_contiguous() else self._copied(rows)

    def _copied(self, rows: Any) -> Any:
        new = device_array((len(rows), self.state_words), np.int64)
        if len(rows):
            copy_rows[grid_of(new.size)](rows, to_device(np.arange(len(rows))), new)
        return new

    def _check_rows(self, rows: Any, is_any_good: bool) -> None:
        """Raises if a row is not a state of this game, or can't be played on."""
        if len(rows):
            self._launch.check[grid_of(len(rows))](rows, self._format.tag, is_any_good, self._bad)
            self._raise_bad(rows)

    def _with_dice(self, rows: Any, dice: Any) -> Any:
        """The same states with these dice."""
        pairs = to_device(read_dice(dice, len(rows)))
        new = device_array((len(rows), self.state_words), np.int64)
        if len(rows):
            self._launch.set_dice[grid_of(len(rows))](rows, pairs, new, self._bad)
        row = flag(self._bad)
        if row >= 0:
            raise impossible_dice(row)
        return new

    def _raise_bad(self, rows: Any) -> None:
        row = flag(self._bad)
        if row >= 0:
            found = self._format.check(to_host(rows[row : row + 1]))
            raise GameIsOver(f"the game in row {row} is over") if found[0, driver.OUTCOME] else not_rolled(row)


class CudaBatch(CudaEnvironment, Batch[Any]):
    def __init__(self, game: str, num_envs: int, **options: Unpack[Options]) -> None:
        super().__init__(game, num_envs, **options)

    @property
    def _grid(self) -> tuple[int, int, Any, int]:
        return self._grid_of(self.num_envs)

    def _allocate(self) -> None:
        self._listed: Listing | None = None
        n, kernel = self.num_envs, self._kernel
        self._state = device_array((kernel.WORDS, n), np.int64)
        self._last = device_array((kernel.WORDS, n), np.int64)
        self._history = to_device(np.zeros(n * kernel.HISTORY + 1, np.int64))
        self._transition = tuple(device_array(n, kind) for kind in (self._encoding.reward, np.int8, np.int8))
        self._view = self._new_view(n)
        self._totals = device_array(4, np.int64)
        reward, terminated, truncated = self._transition
        self._views = Step(*self._rows_of(*self._view[:2], n), reward, terminated, truncated, self._view[2])

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
            self._state, to_device(which), task, self._start, seed, *self._transition, *self._view
        )

    def save(self, where: Any = None) -> Any:
        games = read_where(where, self.num_envs)
        states = device_array((len(games), self.state_words), np.int64)
        if len(games):
            chosen = to_device(games)
            self._launch.save[grid_of(states.size)](self._state, self._history, self._format.tag, chosen, states)
        return states

    def restore(self, states: Any, where: Any = None) -> Step[Any]:
        games = read_where(where, self.num_envs)
        rows = self._read(states, len(games))
        self._check_rows(rows, False)
        if len(rows):
            self._launch.restore[grid_of(rows.size)](rows, to_device(games), self._state, self._history)
        self._refresh(games, driver.SHOW)
        return self._views

    @property
    def final(self) -> FinalStep[Any]:
        """The flags are copied from the device, so that only the games that ended have a row."""
        truncated = to_host(self.truncated) != 0
        which = truncated | (to_host(self.terminated) != 0)
        games = np.flatnonzero(which)
        outcomes = np.where(truncated[games], driver.TRUNCATED, driver.WON)
        rows = device_array((len(games), self.state_words), np.int64)
        if len(games):
            self._launch.final[grid_of(len(games))](self._last, to_device(games), to_device(outcomes), rows)
        seen, mask, to_play = self._observe(rows)
        return FinalStep(to_device(which), seen, mask, to_play)

    def _copy_to(self, other: Self, games: NDArray[np.int64]) -> None:
        chosen = to_device(games)
        for source, target in zip((self._state, self._last), (other._state, other._last), strict=True):
            copy_columns[grid_of(target.size)](source, chosen, target)
        for source, target in zip(self._rows(), other._rows(), strict=True):
            copy_rows[grid_of(target.size)](source, chosen, target)

    def _contents(self) -> dict[str, NDArray[Any]]:
        return {name: to_host(array) for name, array in self._arrays().items()}

    def _fill(self, contents: Mapping[str, NDArray[Any]]) -> None:
        for name, array in self._arrays().items():
            write(array, contents[name])

    def _arrays(self) -> dict[str, Any]:
        arrays = {"state": self._state, "last": self._last, "history": self._history}
        return arrays | {str(number): array for number, array in enumerate((*self._transition, *self._view))}

    def _rows(self) -> list[Any]:
        """Everything that a copy needs beside the columns, a row per game."""
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
        is_random, chosen = actions is None, self._actions(actions, self.num_envs)
        if check and not is_random:
            check_not_capturing()
        kernels, n = self._launch, self.num_envs
        step = kernels.step_few[self._grid_of(n * WARPS)] if n <= FEW else kernels.step[self._grid]
        step(
            self._state, self._last, self._history, chosen, is_random, self._limit, self._scored, *self._transition,
            *self._view, self._illegal,
        )  # fmt: skip
        if check and not is_random:
            self.raise_illegal()
        return self._views

    def raise_illegal(self) -> None:
        """Raises if any action since the last call was illegal."""
        game = flag(self._illegal)
        if game >= 0:
            raise IllegalAction(f"the action in game {game} is not legal; that game is unchanged")

    def afterstates(self) -> Afterstates[Any]:
        states = self.save()
        self._listed = Listing(states, self._lister.afterstates(states))
        return self._listed.afterstates

    def step_afterstates(self, chosen: Any, *, check: bool = True) -> Step[Any]:
        """An impossible choice, or one in a game that has changed since, leaves that game as `step` does."""
        if self._listed is None:
            raise NotListed
        if chosen is None:
            raise MalformedAction(f"moves are chosen by a row of {self.num_envs} integers")
        states, found = self._listed
        check_not_capturing()  # replayed, it would play moves that are no longer those of the games
        self._launch.step_moves[self._grid](
            self._state, self._last, self._history, states, found.offsets, found.actions,
            self._actions(chosen, self.num_envs), self._limit, self._scored, *self._transition, *self._view,
            self._illegal,
        )  # fmt: skip
        if check:
            self.raise_illegal()
        return self._views

    def _rollout(self, steps: int) -> Totals:
        return self.play(steps, show=False)

    def play(self, steps: int, *, show: bool = True) -> Totals:
        """Random play in one launch; `show` writes observation and mask after every step, not just the last."""
        steps = check_integer("steps", steps, 0)
        write(self._totals, np.zeros(4, np.int64))
        self._launch.play[self._grid](
            self._state, self._last, self._history, steps, show, self._limit, self._scored, *self._transition,
            *self._view, self._totals,
        )  # fmt: skip
        return Totals(steps * self.num_envs, *to_host(self._totals).tolist())

    def _host(self, array: Any) -> Any:
        return to_host(array)


class CudaStatelessEnv(CudaEnvironment, StatelessEnv[Any]):
    def _init(self, num: int, seed: int | None) -> Any:
        states = device_array((num, self.state_words), np.int64)
        self._launch.init[grid_of(num)](states, self._format.tag, self._start, check_seed(seed))
        return states

    def observe(self, states: Any) -> View[Any]:
        rows = self._read(states)
        self._check_rows(rows, True)
        return View(*self._observe(rows))

    def step(self, states: Any, actions: Any = None, *, check: bool = True) -> tuple[Any, Step[Any]]:
        """See `StatelessEnv`. Without `check` the host doesn't wait for the device; call `raise_illegal` later.

        A row with an illegal action is returned as it was.
        """
        rows = self._read(states)
        n, is_random, chosen = len(rows), actions is None, self._actions(actions, len(rows))
        new = device_array((n, self.state_words), np.int64)
        transition = tuple(device_array(n, kind) for kind in (self._encoding.reward, np.int8, np.int8))
        seen, mask, to_play = self._new_view(n)
        if n:
            self._launch.step_rows[self._grid_of(n)](
                rows, new, new.reshape(n * self.state_words), self._format.tag, chosen, is_random, self._limit,
                self._scored, *transition, seen, mask, to_play, self._illegal, self._bad,
            )  # fmt: skip
        if check:
            self._raise_bad(rows)
            self.raise_illegal()
        reward, terminated, truncated = transition
        return new, Step(*self._rows_of(seen, mask, n), reward, terminated, truncated, to_play)

    def raise_illegal(self) -> None:
        """Raises if, since the last call, a row was not a state or waited for dice, or an action was illegal."""
        row = flag(self._bad)
        if row >= 0:
            raise MalformedState(f"row {row} is not a state of {self._format.name}, or its dice have not been rolled")
        row = flag(self._illegal)
        if row >= 0:
            raise IllegalAction(f"the action in row {row} is not legal")

    def chance(self, states: Any) -> Chance[Any]:
        rows = self._read(states)
        self._check_rows(rows, True)
        counts = np.ones(len(rows), np.int64)
        if not self.has_dice:
            return Chance(self._copied(rows), to_device(counts), to_device(np.arange(len(rows) + 1)))
        on_device = to_device(counts)
        if len(rows):
            self._launch.count_rolls[grid_of(len(rows))](rows, on_device)
        ends = np.concatenate([[0], to_host(on_device).cumsum()])
        new = device_array((int(ends[-1]), self.state_words), np.int64)
        weights, offsets = device_array(len(new), np.int64), to_device(ends)
        if len(new):
            self._launch.expand_rolls[grid_of(len(new))](rows, offsets, new, weights)
        return Chance(new, weights, offsets)

    def afterstates(self, states: Any) -> Afterstates[Any]:
        rows = self._read(states)
        self._check_rows(rows, True)
        return cast("Afterstates[Any]", self._lister.afterstates(rows))

    def roll(self, states: Any) -> Any:
        rows = self._read(states)
        self._check_rows(rows, True)
        return self._lister.roll(self._copied(rows))

    def set_dice(self, states: Any, dice: Any) -> Any:
        self._check_dice()
        rows = self._read(states)
        self._check_rows(rows, True)
        return self._with_dice(rows, dice)

    def set_positions(self, states: Any, positions: Any) -> Any:
        return to_device(self._placed(self._format.check(as_host_array(states)), positions))

    def reseed(self, states: Any, seed: int | None) -> Any:
        rows = self._read(states)
        self._check_rows(rows, True)
        new = device_array((len(rows), self.state_words), np.int64)
        if len(rows):
            self._launch.reseed[grid_of(len(rows))](rows, new, check_seed(seed))
        return new


def flag(array: Any) -> int:
    """The row that a kernel has marked, or -1; clears the mark."""
    row = int(to_host(array)[0])
    if row >= 0:
        write(array, np.full(1, -1, np.int64))
    return row


def grid_of(threads: int) -> tuple[int, int, Any]:
    """Blocks, threads per block, and the stream."""
    return max(1, (threads + BLOCK - 1) // BLOCK), BLOCK, current_stream()


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
    step_few: Any
    step_moves: Any
    play: Any
    save: Any
    restore: Any
    check: Any
    final: Any
    init: Any
    observe: Any
    step_rows: Any
    count_rolls: Any
    expand_rolls: Any
    set_dice: Any
    reseed: Any


@cache
def kernels(game: ModuleType, layout: int) -> Launches:
    """The kernels, whose shared memory holds the bit sets of the block's games, written as words and read as bytes."""
    names, loops = for_cuda(game), for_cuda(driver, game)
    sample_action, is_legal = names.sample_action, names.is_legal
    observation_word, mask_word = names.observation_word, names.mask_word
    advance, write_transition, result, begin = loops.advance, loops.write_transition, loops.result, loops.begin
    play, outcome_of, write_ended, load, store = (
        loops.play,
        loops.outcome_of,
        loops.write_ended,
        loops.load,
        loops.store,
    )
    copy_row, key_word, key_row = loops.copy_row, game.KEY, driver.HEADER + game.KEY
    advance_move = loops.advance_move
    player_row, packed_words, packed_mask = game.PLAYER, game.PACKED_OBSERVATION, game.PACKED_MASK
    words, mask_words, is_bytes = game.OBSERVATION_WORDS, game.MASK_WORDS, layout == driver.BYTES
    width, history_words = game.COMPACT if is_bytes else packed_words + packed_mask, game.HISTORY
    state_words, block_shape, warp_shape = game.WORDS, (game.WORDS, BLOCK), (game.WORDS, WARP)
    write_packed, write_compact = names.write_packed, names.write_compact
    row_words, tag_word, outcome_word = StateFormat.width(game), driver.TAG, driver.OUTCOME
    first_word, first_past = driver.HEADER, driver.HEADER + game.WORDS
    bounds, truncated_code, key_of = StateFormat.bounds_of(game), driver.TRUNCATED, for_cuda(streams).key_of
    waiting_row, waiting_bit = StateFormat.waiting_of(game)
    if getattr(game, "MOST_ROLLS", 1) > 1:
        count_rolls, roll_weight = names.count_rolls, names.roll_weight
        set_roll, find_roll = names.set_roll, names.find_roll

    @cuda.jit(device=True)
    def sync() -> None:
        """Waits for the other threads of the warp, whose games are written together."""
        if IS_SIMULATED:  # there a warp is a block
            cuda.syncthreads()
        else:
            cuda.syncwarp()

    @cuda.jit(device=True)
    def stage(state: Any, i: int) -> None:
        """Puts a game's observation and mask into shared memory."""
        packed, at = cuda.shared.array(0, int64), (cuda.threadIdx.x & BLOCK - 1) * width
        if is_bytes:
            write_compact(state, i, packed, at)
        else:
            write_packed(state, i, packed, at, packed, at + packed_words)

    @cuda.jit(device=True)
    def write_games(first: int, slot: int, turns: int, n: int, observation: Any, mask: Any) -> None:
        """A warp writes games from `first` on, staged from `slot` on: sixteen threads a game and two games a turn.

        Places are counted up instead of computed: this loop is most of what a step executes.
        """
        packed, pieces = cuda.shared.array(0, int64), cuda.shared.array(0, int8)
        lane, half = cuda.threadIdx.x & TEAM - 1, cuda.threadIdx.x >> 4 & 1
        row, at = first + half, (slot + half) * width
        seen_width, mask_width = (words, mask_words) if is_bytes else (packed_words, packed_mask)
        seen_at, mask_at = row * seen_width + lane, row * mask_width + lane
        for _ in range(turns if n - row > 2 * (turns - 1) else (n - row + 1) // 2):
            if is_bytes:
                for part in range((words + TEAM - 1) // TEAM):
                    word = lane + TEAM * part
                    if word < words:
                        observation[seen_at + TEAM * part] = observation_word(pieces, at * 8, word)
                for part in range((mask_words + TEAM - 1) // TEAM):
                    word = lane + TEAM * part
                    if word < mask_words:
                        mask[mask_at + TEAM * part] = mask_word(pieces, (at + packed_words) * 8, word)
            else:
                if lane < packed_words:
                    observation[seen_at] = packed[at + lane]
                if lane < packed_mask:
                    mask[mask_at] = packed[at + packed_words + lane]
            at += 2 * width
            seen_at += 2 * seen_width
            mask_at += 2 * mask_width

    @cuda.jit(device=True)
    def write_warp(i: int, n: int, observation: Any, mask: Any) -> None:
        """Writes the games that the threads of the warp have staged."""
        write_games(i & MAX_INDEX - WARP + 1, cuda.threadIdx.x & BLOCK - WARP, TEAM, n, observation, mask)

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
    def save_some(state: Any, history: Any, tag: int, games: Any, rows: Any) -> None:
        """A thread per word of the rows."""
        e = cuda.grid(1)
        k, word = e // row_words, e % row_words
        if k < rows.shape[0]:
            if word == tag_word:
                rows[k, word] = tag
            elif word == outcome_word:
                rows[k, word] = 0
            elif word < first_past:
                rows[k, word] = state[word - first_word, games[k]]
            else:
                rows[k, word] = history[games[k] * history_words + word - first_past]

    @cuda.jit
    def restore_some(rows: Any, games: Any, state: Any, history: Any) -> None:
        e = cuda.grid(1)
        k, word = e // row_words, e % row_words
        if k < rows.shape[0] and word >= first_word:
            if word < first_past:
                state[word - first_word, games[k]] = rows[k, word]
            else:
                history[games[k] * history_words + word - first_past] = rows[k, word]

    @cuda.jit(device=True)
    def is_state(rows: Any, k: int, tag: int) -> bool:
        is_good: bool = rows[k, tag_word] == tag
        for word, high in bounds:
            is_good = is_good and 0 <= rows[k, first_word + word] <= high
        return is_good

    @cuda.jit(device=True)
    def is_waiting(rows: Any, k: int) -> bool:
        """Whether the game waits for its dice."""
        is_set: bool = rows[k, first_word + waiting_row] & waiting_bit != 0
        return is_set and rows[k, outcome_word] == 0

    @cuda.jit
    def check_rows(rows: Any, tag: int, is_any_good: bool, bad: Any) -> None:
        """Marks a row that isn't a state or, unless `is_any_good`, can't be played on."""
        k = cuda.grid(1)
        if k < rows.shape[0]:
            can_go_on = rows[k, outcome_word] == 0 and not is_waiting(rows, k)
            if not (is_state(rows, k, tag) and (is_any_good or can_go_on)):
                bad[0] = k

    @cuda.jit
    def write_final(last: Any, games: Any, outcomes: Any, rows: Any) -> None:
        """The last states of games that ended, without their history."""
        k = cuda.grid(1)
        if k < rows.shape[0]:
            rows[k, outcome_word] = outcomes[k]
            for word in range(state_words):
                rows[k, first_word + word] = last[word, games[k]]

    @cuda.jit(device=True)
    def stage_saved(state: Any, i: int, outcome: int) -> None:
        """A game that was won or drawn has no legal actions."""
        stage(state, i)
        if outcome and outcome & 3 != truncated_code:
            packed, at = cuda.shared.array(0, int64), (cuda.threadIdx.x & BLOCK - 1) * width
            for word in range(packed_words, width):
                packed[at + word] = 0

    @cuda.jit(device=True)
    def copy_warp(rows: Any, new: Any, i: int, n: int) -> None:
        """Copies the rows of the warp's games, which are contiguous."""
        lane = cuda.threadIdx.x & WARP - 1
        first = i - lane
        for part in range(row_words):
            e = first * row_words + part * WARP + lane
            if e < n * row_words:
                new[e // row_words, e % row_words] = rows[e // row_words, e % row_words]
        sync()

    @cuda.jit
    def init_rows(rows: Any, tag: int, initial: Any, seed: int) -> None:
        i, me = cuda.grid(1) & MAX_INDEX, cuda.threadIdx.x & BLOCK - 1
        own = cuda.shared.array(block_shape, int64)
        if i < rows.shape[0]:
            begin(own, me, i, driver.SEED, initial, seed)
            rows[i, tag_word] = tag
            rows[i, outcome_word] = 0
            store(own, me, rows, i)
            for word in range(first_past, row_words):
                rows[i, word] = 0

    @cuda.jit
    def observe_rows(rows: Any, observation: Any, mask: Any, to_play: Any) -> None:
        i, n, me = cuda.grid(1) & MAX_INDEX, rows.shape[0], cuda.threadIdx.x & BLOCK - 1
        own = cuda.shared.array(block_shape, int64)
        if i < n:
            load(rows, i, own, me)
            to_play[i] = own[player_row, me]
            stage_saved(own, me, rows[i, outcome_word])
        sync()
        write_warp(i, n, observation, mask)

    @cuda.jit
    def step_rows(
        rows: Any,
        new: Any,
        past: Any,
        tag: int,
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
        bad: Any,
    ) -> None:
        """A row that is not a state, waits for dice, or whose action is not legal, stays as it is."""
        i, n, me = cuda.grid(1) & MAX_INDEX, rows.shape[0], cuda.threadIdx.x & BLOCK - 1
        own = cuda.shared.array(block_shape, int64)
        copy_warp(rows, new, i, n)
        if i < n:
            load(rows, i, own, me)
            outcome, end = rows[i, outcome_word], 0
            if not is_state(rows, i, tag) or is_waiting(rows, i):
                bad[0] = i
            elif not outcome:
                action = sample_action(own, me) if is_random else actions[i]
                if is_random or is_legal(own, me, action):
                    player = own[player_row, me]
                    end = play(own, me, past, i * row_words + first_past, action, limit)
                    outcome = outcome_of(player, end)
                    store(own, me, new, i)
                    new[i, outcome_word] = outcome
                else:
                    illegal[0] = i
            write_transition(i, end, scored, reward, terminated, truncated)
            if outcome and not end:
                write_ended(i, outcome, reward, terminated, truncated)
            to_play[i] = own[player_row, me]
            stage_saved(own, me, outcome)
        sync()
        write_warp(i, n, observation, mask)

    @cuda.jit
    def count_all_rolls(rows: Any, counts: Any) -> None:
        i, me = cuda.grid(1) & MAX_INDEX, cuda.threadIdx.x & BLOCK - 1
        own = cuda.shared.array(block_shape, int64)
        if i < rows.shape[0]:
            load(rows, i, own, me)
            counts[i] = 1 if rows[i, outcome_word] else count_rolls(own, me)

    @cuda.jit
    def expand_rolls(rows: Any, offsets: Any, new: Any, weights: Any) -> None:
        """A thread per roll, whose game is found by bisection."""
        at, me = cuda.grid(1) & MAX_INDEX, cuda.threadIdx.x & BLOCK - 1
        own = cuda.shared.array(block_shape, int64)
        if at < new.shape[0]:
            low, high = 0, rows.shape[0]
            while high - low > 1:
                middle = (low + high) // 2
                if offsets[middle] <= at:
                    low = middle
                else:
                    high = middle
            copy_row(rows, low, new, at)
            weights[at] = 1
            if offsets[low + 1] - offsets[low] > 1:
                load(rows, low, own, me)
                weights[at] = roll_weight(own, me, at - offsets[low])
                set_roll(own, me, at - offsets[low])
                store(own, me, new, at)

    @cuda.jit
    def set_all_dice(rows: Any, dice: Any, new: Any, bad: Any) -> None:
        i, me = cuda.grid(1) & MAX_INDEX, cuda.threadIdx.x & BLOCK - 1
        own = cuda.shared.array(block_shape, int64)
        if i < rows.shape[0]:
            copy_row(rows, i, new, i)
            load(rows, i, own, me)
            number = find_roll(own, me, dice[i, 0], dice[i, 1])
            if number < 0 or rows[i, outcome_word]:
                bad[0] = i
            else:
                set_roll(own, me, number)
                store(own, me, new, i)

    @cuda.jit
    def reseed_rows(rows: Any, new: Any, seed: int) -> None:
        i, n = cuda.grid(1) & MAX_INDEX, rows.shape[0]
        copy_warp(rows, new, i, n)
        if i < n:
            new[i, key_row] = key_of(seed, i)

    @cuda.jit(device=True)
    def step_one(
        i: int,
        own: Any,
        me: int,
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
        to_play: Any,
        illegal: Any,
    ) -> None:
        """Loads a game's column at once, so that the words don't arrive one after the other."""
        for word in range(state_words):
            own[word, me] = state[word, i]
        action = sample_action(own, me) if is_random else actions[i]
        end = 0
        if is_random or is_legal(own, me, action):
            end = advance(own, me, history, i * history_words, action, limit, last, i)
            for word in range(state_words):
                if word != key_word:
                    state[word, i] = own[word, me]
        else:
            illegal[0] = i
        write_transition(i, end, scored, reward, terminated, truncated)
        to_play[i] = own[player_row, me]
        stage(own, me)

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
        i, n, me = cuda.grid(1) & MAX_INDEX, to_play.shape[0], cuda.threadIdx.x & BLOCK - 1
        own = cuda.shared.array(block_shape, int64)
        if i < n:
            step_one(
                i, own, me, state, last, history, actions, is_random, limit, scored, reward, terminated, truncated,
                to_play, illegal,
            )  # fmt: skip
        sync()
        write_warp(i, n, observation, mask)

    @cuda.jit
    def step_few(
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
        """One warp of a block plays, and all of them write."""
        n, me, first = to_play.shape[0], cuda.threadIdx.x & BLOCK - 1, cuda.blockIdx.x * WARP & MAX_INDEX
        own = cuda.shared.array(warp_shape, int64)
        if me < WARP and first + me < n:
            step_one(
                first + me, own, me, state, last, history, actions, is_random, limit, scored, reward, terminated,
                truncated, to_play, illegal,
            )  # fmt: skip
        cuda.syncthreads()
        slot = me // WARP * (WARP // WARPS)
        write_games(first + slot, slot, TEAM // WARPS, n, observation, mask)

    @cuda.jit
    def step_moves(
        state: Any,
        last: Any,
        history: Any,
        listed: Any,
        offsets: Any,
        moves: Any,
        chosen: Any,
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
        """`listed` has the states whose moves are given; a game in another state is left as it is."""
        i, n = cuda.grid(1) & MAX_INDEX, to_play.shape[0]
        if i < n:
            row, end = offsets[i] + chosen[i], 0
            is_good = 0 <= chosen[i] < offsets[i + 1] - offsets[i]
            for word in range(state_words):
                is_good = is_good and state[word, i] == listed[i, first_word + word]
            if is_good:
                end = advance_move(state, i, history, i * history_words, moves, row, limit, last)
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

    return Launches(
        refresh_all, step_all, step_few, step_moves, play_all, save_some, restore_some, check_rows, write_final,
        init_rows, observe_rows, step_rows, count_all_rolls, expand_rolls, set_all_dice, reseed_rows,
    )  # fmt: skip
