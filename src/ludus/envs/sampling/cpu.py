"""Sampling on all cores, each with a range of the rows."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.cores import cores
from ludus.core.kernel import compiled
from ludus.envs.options import check_integer
from ludus.envs.sampling import arrays, columns, rows
from ludus.envs.sampling.arrays import Shape

MIN_ROWS = 4096
"""Another thread doesn't pay for fewer rows than this."""
PAGE = 4096
NONE, NOTHING = np.zeros(0, np.float32), np.zeros(0, np.uint8)
NO_KEYS = np.zeros((2, 2), np.int64)[:, 0]
"""No keys, in the layout of a batch's state, so that one compiled function takes both."""


class Numbers(NamedTuple):
    """Where random numbers come from: games' keys and counters, or a seed and one counter for all rows."""

    keys: Any
    counters: Any
    has_keys: bool
    seed: int
    counter: int
    purpose: int


class Softmax(NamedTuple):
    scale: np.float32
    is_greedy: bool


@cache
def pool_of(process: int) -> ThreadPoolExecutor:
    """The process's threads; a forked process has none of its parent's."""
    return ThreadPoolExecutor(max(1, cores() - 1), f"ludus-sampling-{process}")


def ranges(total: int, threads: int | None) -> list[tuple[int, int]]:
    """The rows of each thread, for as many threads as pay."""
    most = cores() if threads is None else check_integer("threads", threads, 1)
    parts = max(1, min(most, total // MIN_ROWS))
    return list(pairwise(total * k // parts for k in range(parts + 1)))


def run(parts: Sequence[Any], work: Callable[[Any], int]) -> int:
    """Does the work for every part, the last one in this thread; returns the first bad row found, or -1."""
    if len(parts) == 1:
        return work(parts[0])
    others = [pool_of(os.getpid()).submit(work, part) for part in parts[:-1]]
    last = work(parts[-1])
    return min((bad for bad in (*(other.result() for other in others), last) if bad >= 0), default=-1)


class Buffers(threading.local):
    """A thread's room for the rows that are drawn together."""

    def __init__(self) -> None:
        self.by_width: dict[int, tuple[Any, ...]] = {}


BUFFERS = Buffers()


def scratch(width: int) -> tuple[Any, ...]:
    found = BUFFERS.by_width.get(width)
    if found is None:
        found = BUFFERS.by_width[width] = new_scratch(width)
    return found


def new_scratch(width: int) -> tuple[Any, ...]:
    """Legal actions as sets and as a list, their logits and weights, the same list as bytes, and its rows' starts.

    Vectors and lists of bytes may go beyond their end. The parts that are used most lie in different places of a page,
    since a processor mistakes addresses with the same place in their pages for each other.
    """
    size = max(width, rows.ROWS * min(width, rows.WIDEST)) + 64
    sets, starts = placed(0, rows.ROWS * -(-width // 64), np.int64), placed(1024, rows.ROWS + 1, np.int64)
    ids, values, sums = placed(1344, size, np.uint8), placed(1792, size, np.float32), placed(2624, size, np.int64)
    return sets, np.zeros(width, np.int64), values, sums, ids, starts


def placed(place: int, size: int, kind: Any) -> NDArray[Any]:
    """An array that begins `place` bytes after the beginning of a page."""
    room = np.zeros(2 * PAGE + size * np.dtype(kind).itemsize, np.uint8)
    first = (place - room.ctypes.data) % PAGE
    return room[first : first + size * np.dtype(kind).itemsize].view(kind)


def masks_of(mask: Any, shape: Shape) -> tuple[Any, int, int, Any]:
    return *arrays.flat_mask(np.asarray(mask)), shape.actions, arrays.actions_of_bits(shape.encoding)


def logits_of(logits: Any) -> tuple[Any, int]:
    return (NONE, 0) if logits is None else arrays.flat(np.asarray(logits))


def sample(
    mask: Any,
    logits: Any,
    shape: Shape,
    numbers: Numbers,
    softmax: Softmax,
    actions: NDArray[np.int64],
    log_probs: NDArray[np.float32] | None,
    threads: int | None,
) -> int:
    masks, sample_rows = masks_of(mask, shape), compiled(rows).sample_rows
    rest = logits_of(logits), tuple(numbers), tuple(softmax)

    def work(part: tuple[int, int]) -> int:
        a, b = part
        logs = NONE if log_probs is None else log_probs[a:b]
        return int(sample_rows(a, masks, *rest, actions[a:b], logs, scratch(shape.actions)))

    return run(ranges(shape.rows, threads), work)


@cache
def listed_actions(kernel: ModuleType) -> NDArray[np.uint8]:
    """The bytes from which a kernel makes its lists of legal actions."""
    return np.array([kernel.listed_action(number) for number in range(kernel.LISTED)], np.uint8)


class ColumnSampler:
    """Draws for the games of a batch. Looks up once what every call needs."""

    def __init__(self, kernel: ModuleType, state: Any, out: Any, threads: int) -> None:
        """`out` has the arrays of actions and log-probabilities; `drawn` is a copy of the actions."""
        self.can_list = hasattr(kernel, "write_legal") and hasattr(kernel, "list_legal")
        self._listed = listed_actions(kernel) if self.can_list else NOTHING
        loops = compiled(columns, kernel)
        self._sample_columns, self._sample_all = loops.sample_columns, loops.sample_all
        self._state, self._width = state, kernel.ACTIONS
        self.drawn = np.zeros(len(out.actions), np.int64)
        self._parts = [
            (a, out.actions[a:b], self.drawn[a:b], out.log_probs[a:b]) for a, b in ranges(len(out.actions), threads)
        ]

    def sample(self, logits: Any, purpose: int, softmax: Softmax, log_probs: bool) -> int:
        """Like the function `sample`, for kernels that can list the legal actions of a column."""
        values = logits_of(logits)
        if len(self._parts) == 1:
            return self._sample(self._parts[0], values, purpose, softmax, log_probs)
        return run(self._parts, lambda part: self._sample(part, values, purpose, softmax, log_probs))

    def _sample(self, part: Any, values: Any, purpose: int, softmax: Softmax, log_probs: bool) -> int:
        first, actions, drawn, logs = part
        return self._sample_columns(  # type: ignore[no-any-return]  # compiled
            self._state, first, values, purpose, tuple(softmax), actions, drawn, logs if log_probs else NONE,
            self._listed, scratch(self._width),
        )  # fmt: skip

    def sample_random(self) -> None:
        """The actions that `step()` would play."""

        def work(part: Any) -> int:
            first, actions, drawn, _ = part
            self._sample_all(self._state, first, actions, drawn)
            return -1

        run(self._parts, work)


def log_softmax(mask: Any, logits: Any, shape: Shape, softmax: Softmax, out: Any, threads: int | None) -> int:
    masks, values, log_softmax_rows = masks_of(mask, shape), logits_of(logits), compiled(rows).log_softmax_rows

    def work(part: tuple[int, int]) -> int:
        a, b = part
        return int(log_softmax_rows(a, masks, values, tuple(softmax), out[a:b], scratch(shape.actions)))

    return run(ranges(shape.rows, threads), work)


def top_k(
    mask: Any, logits: Any, shape: Shape, numbers: Numbers, actions: Any, scores: Any, threads: int | None
) -> int:
    masks, values, top_k_rows = masks_of(mask, shape), logits_of(logits), compiled(rows).top_k_rows

    def work(part: tuple[int, int]) -> int:
        a, b = part
        return int(top_k_rows(a, masks, values, tuple(numbers), actions[a:b], scores[a:b], scratch(shape.actions)))

    return run(ranges(shape.rows, threads), work)
