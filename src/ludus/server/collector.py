"""When garbage is collected: a full collection stops everything for tenths of a second, so it waits for a quiet moment.

Nearly all objects of a server are freed without the collector, or live as long as a game. Cycles that are short-lived,
such as those of errors, are found among the youngest objects; the others can wait.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import monotonic, process_time
from typing import Final

YOUNG: Final = 10_000
"""New objects that are collected by themselves, in about two milliseconds."""
NEVER: Final = 1_000_000_000
ENOUGH: Final = 100_000
"""Objects that have been added since the last full collection, for another one in a quiet moment."""
MANY: Final = 1_000_000
"""The same for one that doesn't wait, unless there were more before."""
QUIET: Final = 0.1
"""Share of a core below which the process is quiet."""


class Collector:
    def __init__(
        self,
        clock: Callable[[], float] = monotonic,
        cpu: Callable[[], float] = process_time,
        collections: Callable[[], int] = lambda: gc.get_count()[1],
        collect: Callable[[], int] = lambda: _collect(),
    ) -> None:
        """`collections` counts those of young objects since the last full one; `collect` returns what is left."""
        self._clock = clock
        self._cpu = cpu
        self._collections = collections
        self._collect = collect
        self._seen = clock(), cpu()
        self._left = 0

    def start(self) -> None:
        gc.set_threshold(YOUNG, NEVER, NEVER)

    def check(self) -> None:
        """To be called about once a second."""
        added = self._collections() * YOUNG
        is_quiet = self._busy_share() < QUIET
        if added >= max(MANY, self._left) or (is_quiet and added >= ENOUGH):
            self._left = self._collect()

    def _busy_share(self) -> float:
        (then, spent), now = self._seen, (self._clock(), self._cpu())
        self._seen = now
        return (now[1] - spent) / max(1e-6, now[0] - then)


def _collect() -> int:
    gc.collect()
    return len(gc.get_objects())
