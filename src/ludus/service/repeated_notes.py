"""Notes that ask for something, repeated until the answer comes.

While a worker takes over the bots, no process heeds such a note. The process that works on it ignores repetitions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from typing import Final

from ludus.service.ports.bus import Bus, Note
from ludus.service.shared_tasks import SharedTasks

REPEAT_SECONDS: Final = 3.0
REPEATS: Final = 60
"""After that nobody waits for the answer any longer."""


class RepeatedNotes:
    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._tasks = SharedTasks()

    async def publish(self, key: Hashable, note: Note) -> None:
        """`key` is what the request and its answer have in common."""
        self._tasks.start(key, lambda: self._repeat(note), f"repeat {type(note).__name__}")
        await self._bus.publish(note)

    def settle(self, key: Hashable) -> None:
        """The answer has come, or nobody waits for it."""
        self._tasks.cancel(key)

    async def stop(self) -> None:
        await self._tasks.stop()

    async def _repeat(self, note: Note) -> None:
        for _ in range(REPEATS):
            await asyncio.sleep(REPEAT_SECONDS)
            await self._bus.publish(note)
