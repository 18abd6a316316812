"""Sampling on a GPU.

Each game of a batch has a thread, which takes the legal actions from the game's column and reads only their logits.
These it keeps in shared memory.
Each row of a mask has sixteen threads: in a draw every thread has a range of the actions, since their order matters,
and for log-probabilities neighbouring threads read neighbouring actions.
"""

from __future__ import annotations

import math
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from numba import config, float32, int64

from ludus.core.cuda import (
    check_not_capturing,
    cuda,
    current_stream,
    device_array,
    on_device,
    to_device,
    to_host,
    write,
)
from ludus.core.kernel import for_cuda
from ludus.envs.sampling import arrays, columns, rows
from ludus.envs.sampling.arrays import Shape
from ludus.envs.sampling.cpu import Numbers, Softmax
from ludus.envs.sampling.weights import ONE

IS_SIMULATED = bool(config.ENABLE_CUDASIM)  # type: ignore[attr-defined]  # Numba makes its settings at run time
BLOCK = 64 if IS_SIMULATED else 128
TEAM = 16
"""Threads that share a row; they are of one warp."""
ROOM = 24
"""Logits that a thread keeps in shared memory; few games have more legal actions."""


class Buffers:
    """The device's own arrays: placeholders for absent ones, and the flags for bad rows."""

    def __init__(self) -> None:
        self.no_logits = device_array((1, 1), np.float32)
        self.no_keys = device_array((2, 2), np.int64)[:, 0]
        self.no_bits = device_array(1, np.int64)
        self.no_log_probs = device_array(1, np.float32)
        self._bad, self._unchecked = (to_device(np.full(1, -1, np.int64)) for _ in range(2))

    def bad(self, check: bool) -> Any:
        """Where a launch marks a bad row. Unchecked launches have another place, so checks don't see their marks."""
        if check:
            check_not_capturing()
        return self._bad if check else self._unchecked

    def take_bad(self, check: bool) -> int:
        """The bad row of a checked launch, or -1; waits for the device."""
        row = int(to_host(self._bad)[0]) if check else -1
        if row >= 0:
            write(self._bad, np.full(1, -1, np.int64))
        return row


@cache
def buffers() -> Buffers:
    return Buffers()


@cache
def device_bits(encoding: Any) -> Any:
    return buffers().no_bits if encoding is None else to_device(arrays.bits_of_actions(encoding))


def grid(total: int, threads: int) -> tuple[int, int, Any]:
    """Enough blocks for `threads` threads per row, and the stream."""
    return max(1, -(-total * threads // BLOCK)), BLOCK, current_stream()


def sample(
    mask: Any,
    logits: Any,
    shape: Shape,
    numbers: Numbers,
    softmax: Softmax,
    actions: Any,
    log_probs: Any,
    check: bool,
) -> int:
    own = buffers()
    kernel = kernels(shape.encoding is not None)[0]
    values, logs = logits is not None, log_probs is not None
    kernel[grid(shape.rows, TEAM)](
        on_device(mask), shape.actions, device_bits(shape.encoding), values,
        on_device(logits) if values else own.no_logits,
        *device_numbers(numbers), *softmax, on_device(actions), logs,
        on_device(log_probs) if logs else own.no_log_probs, own.bad(check),
    )  # fmt: skip
    return own.take_bad(check)


def device_numbers(numbers: Numbers) -> Numbers:
    return numbers if numbers.has_keys else numbers._replace(keys=buffers().no_keys, counters=buffers().no_keys)


def sample_columns(
    kernel: ModuleType,
    state: Any,
    logits: Any,
    purpose: int,
    softmax: Softmax,
    actions: Any,
    log_probs: Any,
    check: bool,
) -> int:
    """Like `sample`, for all games of a batch, without their masks."""
    own, values, logs = buffers(), logits is not None, log_probs is not None
    column_kernel(kernel)[grid(len(actions), 1)](
        state, values, on_device(logits) if values else own.no_logits, purpose, *softmax, actions, logs,
        log_probs if logs else own.no_log_probs, own.bad(check),
    )  # fmt: skip
    return own.take_bad(check)


def sample_random(kernel: ModuleType, state: Any, actions: Any) -> None:
    random_kernel(kernel)[grid(len(actions), 1)](state, actions)


def log_softmax(mask: Any, logits: Any, shape: Shape, softmax: Softmax, out: Any, check: bool) -> int:
    own = buffers()
    kernels(shape.encoding is not None)[1][grid(shape.rows, TEAM)](
        on_device(mask), shape.actions, device_bits(shape.encoding), on_device(logits), *softmax, on_device(out),
        own.bad(check),
    )  # fmt: skip
    return own.take_bad(check)


def top_k(mask: Any, logits: Any, shape: Shape, numbers: Numbers, actions: Any, scores: Any, check: bool) -> int:
    own = buffers()
    kernels(shape.encoding is not None)[2][grid(shape.rows, 1)](
        on_device(mask), shape.actions, device_bits(shape.encoding), on_device(logits), *device_numbers(numbers),
        on_device(actions), on_device(scores), own.bad(check),
    )  # fmt: skip
    return own.take_bad(check)


@cache
def random_kernel(game: ModuleType) -> Any:
    sample_action = for_cuda(game).sample_action

    @cuda.jit
    def sample_all(state: Any, actions: Any) -> None:
        i = cuda.grid(1)
        if i < actions.shape[0]:
            actions[i] = sample_action(state, i)

    return sample_all


@cache
def column_kernel(game: ModuleType) -> Any:
    sample_column, parts, room = for_cuda(columns, game).sample_column, 2 * (game.ACTIONS + 63 >> 6), ROOM * BLOCK

    @cuda.jit
    def sample_all(
        state: Any,
        has_logits: bool,
        logits: Any,
        purpose: int,
        scale: float,
        is_greedy: bool,
        actions: Any,
        wants_log: bool,
        log_probs: Any,
        bad: Any,
    ) -> None:
        i = cuda.grid(1)
        if i < actions.shape[0]:
            sets, values = cuda.local.array(parts, int64), cuda.shared.array(room, float32)
            action, log = sample_column(
                state, i, sets, has_logits, logits, purpose, scale, is_greedy, wants_log, values, cuda.threadIdx.x,
                BLOCK,
            )  # fmt: skip
            actions[i] = action
            if action < 0:
                bad[0] = i
            if wants_log:
                log_probs[i] = log

    return sample_all


@cache
def kernels(is_packed: bool) -> tuple[Any, Any, Any]:
    """The launches for one layout of masks: sample, log-softmax, top k."""
    names = for_cuda(rows)
    higher, weight_of, scaled, log_probability = names.higher, names.weight_of, names.scaled, names.log_probability
    gumbel, insert, clear, draw, key_of = names.gumbel, names.insert, names.clear, names.draw, names.key_of
    one, inf, nan = ONE, math.inf, math.nan

    @cuda.jit(device=True)
    def sync() -> None:
        """Waits for the rest of the warp, and with it for the team."""
        if IS_SIMULATED:  # there a warp is a block
            cuda.syncthreads()
        else:
            cuda.syncwarp()

    @cuda.jit(device=True)
    def is_legal(mask: Any, bits: Any, row: int, action: int) -> Any:
        if not is_packed:
            return bool(mask[row, action])
        bit = bits[action]
        return bit >= 0 and (mask[row, bit >> 6] >> (bit & 63) & 1) != 0

    @cuda.jit(device=True)
    def word_of(keys: Any, counters: Any, has_keys: bool, seed: int, counter: int, purpose: int, row: int) -> Any:
        if has_keys:
            return draw(keys[row], purpose, counters[row])
        return draw(key_of(seed, row), purpose, counter)

    @cuda.jit
    def sample_all(
        mask: Any,
        width: int,
        bits: Any,
        has_logits: bool,
        logits: Any,
        keys: Any,
        counters: Any,
        has_keys: bool,
        seed: int,
        counter: int,
        purpose: int,
        scale: float,
        is_greedy: bool,
        actions: Any,
        wants_log: bool,
        log_probs: Any,
        bad: Any,
    ) -> None:
        """Each thread finds its highest logit, then its weight; the thread whose share is drawn writes the action."""
        highs = cuda.shared.array(BLOCK, float32)
        sums = cuda.shared.array(BLOCK, int64)
        me = cuda.threadIdx.x
        row, lane, team = cuda.blockIdx.x * (BLOCK // TEAM) + me // TEAM, me & TEAM - 1, me & ~(TEAM - 1)
        chunk = (width + TEAM - 1) // TEAM
        first, stop = lane * chunk, min((lane + 1) * chunk, width)
        highs[me], sums[me] = -inf, 0
        if row < actions.shape[0] and has_logits:
            for action in range(first, stop):
                if is_legal(mask, bits, row, action):
                    highs[me] = higher(logits[row, action], highs[me])
        sync()
        highest = highs[team]
        for mate in range(1, TEAM):
            highest = higher(highs[team + mate], highest)
        if row < actions.shape[0]:
            for action in range(first, stop):
                if is_legal(mask, bits, row, action):
                    sums[me] += weight_of(logits[row, action], highest, scale, is_greedy) if has_logits else one
        sync()
        if row < actions.shape[0]:
            before, total = 0, 0
            for mate in range(TEAM):
                before += sums[team + mate] if mate < lane else 0
                total += sums[team + mate]
            if total == 0 and lane == 0:
                actions[row] = -1
                bad[0] = row
                if wants_log:
                    log_probs[row] = nan
            word = word_of(keys, counters, has_keys, seed, counter, purpose, row)
            mark = 0 if is_greedy else scaled(word, total)
            if before <= mark < before + sums[me]:
                action, seen = first - 1, before
                while seen <= mark:
                    action += 1
                    if is_legal(mask, bits, row, action):
                        seen += weight_of(logits[row, action], highest, scale, is_greedy) if has_logits else one
                actions[row] = action
                if wants_log and has_logits:
                    log_probs[row] = log_probability(logits[row, action] - highest, scale, is_greedy, total)
                elif wants_log:
                    log_probs[row] = -math.log(total / one)

    @cuda.jit
    def log_softmax_all(
        mask: Any,
        width: int,
        bits: Any,
        logits: Any,
        scale: float,
        is_greedy: bool,
        out: Any,
        bad: Any,
    ) -> None:
        """Order doesn't matter here, so neighbouring threads take neighbouring actions."""
        highs = cuda.shared.array(BLOCK, float32)
        sums = cuda.shared.array(BLOCK, int64)
        me = cuda.threadIdx.x
        row, lane, team = cuda.blockIdx.x * (BLOCK // TEAM) + me // TEAM, me & TEAM - 1, me & ~(TEAM - 1)
        highs[me], sums[me] = -inf, 0
        if row < out.shape[0]:
            for action in range(lane, width, TEAM):
                if is_legal(mask, bits, row, action):
                    highs[me] = higher(logits[row, action], highs[me])
        sync()
        highest = highs[team]
        for mate in range(1, TEAM):
            highest = higher(highs[team + mate], highest)
        if row < out.shape[0]:
            for action in range(lane, width, TEAM):
                if is_legal(mask, bits, row, action):
                    sums[me] += weight_of(logits[row, action], highest, scale, is_greedy)
        sync()
        if row < out.shape[0]:
            total = 0
            for mate in range(TEAM):
                total += sums[team + mate]
            if total == 0:
                bad[0] = row
            for action in range(lane, width, TEAM):
                if total == 0:
                    out[row, action] = nan
                elif is_legal(mask, bits, row, action):
                    out[row, action] = log_probability(logits[row, action] - highest, scale, is_greedy, total)
                else:
                    out[row, action] = -inf

    @cuda.jit
    def top_k_all(
        mask: Any,
        width: int,
        bits: Any,
        logits: Any,
        keys: Any,
        counters: Any,
        has_keys: bool,
        seed: int,
        counter: int,
        purpose: int,
        actions: Any,
        scores: Any,
        bad: Any,
    ) -> None:
        """One thread per row: the few best are kept sorted in the output."""
        row = cuda.grid(1)
        if row < actions.shape[0]:
            clear(scores, actions, row)
            word = word_of(keys, counters, has_keys, seed, counter, purpose, row)
            for action in range(width):
                if is_legal(mask, bits, row, action):
                    value = logits[row, action]
                    if not value < inf:
                        bad[0] = row
                    insert(scores, actions, row, value + gumbel(word, action), action)
            if actions[row, 0] < 0:
                bad[0] = row

    return sample_all, log_softmax_all, top_k_all
