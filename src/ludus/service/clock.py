"""Platform time: the wall clock less all the time that the platform was closed. Deadlines are in it."""

from __future__ import annotations

import time
from typing import NamedTuple

from ludus.service.ports import Clock


class Moment(NamedTuple):
    at: int
    """Milliseconds since 1970."""
    clock: int
    """The same moment in platform time."""


class WallClock:
    def now(self) -> int:
        return time.time_ns() // 1_000_000


class UptimeClock:
    def __init__(self, clock: Clock, closed: int = 0) -> None:
        self._clock = clock
        self._latest = 0
        self.closed = closed
        """How long the platform has been closed in all, in milliseconds."""

    def moment(self) -> Moment:
        self._latest = max(self._latest, self._clock.now())  # a wall clock that is set back stands still here
        return Moment(self._latest, self._latest - self.closed)

    def wall(self, clock: int) -> int:
        """When a moment of platform time will be, if the platform stays open."""
        return clock + self.closed
