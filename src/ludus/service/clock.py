"""Uptime: the time in which the platform is known to work. Deadlines are measured in it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple

from ludus.service.ports.clock import Clock

GRACE: Final = 3_000
"""Milliseconds between two heartbeats that count as uptime; a longer gap doesn't count at all."""
SETTLE: Final = 5_000
"""Milliseconds for which uptime stands still once the platform works again, so that clients can come back."""
JUMP: Final = 1_000
"""Milliseconds by which the wall clock and the monotonic one may drift apart between two heartbeats unnoticed."""
DRIFT: Final = 5
"""Milliseconds by which the two clocks may drift apart before the wall time of a deadline changes."""


class Moment(NamedTuple):
    at: int
    """Milliseconds since 1970."""
    clock: int
    """The same moment in uptime."""


class Heartbeat(NamedTuple):
    """A reading of the clock that counts once it is stored."""

    at: int
    clock: int
    monotonic: int
    missed: int
    """Milliseconds since the last heartbeat in which the platform did not work."""
    jump: int
    """Milliseconds by which the wall clock was set since the last heartbeat."""
    faults: int = 0
    """How many faults were noted before it."""

    @property
    def moves_deadlines(self) -> bool:
        """Whether deadlines in wall time are no longer what they were."""
        return self.missed > 0 or self.is_jump

    @property
    def is_jump(self) -> bool:
        """Whether the wall clock was set."""
        return abs(self.jump) > JUMP


class WallClock:
    def now(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> int:
        return time.monotonic_ns() // 1_000_000


class StoreClock:
    """The database's wall clock, which all processes of a cluster share, however their own ones are set."""

    def __init__(self, clock: Clock) -> None:
        """`clock` is this machine's; its wall clock counts until the database's is known."""
        self._clock = clock
        self._offset: int | None = None
        """From monotonic time to wall time."""

    def now(self) -> int:
        return self._clock.now() if self._offset is None else self._clock.monotonic() + self._offset

    def monotonic(self) -> int:
        return self._clock.monotonic()

    def note(self, at: int, before: int, after: int) -> None:
        """The database's clock stood at `at` at some time between these two readings of `monotonic`."""
        if self._offset is None or not at - after - DRIFT <= self._offset <= at - before + DRIFT:
            self._offset = at - (before + after) // 2


class UptimeClock:
    """Advances with the monotonic clock, as long as heartbeats are stored; whatever the wall clock is set to."""

    def __init__(self, clock: Clock, *, grace: int = GRACE, settle: int = SETTLE) -> None:
        self._clock = clock
        self.grace = grace
        self.settle = settle
        self.confirmed = clock.now()
        """Uptime at the last heartbeat: nobody may lose on time by a later reading."""
        self._at = self.confirmed
        self._beat = self._resumes = clock.monotonic()
        self._offset = self._at - self._beat
        """From monotonic time to wall time."""
        self._proposed = 0
        """The latest uptime that this process has asked the store to record."""
        self._faults = self._known_faults = 0

    def moment(self) -> Moment:
        """Uptime runs ahead of the last heartbeat for as long as the next one may take."""
        return Moment(self._clock.now(), self._uptime(self._clock.monotonic()))

    def wall(self, clock: int) -> int:
        """The wall-clock time of a moment in uptime, if nothing fails until then; the same whenever it is asked for."""
        now = self._measure_offset()
        since = max(self._beat, self._resumes)
        overdue = max(0, now - since - self.grace)
        return self._offset + since + overdue + clock - self.confirmed

    def note_fault(self) -> None:
        """Something could not be stored: the time from the last heartbeat to the next does not count."""
        self._faults += 1

    def heartbeat(self) -> Heartbeat:
        """Must be stored, then `confirm`ed; if that fails, call `note_fault`."""
        at, now = self._clock.now(), self._clock.monotonic()
        gap = now - self._beat
        is_missed = gap > self.grace or self._faults > self._known_faults
        uptime = self.confirmed if is_missed else self._uptime(now)
        self._proposed = max(self._proposed, uptime)
        return Heartbeat(at, uptime, now, max(1, gap) if is_missed else 0, at - self._at - gap, self._faults)

    def confirm(self, heartbeat: Heartbeat, stored: int) -> bool:
        """Returns whether deadlines are at other wall-clock times now.

        `stored` is the uptime according to the store. If it is later than anything proposed here, another process of
        the cluster has worked in the meantime: then nothing was missed, whatever happened to this one.
        """
        now = self._clock.monotonic()
        self._known_faults = heartbeat.faults
        self._at, self._beat = heartbeat.at, heartbeat.monotonic
        if stored <= self._proposed:
            self.confirmed = stored
            if heartbeat.missed:
                self._resumes = heartbeat.monotonic + self.settle
            return heartbeat.moves_deadlines
        passed = now - heartbeat.monotonic
        if heartbeat.missed or stored > self.confirmed + passed + max(0, heartbeat.clock - self.confirmed):
            # counted from now: the store may have been slow to answer, and uptime must not run fast
            self.confirmed, self._beat, self._resumes = stored, now, now
            self._at += passed
        else:  # the other process is ahead by less than the answer took
            self.confirmed = heartbeat.clock
        return heartbeat.is_jump

    def resume(self, at: int, stored: int) -> None:
        """Continues from when the platform was last known to work; a new one starts with the wall clock."""
        self._proposed = stored
        self.confirm(Heartbeat(at, stored, self._clock.monotonic(), missed=abs(at - stored), jump=0), stored)

    def _measure_offset(self) -> int:
        """Keeps the offset unless it is certain to have changed; returns monotonic time.

        The clocks count whole milliseconds, and are read one after the other: each reading can differ a little.
        """
        before, at, after = self._clock.monotonic(), self._clock.now(), self._clock.monotonic()
        if not at - after - DRIFT <= self._offset <= at - before + DRIFT:
            self._offset = at - after
        return after

    def _uptime(self, monotonic: int) -> int:
        since = max(self._beat, self._resumes)
        return self.confirmed + min(max(0, monotonic - since), self.grace)


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
