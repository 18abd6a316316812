"""Limits for one client: requests per minute or hour, socket events per second, open sockets."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Final, NamedTuple

MINUTE: Final = 60
HOUR: Final = 3600


class Quota(NamedTuple):
    """What is left of a client's limit after a request."""

    allowed: bool
    limit: int
    remaining: int
    reset: int
    """When the count starts over, in seconds since 1970."""
    retry_after: int
    """Seconds to wait; 0 if the request is allowed."""

    def headers(self) -> dict[str, str]:
        headers = {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.reset),
        }
        return headers if self.allowed else headers | {"Retry-After": str(self.retry_after)}


class Window(NamedTuple):
    hits: int
    ends: float


class RequestLimit:
    """Counts in fixed windows, each starting with a client's first request after the previous one ended."""

    def __init__(self, limit: int, clock: Callable[[], float], seconds: int = MINUTE) -> None:
        """At most `limit` in `seconds`; `clock` returns seconds since 1970."""
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._windows: dict[str, Window] = {}

    def hit(self, who: str) -> Quota:
        now = self._clock()
        self._forget(now)
        hits, ends = self._windows.get(who, Window(0, now + self._seconds))
        self._windows[who] = Window(hits + 1, ends)
        allowed = hits < self._limit
        wait = 0 if allowed else max(1, ceil(ends - now))
        return Quota(allowed, self._limit, max(0, self._limit - hits - 1), ceil(ends), wait)

    def take_back(self, who: str) -> None:
        """Un-counts the latest hit."""
        if who in self._windows:
            hits, ends = self._windows[who]
            self._windows[who] = Window(max(0, hits - 1), ends)

    def _forget(self, now: float) -> None:
        """Windows have one length, so the first to end is in front; one too far off is from a clock set back."""
        while self._windows:
            oldest = next(iter(self._windows))
            if now < self._windows[oldest].ends <= now + self._seconds:
                return
            del self._windows[oldest]


class EventLimit:
    """A token bucket for one socket's events: `per_second` at once, refilled each second."""

    __slots__ = ("_left", "_most", "_seen")

    def __init__(self, per_second: int, now: float) -> None:
        """`now`, here and below, is in seconds of any monotonic clock."""
        self._most = float(per_second)
        self._left = self._most
        self._seen = now

    def allows(self, now: float, cost: int = 1) -> bool:
        """Whether there is room for an event that costs as much as `cost` ordinary ones."""
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
    """Open sockets by address."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[str, int] = {}

    def enter(self, address: str) -> bool:
        """Counts a socket, unless the address has too many; call `leave` only after True."""
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
