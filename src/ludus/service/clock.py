"""Uptime: wall-clock time minus the platform's downtime. Deadlines are measured in it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from ludus.service.ports import Clock


class Moment(NamedTuple):
    at: int
    """Milliseconds since 1970."""
    clock: int
    """The same moment in uptime."""


class WallClock:
    def now(self) -> int:
        return time.time_ns() // 1_000_000


class UptimeClock:
    def __init__(self, clock: Clock, downtime: int = 0) -> None:
        self._clock = clock
        self._latest = 0
        self.downtime = downtime
        """The platform's total downtime in milliseconds."""

    def moment(self) -> Moment:
        self._latest = max(self._latest, self._clock.now())  # if the wall clock is set back, ours stands still
        return Moment(self._latest, self._latest - self.downtime)

    def wall(self, clock: int) -> int:
        """The wall-clock time of a moment in uptime, if there is no more downtime."""
        return clock + self.downtime


def iso(ms: int) -> str:
    """Milliseconds since 1970 as ISO 8601, in UTC.

    >>> iso(1_700_000_000_123)
    '2023-11-14T22:13:20.123Z'
    """
    second, rest = divmod(ms, 1000)
    return f"{_iso_second(second)}.{rest:03}Z"


@lru_cache(maxsize=64)  # most messages name one of the last few seconds
def _iso_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()[:19]
