"""Requests that wait for something to happen in a match. One that waits is a future and a timer, nothing else."""

from __future__ import annotations

import asyncio


class Waiting:
    def __init__(self) -> None:
        self._asleep: dict[str, set[asyncio.Future[None]]] = {}
        self.is_over = False
        """Whether nobody is to wait any more."""

    def __len__(self) -> int:
        return sum(map(len, self._asleep.values()))

    async def sleep(self, match: str, seconds: float) -> None:
        """Until something happens in the match, or the time is up."""
        loop = asyncio.get_running_loop()
        alarm: asyncio.Future[None] = loop.create_future()
        timer = loop.call_later(seconds, _ring, alarm)
        asleep = self._asleep.setdefault(match, set())
        asleep.add(alarm)
        try:
            await alarm
        finally:
            timer.cancel()
            asleep.discard(alarm)
            if not asleep and self._asleep.get(match) is asleep:
                del self._asleep[match]

    def wake(self, match: str) -> None:
        for alarm in self._asleep.pop(match, ()):
            _ring(alarm)

    def wake_all(self) -> None:
        """For good: the server is about to stop."""
        self.is_over = True
        for match in list(self._asleep):
            self.wake(match)


def _ring(alarm: asyncio.Future[None]) -> None:
    if not alarm.done():
        alarm.set_result(None)
