"""How long a sitting of a training may last. Learners look at the clock between pieces of their work."""

from __future__ import annotations

import time
from collections.abc import Callable

Look = Callable[[], None]
"""Called between two pieces of work; it may raise `TimeIsOver`."""


class TimeIsOver(Exception):
    """Ends the generation at hand, of which nothing is kept."""


class Clock:
    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._end = now, now() + seconds

    def look(self) -> None:
        if self._now() >= self._end:
            raise TimeIsOver


def never() -> None:
    """The look of a learner that has all the time it wants."""
