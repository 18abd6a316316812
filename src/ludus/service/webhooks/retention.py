"""Deletes old webhooks that were delivered or given up, in small batches."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from ludus.service.ports import Clock, Conflict, DropDelivery, Store

DAY: Final = 24 * 3600 * 1000
"""In milliseconds."""
BATCH: Final = 20
"""Deliveries deleted at once; more would delay the moves in the same group commit."""
PAUSE_SECONDS: Final = 0.1
"""Between two batches while there are more."""
POLL_SECONDS: Final = 60.0

log = structlog.get_logger("ludus.webhooks")


class WebhookRetention:
    def __init__(self, store: Store, clock: Clock, days: int) -> None:
        """Deliveries are kept for this many days after their creation; 0 keeps them forever."""
        self._store, self._clock, self._days = store, clock, days
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._days:
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def delete_old(self) -> bool:
        """Deletes one batch; returns whether there may be more."""
        done = await self._store.deliveries_done(self._clock.now() - self._days * DAY, BATCH)
        try:
            await self._store.commit(*map(DropDelivery, done))
        except Conflict:  # one was replayed since it was read; the next batch will not include it
            log.info("a webhook was replayed while being deleted")
        return len(done) == BATCH

    async def _run(self) -> None:
        while True:
            has_more = False
            try:
                has_more = await self.delete_old()
            except Exception:
                log.exception("old webhooks could not be deleted; retrying")
            await asyncio.sleep(PAUSE_SECONDS if has_more else POLL_SECONDS)
