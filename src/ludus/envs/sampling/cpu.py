"""Sampling on all cores, each with a range of the rows."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
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
from ludus.envs.sampling import arrays, rows, uniform
from ludus.envs.sampling.arrays import Shape

MIN_ROWS = 4096
"""Rows below which another thread doesn't pay."""
NONE = np.zeros(0, np.float32)
NO_KEYS = np.zeros((2, 2), np.int64)[:, 0]
"""As the rows of a batch's state are, so that one compiled function takes both."""

Work = Callable[[int, int], int]


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
    """One for each process, since a fork has none of its parent's threads."""
    return ThreadPoolExecutor(max(1, cores() - 1), f"ludus-sampling-{process}")


def run(total: int, threads: int | None, work: Work) -> int:
    """Does the work for ranges of rows, the last one in this thread; the first bad row that any range found, or -1."""
    most = cores() if threads is None else check_integer("threads", threads, 1)
    parts = 1 if total < 2 * MIN_ROWS else min(most, total // MIN_ROWS)
    if parts == 1:
        return work(0, total)
    ranges = list(pairwise(total * k // parts for k in range(parts + 1)))
    others = [pool_of(os.getpid()).submit(work, *part) for part in ranges[:-1]]
    last = work(*ranges[-1])
    return min((bad for bad in (*(other.result() for other in others), last) if bad >= 0), default=-1)


class Buffers(threading.local):
    """A thread's room for one row: its legal actions as sets and as a list, with their logits and weights."""

    def __init__(self) -> None:
        self.by_size: dict[int, tuple[Any, ...]] = {}


BUFFERS = Buffers()


def scratch(actions: int) -> tuple[Any, ...]:
    found = BUFFERS.by_size.get(actions)
    if found is None:
        found = BUFFERS.by_size[actions] = new_scratch(actions)
    return found


def new_scratch(actions: int) -> tuple[Any, ...]:
    sets = np.zeros(-(-actions // 64), np.int64)
    return sets, np.zeros(actions, np.int64), np.zeros(actions, np.float32), np.zeros(actions, np.int64)


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
    masks, values, sample_rows = masks_of(mask, shape), logits_of(logits), compiled(rows).sample_rows

    def work(a: int, b: int) -> int:
        logs = NONE if log_probs is None else log_probs[a:b]
        return int(
            sample_rows(a, masks, values, tuple(numbers), tuple(softmax), actions[a:b], logs, scratch(shape.actions))
        )

    return run(shape.rows, threads, work)


def sample_random(kernel: ModuleType, state: Any, actions: NDArray[np.int64], threads: int | None) -> None:
    """The actions that `step()` would play."""
    sample_all = compiled(uniform, kernel).sample_all

    def work(a: int, b: int) -> int:
        sample_all(state, a, actions[a:b])
        return -1

    run(len(actions), threads, work)


def log_softmax(mask: Any, logits: Any, shape: Shape, softmax: Softmax, out: Any, threads: int | None) -> int:
    masks, values, log_softmax_rows = masks_of(mask, shape), logits_of(logits), compiled(rows).log_softmax_rows

    def work(a: int, b: int) -> int:
        return int(log_softmax_rows(a, masks, values, tuple(softmax), out[a:b], scratch(shape.actions)))

    return run(shape.rows, threads, work)


def top_k(
    mask: Any, logits: Any, shape: Shape, numbers: Numbers, actions: Any, scores: Any, threads: int | None
) -> int:
    masks, values, top_k_rows = masks_of(mask, shape), logits_of(logits), compiled(rows).top_k_rows

    def work(a: int, b: int) -> int:
        return int(top_k_rows(a, masks, values, tuple(numbers), actions[a:b], scores[a:b], scratch(shape.actions)))

    return run(shape.rows, threads, work)
