"""Throws away webhooks that have arrived or were given up long ago: a few at a time, so that nobody waits for it."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from ludus.service.ports import Clock, Conflict, DropDelivery, Store

DAY: Final = 24 * 3600 * 1000
"""In milliseconds."""
FEW: Final = 20
"""Letters thrown away together; more would hold up the moves that share their trip to the disk."""
BREATH_SECONDS: Final = 0.1
"""Between two batches while there are more."""
LOOK_SECONDS: Final = 60.0

log = structlog.get_logger("ludus.shredder")


class WebhookRetention:
    def __init__(self, store: Store, clock: Clock, days: int) -> None:
        """Letters are kept for so many days from when they were written; with 0 for ever."""
        self._store, self._clock, self._days = store, clock, days
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._days:
            self._task = asyncio.create_task(self._work())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def shred(self) -> bool:
        """Throws a few away; whether there may be more."""
        done = await self._store.deliveries_done(self._clock.now() - self._days * DAY, FEW)
        try:
            await self._store.commit(*map(DropDelivery, done))
        except Conflict:  # one was replayed since it was read: it is not done any more, and the next look passes it by
            log.info("a webhook came back to life")
        return len(done) == FEW

    async def _work(self) -> None:
        while True:
            has_more = False
            try:
                has_more = await self.shred()
            except Exception:
                log.exception("old webhooks could not be thrown away; it is tried again")
            await asyncio.sleep(BREATH_SECONDS if has_more else LOOK_SECONDS)
