"""How much one client may ask for: requests a minute or an hour, socket events a second, sockets at once."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Final, NamedTuple

MINUTE: Final = 60
HOUR: Final = 3600


class Verdict(NamedTuple):
    allowed: bool
    limit: int
    remaining: int
    reset: int
    """When the count starts again, in seconds since 1970."""
    retry_after: int
    """Seconds to wait; 0 for a request that is allowed."""


class Window(NamedTuple):
    hits: int
    ends: float


class RequestLimit:
    """Counts in windows of a minute or so, each beginning with a client's first request after the last one."""

    def __init__(self, limit: int, clock: Callable[[], float], seconds: int = MINUTE) -> None:
        """So many in so many seconds; `clock` tells those since 1970."""
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._windows: dict[str, Window] = {}

    def hit(self, who: str) -> Verdict:
        now = self._clock()
        self._forget(now)
        hits, ends = self._windows.get(who, Window(0, now + self._seconds))
        self._windows[who] = Window(hits + 1, ends)
        allowed = hits < self._limit
        wait = 0 if allowed else max(1, ceil(ends - now))
        return Verdict(allowed, self._limit, max(0, self._limit - hits - 1), ceil(ends), wait)

    def take_back(self, who: str) -> None:
        """The last hit does not count."""
        if who in self._windows:
            hits, ends = self._windows[who]
            self._windows[who] = Window(max(0, hits - 1), ends)

    def _forget(self, now: float) -> None:
        """All windows are equally long, so the first to end is in front; one too far off is from a clock set back."""
        while self._windows:
            oldest = next(iter(self._windows))
            if now < self._windows[oldest].ends <= now + self._seconds:
                return
            del self._windows[oldest]


class EventLimit:
    """One socket's events: so many at once, and as many again each second."""

    __slots__ = ("_left", "_most", "_seen")

    def __init__(self, per_second: int, now: float) -> None:
        """`now`, here and below, is any clock in seconds that never goes back."""
        self._most = float(per_second)
        self._left = self._most
        self._seen = now

    def allows(self, now: float, cost: int = 1) -> bool:
        """Whether there is room for an event as dear as `cost` ordinary ones."""
        left = self._left + (now - self._seen) * self._most
        self._seen = now
        if left > self._most:
            left = self._most
        if left < cost:
            self._left = left
            return False
        self._left = left - cost
        return True


class SocketCount:
    """How many sockets each address has open."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[str, int] = {}

    def enter(self, address: str) -> bool:
        """Counts a socket in, unless the address has too many; only one let in may `leave`."""
        count = self._open.get(address, 0)
        if count >= self._most:
            return False
        self._open[address] = count + 1
        return True

    def leave(self, address: str) -> None:
        count = self._open[address]
        if count > 1:
            self._open[address] = count - 1
        else:
            del self._open[address]
