"""Work shared by several processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, TypeVar

R = TypeVar("R")

AHEAD: Final = 4
"""How many results a process may be ahead of the one that is asked for."""


def ordered_results(
    work: Callable[[int], R], number: int, jobs: int, start: Callable[..., None], arguments: tuple[Any, ...]
) -> Iterator[R]:
    """`work(0)`, `work(1)`… in order, from processes that begin with `start`. Closing the iterator ends them."""
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, initializer=start, initargs=arguments)
    ahead: deque[Future[R]] = deque()
    try:
        for each in range(number):
            with _sigint_blocked():
                ahead.append(pool.submit(work, each))
            if len(ahead) == AHEAD * jobs:
                yield ahead.popleft().result()
        while ahead:
            result = ahead[0].result()  # removed only afterwards, so that an interruption also ends its worker
            ahead.popleft()
            yield result
    finally:
        for worker in set(multiprocessing.active_children()) - others if ahead else ():
            worker.terminate()
        pool.shutdown()


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Ctrl-C reaches child processes too. Those started here ignore it; the parent ends them and reports."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
