"""Playing a whole series, in this process or in several."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Final

from ludus.core.errors import BadInput
from ludus.series.pairing import Pairing
from ludus.series.plan import Pair, Plan

AHEAD: Final = 4
"""How many pairs a process may be ahead of the one that is asked for."""

_pairing: Pairing
"""A worker's, set when it starts."""


def cores() -> int:
    """How many this process may use, where the system tells."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def play(plan: Plan, jobs: int = 1) -> Iterator[Pair]:
    """The pairs in their order; who stops asking stops the games."""
    plan.check()
    if jobs < 1:
        raise BadInput(f"games cannot be played by {jobs} processes")
    pairing = Pairing(plan)
    if min(jobs, plan.pairs) == 1:
        return map(pairing.play, range(plan.pairs))
    return _play_in_processes(plan, min(jobs, plan.pairs))


def _play_in_processes(plan: Plan, jobs: int) -> Iterator[Pair]:
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_settle, initargs=(plan,))
    ahead: deque[Future[Pair]] = deque()
    try:
        for number in range(plan.pairs):
            with _unheard():
                ahead.append(pool.submit(_play_pair, number))
            if len(ahead) == AHEAD * jobs:
                yield ahead.popleft().result()
        while ahead:
            pair = ahead[0].result()  # still in line while it is waited for: an interruption ends its worker
            ahead.popleft()
            yield pair
    finally:
        for worker in set(multiprocessing.active_children()) - others if ahead else ():
            worker.terminate()
        pool.shutdown()


@contextmanager
def _unheard() -> Iterator[None]:
    """Ctrl-C reaches the workers too: those born in here do not hear it; the first process ends them and reports."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _settle(plan: Plan) -> None:
    global _pairing
    _pairing = Pairing(plan)


def _play_pair(number: int) -> Pair:
    return _pairing.play(number)
