"""Requests that wait for something to happen in a match. One that waits is a future and a timer, nothing else."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

MOST_HELD: Final = 16
"""Requests in which one agent may wait at once: four for each match that it can have at a time."""

Alarm = asyncio.Future[bool]
"""Its result is whether whoever slept may sleep again."""


class Waiting:
    def __init__(self) -> None:
        self._asleep: dict[str, set[Alarm]] = {}
        self._held: dict[str, deque[Alarm]] = {}
        """By agent, the oldest first."""
        self.is_over = False
        """Whether nobody is to wait any more."""

    def __len__(self) -> int:
        return sum(map(len, self._asleep.values()))

    async def sleep(self, match: str, seconds: float, agent: str) -> bool:
        """Until something happens in the match, or the time is up; false if a newer request took the place of this."""
        loop = asyncio.get_running_loop()
        alarm: Alarm = loop.create_future()
        timer = loop.call_later(seconds, _ring, alarm)
        asleep = self._asleep.setdefault(match, set())
        asleep.add(alarm)
        held = self._hold(agent, alarm)
        try:
            return await alarm
        finally:
            timer.cancel()
            asleep.discard(alarm)
            if not asleep and self._asleep.get(match) is asleep:
                del self._asleep[match]
            held.remove(alarm)
            if not held:
                del self._held[agent]

    def _hold(self, agent: str, alarm: Alarm) -> deque[Alarm]:
        held = self._held.setdefault(agent, deque())
        held.append(alarm)
        if len(held) > MOST_HELD:
            _ring(held[-MOST_HELD - 1], may_go_on=False)  # those before it are on their way out already
        return held

    def wake(self, match: str) -> None:
        for alarm in self._asleep.pop(match, ()):
            _ring(alarm)

    def wake_all(self) -> None:
        """For good: the server is about to stop."""
        self.is_over = True
        for match in list(self._asleep):
            self.wake(match)


def _ring(alarm: Alarm, *, may_go_on: bool = True) -> None:
    if not alarm.done():
        alarm.set_result(may_go_on)
