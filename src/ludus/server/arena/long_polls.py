"""Long polling: requests held until something happens in a match. Each costs a future and a timer, nothing else."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

MOST_HELD: Final = 16
"""Requests one agent may have held at once: four for each match it can play at a time."""

Wakeup = asyncio.Future[bool]
"""Its result is whether the request may be held again."""


class LongPolls:
    def __init__(self) -> None:
        self._by_match: dict[str, set[Wakeup]] = {}
        self._by_agent: dict[str, deque[Wakeup]] = {}
        """Oldest first."""
        self.is_stopping = False
        """Whether requests are no longer held."""

    def __len__(self) -> int:
        return sum(map(len, self._by_match.values()))

    async def wait(self, match: str, seconds: float, agent: str) -> bool:
        """Until something happens in the match or the time is up; False if a newer request took this one's place."""
        loop = asyncio.get_running_loop()
        wakeup: Wakeup = loop.create_future()
        timer = loop.call_later(seconds, _wake, wakeup)
        waiting = self._by_match.setdefault(match, set())
        waiting.add(wakeup)
        held = self._hold(agent, wakeup)
        try:
            return await wakeup
        finally:
            timer.cancel()
            waiting.discard(wakeup)
            if not waiting and self._by_match.get(match) is waiting:
                del self._by_match[match]
            held.remove(wakeup)
            if not held:
                del self._by_agent[agent]

    def _hold(self, agent: str, wakeup: Wakeup) -> deque[Wakeup]:
        held = self._by_agent.setdefault(agent, deque())
        held.append(wakeup)
        if len(held) > MOST_HELD:
            _wake(held[-MOST_HELD - 1], may_wait=False)  # older ones are already on their way out
        return held

    def has(self, match: str) -> bool:
        return match in self._by_match

    def wake(self, match: str) -> None:
        for wakeup in self._by_match.pop(match, ()):
            _wake(wakeup)

    def wake_all(self) -> None:
        """Answers everything held and holds nothing from now on: the server is stopping."""
        self.is_stopping = True
        for match in list(self._by_match):
            self.wake(match)


def _wake(wakeup: Wakeup, *, may_wait: bool = True) -> None:
    if not wakeup.done():
        wakeup.set_result(may_wait)
