"""What waits for clients to read it, in bytes: bounded for each connection, and in all."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

OVERHEAD: Final = 256
"""Bytes of the objects around one message."""

Drop = Callable[[], None]
"""Ends the connection and forgets what was queued for it. Called from within a send, so it must not send."""


def nothing() -> None:
    pass


def memory_of(message: object) -> int:
    """What a queued message takes, whatever alphabet it is written in."""
    return sys.getsizeof(message) + OVERHEAD


class Backlogs:
    """All backlogs of a process. When the total is exceeded, the biggest goes."""

    def __init__(self, most: int, most_in_all: int, on_drop: Callable[[str], object] = lambda _reason: None) -> None:
        """Limits in bytes; `on_drop` is called with the reason whenever a connection goes."""
        self.most = most
        self.most_in_all = most_in_all
        self.size = 0
        self.on_drop = on_drop
        self._waiting: set[Backlog] = set()
        """Those that are not empty."""

    def open(self, drop: Drop, most: int | None = None) -> Backlog:
        """For one connection; `most` overrides the limit."""
        return Backlog(self, drop, self.most if most is None else most)

    def resize(self, backlog: Backlog, size: int) -> None:
        self.size += size - backlog.size
        backlog.size = size
        if size == 0:
            self._waiting.discard(backlog)
            return
        self._waiting.add(backlog)
        if size > backlog.most:
            self._drop(backlog, "send_queue")
        while self.size > self.most_in_all:
            self._drop(max(self._waiting, key=lambda each: each.size), "send_total")

    def _drop(self, backlog: Backlog, reason: str) -> None:
        drop = backlog.drop
        backlog.close()
        self.on_drop(reason)
        drop()


class Backlog:
    __slots__ = ("_all", "_is_closed", "drop", "most", "size")

    def __init__(self, backlogs: Backlogs, drop: Drop, most: int) -> None:
        self._all = backlogs
        self._is_closed = False
        self.drop = drop
        self.most = most
        self.size = 0

    def add(self, size: int) -> None:
        """Drops connections, perhaps this one, if it is too much."""
        self.set(self.size + size)

    def remove(self, size: int) -> None:
        self.set(max(0, self.size - size))

    def set(self, size: int) -> None:
        if not self._is_closed:
            self._all.resize(self, size)

    def close(self) -> None:
        """The connection has ended; it no longer counts."""
        self.set(0)
        self._is_closed = True
        self.drop = nothing  # which leaves no cycle of references
