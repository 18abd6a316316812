"""Limits for one client: requests per minute, hour or day, socket events per second, open sockets."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Final, NamedTuple, Protocol

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 24 * HOUR
CLOSE: Final = 0.75
"""The part of a limit from which on the counts of other processes soon matter."""


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


class Processes(Protocol):
    """What a limit knows about the other processes, which count towards it too."""

    def share_of(self, limit: int) -> int:
        """What this process may let in by itself: all of it while it knows what the others have counted."""


class Alone:
    """There are no others."""

    def share_of(self, limit: int) -> int:
        return limit


class Window:
    __slots__ = ("ends", "hits", "others", "sent")

    def __init__(self, ends: float) -> None:
        self.ends = ends
        self.hits = 0
        """Counted by this process."""
        self.others = 0
        """Counted by others, as far as is known."""
        self.sent = 0
        """Of our hits, those that the others can know of."""


class RequestLimit:
    """Counts in fixed windows, each starting with a client's first request after the previous one ended.

    Requests that are refused are not counted.
    """

    def __init__(self, limit: int, clock: Callable[[], float], seconds: int = MINUTE) -> None:
        """At most `limit` in `seconds`; `clock` returns seconds since 1970."""
        self._limit = limit
        self.seconds = seconds
        self.clock = clock
        self.windows: dict[str, Window] = {}
        self.processes: Processes = Alone()
        self.on_change: Callable[[str], None] = ignore
        """Called with a client whose count has changed, or should be compared with that of others."""

    def hit(self, who: str) -> Quota:
        now = self.clock()
        self._forget(now)
        window = self.window(who, now) or Window(now + self.seconds)
        self.windows[who] = window
        total = window.hits + window.others
        allowed = total < self._limit and window.hits < self.processes.share_of(self._limit)
        if allowed:
            window.hits += 1
        self.on_change(who)
        wait = 0 if allowed else max(1, ceil(window.ends - now))
        remaining = max(0, self._limit - total - 1) if allowed else 0
        return Quota(allowed, self._limit, remaining, ceil(window.ends), wait)

    def take_back(self, who: str) -> None:
        """Un-counts the latest hit that was allowed."""
        window = self.windows.get(who)
        if window is not None and window.hits:
            window.hits -= 1
            self.on_change(who)

    def is_close(self, window: Window) -> bool:
        """Whether the client has nearly used the limit up."""
        return CLOSE * self._limit <= window.hits + window.others < self._limit

    def window(self, who: str, now: float) -> Window | None:
        """The client's current window."""
        window = self.windows.get(who)
        return window if window is not None and self._is_current(window, now) else None

    def _is_current(self, window: Window, now: float) -> bool:
        """One that ends too late is from before the clock was set back."""
        return now < window.ends <= now + self.seconds

    def _forget(self, now: float) -> None:
        """Windows have about one length, so the first to end is near the front."""
        while self.windows:
            oldest = next(iter(self.windows))
            if self._is_current(self.windows[oldest], now):
                return
            del self.windows[oldest]


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
    """Open sockets by address, or anything else that is limited by address."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.open: dict[str, int] = {}
        self.others: dict[str, int] = {}
        """What other processes have, as far as is known, of addresses that were seen here."""
        self.processes: Processes = Alone()
        self.on_change: Callable[[str], None] = ignore
        """As that of `RequestLimit`."""

    def enter(self, address: str) -> bool:
        """Counts a socket, unless the address has too many; call `leave` only after True."""
        count = self.open.get(address, 0)
        if count + self.others.get(address, 0) >= self._most or count >= self.processes.share_of(self._most):
            self.on_change(address)
            return False
        self.add(address)
        return True

    def add(self, address: str) -> None:
        """Counts one, however many there are."""
        self.open[address] = self.open.get(address, 0) + 1
        self.on_change(address)

    def leave(self, address: str) -> None:
        count = self.open[address]
        if count > 1:
            self.open[address] = count - 1
        else:
            del self.open[address]
        self.on_change(address)


def ignore(_who: str) -> None:
    pass
