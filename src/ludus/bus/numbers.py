"""Notices when entries of other processes were missed, by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

FORGET_SECONDS: Final = 60.0
"""After which a silent process is forgotten. If it returns, something may have been missed."""
MAX_PUBLISHERS: Final = 10_000


class Numbers:
    def __init__(self, streams: int, clock: Callable[[], float]) -> None:
        """`clock` returns seconds since any moment."""
        self._streams = streams
        self._clock = clock
        self._seen: dict[str, list[int]] = {}
        """The last numbers by publisher."""
        self._heard: dict[str, float] = {}
        """When the publisher last said something; in that order."""
        self.is_settled = False
        """Whether a publisher not heard of before must have just started: its first number is 1."""

    def __len__(self) -> int:
        return len(self._seen)

    def entry(self, publisher: str, stream: int, number: int) -> bool:
        """Whether entries before this one were missed. An entry may come twice."""
        seen = self._numbers_of(publisher)
        is_gap = number > seen[stream] + 1
        seen[stream] = max(seen[stream], number)
        return is_gap and self.is_settled

    def beacon(self, publisher: str, numbers: Sequence[int]) -> bool:
        """Whether any entries up to these were missed."""
        seen = self._numbers_of(publisher)
        is_gap = any(number > known for number, known in zip(numbers, seen, strict=True))
        seen[:] = map(max, seen, numbers)
        return is_gap and self.is_settled

    def _numbers_of(self, publisher: str) -> list[int]:
        now = self._clock()
        self._heard.pop(publisher, None)
        self._heard[publisher] = now
        self._forget(now)
        return self._seen.setdefault(publisher, [0] * self._streams)

    def _forget(self, now: float) -> None:
        while (oldest := next(iter(self._heard))) and (
            now - self._heard[oldest] > FORGET_SECONDS or len(self._heard) > MAX_PUBLISHERS
        ):
            del self._heard[oldest]
            self._seen.pop(oldest, None)
