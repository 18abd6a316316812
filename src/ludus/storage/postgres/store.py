"""The store for many processes and machines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any, TypeVar

import asyncpg

from ludus.service.ports import Conflict, Write
from ludus.storage.errors import BadDatabase, BadRecord
from ludus.storage.migration import APPLIED, RECORD, missing
from ludus.storage.postgres.text import Batch, batches, translated
from ludus.storage.reads import Reads
from ludus.storage.statement import heartbeat

V = TypeVar("V")

LOCK = 0x4C554455
"""Which of the server's advisory locks is held while the schema changes."""

LEASE = 0x4C554456
"""Which of them is held by the process that runs the house."""

SETTINGS = {"application_name": "ludus", "synchronous_commit": "on"}

RACES = (asyncpg.UniqueViolationError, asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
UNSUITABLE = (asyncpg.IntegrityConstraintViolationError, asyncpg.DataError, asyncpg.ProgramLimitExceededError)


class PostgresStore(Reads):
    def __init__(self, url: str, on_commit: Callable[[int, float], None] | None = None) -> None:
        self._url = url
        self._on_commit = on_commit
        self._pool: Any = None
        self._is_closed = False
        self._lease: Any = None
        self._commits: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        self._is_closed = False
        try:
            # nothing is ever set on a connection, so nothing has to be reset when it goes back
            self._pool = await asyncpg.create_pool(self._url, min_size=1, server_settings=SETTINGS, reset=_nothing)
            async with self._pool.acquire() as connection:
                await _migrate(connection)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            await self.close()
            raise BadDatabase(f"the database cannot be opened: {error}") from error
        except BaseException:
            await self.close()
            raise

    async def claim(self) -> None:
        """Kept by a connection of its own: the server takes the lock back when that ends."""
        lease = await asyncpg.connect(self._url, server_settings=SETTINGS)
        if not await lease.fetchval("SELECT pg_try_advisory_lock($1)", LEASE):
            await lease.close()
            raise BadDatabase("another server runs the house of this database; stop it first")
        self._lease = lease

    async def close(self) -> None:
        self._is_closed = True
        lease, self._lease = self._lease, None
        if lease is not None:
            await lease.close()
        await asyncio.gather(*self._commits, return_exceptions=True)
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def commit(self, *writes: Write) -> None:
        if writes:
            await self._finish(batches(writes))

    async def heartbeat(self, now: int, grace: int) -> int:
        text, values = heartbeat(now, grace)
        await self._finish([Batch(f"{translated(text)} RETURNING 1", [values])])
        return await self._downtime()

    async def _finish(self, work: Sequence[Batch]) -> None:
        """Goes on if the caller is cancelled, as it does in every store: it may be on its way to the disk."""
        if self._is_closed:
            raise RuntimeError("the store is closed")
        task = asyncio.create_task(self._write(work))
        self._commits.add(task)
        task.add_done_callback(self._forget)
        await asyncio.shield(task)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._commits.discard(task)
        if not task.cancelled():
            task.exception()  # whoever still waits for it has it; nobody else needs to hear that nobody did

    async def _write(self, work: Sequence[Batch]) -> None:
        began = perf_counter()
        try:
            async with self._pool.acquire() as connection:
                await _send(connection, work)
        except RACES as error:
            raise Conflict("somebody else was faster") from error
        except UNSUITABLE as error:
            raise BadRecord(str(error)) from error
        if self._on_commit is not None:
            self._on_commit(1, perf_counter() - began)

    async def _fetch(
        self, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V], is_long: bool
    ) -> list[V]:
        return [read(row) for row in await self._pool.fetch(translated(text), *values)]


async def _send(connection: Any, work: Sequence[Batch]) -> None:
    if len(work) == 1 and len(work[0].values) == 1:  # a statement alone is a transaction
        await _run(connection, work[0])
        return
    async with connection.transaction():
        for batch in work:
            await _run(connection, batch)


async def _run(connection: Any, batch: Batch) -> None:
    rows = await connection.fetchmany(batch.text, batch.values)
    if len(rows) != len(batch.values):
        raise Conflict("somebody else was faster")


async def _migrate(connection: Any) -> None:
    """All steps or none, and one process at a time."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
        await connection.execute(APPLIED)
        applied = {number for (number,) in await connection.fetch("SELECT number FROM migrations")}
        for migration in missing("postgres", applied):
            await connection.execute(migration.text)
            await connection.execute(translated(RECORD), migration.number, migration.name)


async def _nothing(connection: Any) -> None:
    """Done to a connection when it goes back to the pool."""
