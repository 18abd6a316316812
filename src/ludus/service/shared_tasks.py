"""Background tasks by what they are for: several who ask for the same thing share one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any


class SharedTasks:
    def __init__(self) -> None:
        self._running: dict[Hashable, asyncio.Task[None]] = {}

    def start(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        """Starts the work, unless it is under way."""
        if key not in self._running:
            task = self._running[key] = asyncio.create_task(work(), name=name)
            task.add_done_callback(lambda _: self._running.pop(key, None))

    def cancel(self, key: Hashable) -> None:
        """Ends the work, if it is under way."""
        if key in self._running:
            self._running[key].cancel()

    def __len__(self) -> int:
        return len(self._running)

    async def stop(self) -> None:
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
