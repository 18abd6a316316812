"""Deletes what is older than the operator wants to keep: games, sessions and webhooks, in small batches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import structlog

from ludus.service.ports import Clock, Conflict, DropDelivery, DropSession, DropTable, Store, Write

DAY: Final = 24 * 3600 * 1000
"""In milliseconds."""
BATCH: Final = 20
"""Webhooks or sessions deleted at once; more would delay the moves in the same group commit."""
GAMES: Final = 4
"""The same for games, each of which is many rows."""
PAUSE_SECONDS: Final = 0.1
"""Between two batches while there are more."""
POLL_SECONDS: Final = 60.0

log = structlog.get_logger("ludus.retention")


class Days(NamedTuple):
    """How long each kind is kept; 0 is forever."""

    games: int = 0
    """After their end."""
    sessions: int = 0
    """After their creation, once they have ended."""
    webhooks: int = 0
    """After their creation, once they were delivered or given up."""


def ignore(_what: str, _number: int) -> None:
    pass


class Retention:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        days: Days,
        *,
        on_table: Callable[[str], None] = lambda _id: None,
        on_deleted: Callable[[str, int], None] = ignore,
    ) -> None:
        """`on_table` is called with the id of each deleted game, `on_deleted` with a kind and a number."""
        self._store, self._clock, self._days = store, clock, days
        self._on_table, self._on_deleted = on_table, on_deleted
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if any(self._days):
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def delete_old(self) -> bool:
        """Deletes a batch of each kind; returns whether there may be more."""
        days, now = self._days, self._clock.now()
        return any(
            [
                await self._delete("games", self._games, now - days.games * DAY) if days.games else False,
                await self._delete("sessions", self._sessions, now - days.sessions * DAY) if days.sessions else False,
                await self._delete("webhooks", self._webhooks, now - days.webhooks * DAY) if days.webhooks else False,
            ]
        )

    async def _delete(self, kind: str, batch: Callable[[int], Awaitable[int]], before: int) -> bool:
        try:
            number = await batch(before)
        except Conflict:  # one has changed since it was read; the next batch will not include it
            log.info("something changed while it was being deleted", kind=kind)
            return True
        if number:
            self._on_deleted(kind, number)
        return number == (GAMES if kind == "games" else BATCH)

    async def _games(self, before: int) -> int:
        """With their sessions, which would lead nowhere."""
        rows = await self._store.tables_ended(before, GAMES)
        for row in rows:
            sessions = [each.id for each in await self._store.sessions_of(row.id) if each.status == "ended"]
            await self._store.commit(DropTable(row), *map(DropSession, sessions))
            self._on_table(row.id)
        return len(rows)

    async def _sessions(self, before: int) -> int:
        return await self._drop(list(map(DropSession, await self._store.sessions_ended(before, BATCH))))

    async def _webhooks(self, before: int) -> int:
        return await self._drop(list(map(DropDelivery, await self._store.deliveries_done(before, BATCH))))

    async def _drop(self, writes: list[Write]) -> int:
        await self._store.commit(*writes)
        return len(writes)

    async def _run(self) -> None:
        while True:
            has_more = False
            try:
                has_more = await self.delete_old()
            except Exception:
                log.exception("old data could not be deleted; retrying")
            await asyncio.sleep(PAUSE_SECONDS if has_more else POLL_SECONDS)
