"""The store for many processes and machines."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

import asyncpg
import structlog

from ludus.service.ports.store import Beat, Conflict, Unavailable, Unreadable
from ludus.service.ports.writes import Append, Write
from ludus.service.records import MEMBER_MS
from ludus.storage.errors import BadDatabase, BadRecord
from ludus.storage.migration import APPLIED, NEEDED, TABLES, missing
from ludus.storage.postgres.appends import GROUP, Appends, lone_append
from ludus.storage.postgres.dialect import Batch, batches, to_postgres
from ludus.storage.postgres.lease import CONNECT_SECONDS, MAX_WRITERS, SETTINGS, Backend, Lease, no_reset
from ludus.storage.reads import Reader, Reads
from ludus.storage.statement import FORGET_MEMBERS, HEARTBEAT, QUEUE_GAMES, QUEUED_GAMES, heartbeat

V = TypeVar("V")

log = structlog.get_logger(__name__)

LOCK = 0x4C554455
"""The advisory lock for migrations."""
LOCK_MS = 1000
"""For which a migration waits for a table that others use."""
LOCK_TRIES = 30

RACES = (asyncpg.UniqueViolationError, asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
UNSUITABLE = (asyncpg.IntegrityConstraintViolationError, asyncpg.DataError, asyncpg.ProgramLimitExceededError)


FAULTS = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""Of the connection or the database itself; a timeout is an `OSError`."""
TEMPORARY = (
    OSError,
    asyncpg.InterfaceError,  # a closed connection or pool
    asyncpg.InternalClientError,  # a connection that the database ends just as it is used
    asyncpg.PostgresConnectionError,
    asyncpg.TransactionRollbackError,
    asyncpg.InsufficientResourcesError,  # too many connections, a full disk, no memory
    asyncpg.OperatorInterventionError,  # a shutdown, a crash, a start
    asyncpg.PostgresSystemError,
    asyncpg.InternalServerError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.LockNotAvailableError,
    asyncpg.IdleInTransactionSessionTimeoutError,
)
"""Faults at run time that may pass."""
DAMAGE = (asyncpg.DataCorruptedError, asyncpg.IndexCorruptedError)
HEARTBEAT_OF_MEMBER = to_postgres(
    f"WITH house AS ({HEARTBEAT} RETURNING beat - closed AS uptime),"
    " before AS (SELECT seen FROM members WHERE id = ?4),"
    " member AS (UPDATE members SET seen = uptime FROM house WHERE id = ?4 RETURNING 1)"
    " SELECT uptime, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint,"
    f" EXISTS (SELECT 1 FROM before, member WHERE uptime - seen <= {MEMBER_MS}) FROM house"
)
"""In one round trip; `before` is as it was when the statement began."""
MAX_CONNECTIONS = 10
"""That read."""
CONNECTIONS_OF_A_PROCESS = MAX_CONNECTIONS + MAX_WRITERS + 1
"""At most; the last is the lease's."""
READ_SECONDS = 20
"""For one read: a database that hangs must not block callers forever."""
MAX_LISTS = 3
"""Connections that may read lists at a time: the others are for those who play."""


class PostgresStore(Reads):
    def __init__(self, url: str, on_commit: Callable[[int, float], None] | None = None) -> None:
        self._url = url
        self._on_commit = on_commit
        self._pool: Any = None
        self._is_closed = False
        self._is_claimed = False
        self._is_sole = True
        self._lease: Lease | None = None
        self._earlier: Backend | None = None
        self._commits: set[asyncio.Task[Any]] = set()
        self._lists = asyncio.Semaphore(MAX_LISTS)
        self._appends = Appends(self._append_group, self._append_alone)

    async def open(self) -> None:
        self._is_closed = False
        try:
            self._pool = await asyncpg.create_pool(
                self._url,
                min_size=0,  # with one, asyncpg logs a traceback of its own for each attempt to bring it back
                max_size=MAX_CONNECTIONS,
                server_settings=SETTINGS,
                reset=no_reset,
                timeout=CONNECT_SECONDS,
            )
            async with self._pool.acquire() as connection:
                await _migrate(connection)
        except FAULTS as error:
            await self.close()
            raise _bad(error) from error
        except BaseException:
            await self.close()
            raise

    async def claim(self, sole: bool = True) -> None:
        """From now on only what is written under the lease is stored."""
        self._is_sole = sole
        try:
            self._lease = await Lease.take(self._url, sole=sole)
            if self._lease is not None and sole:
                await self._lease.pool.execute(";".join(FORGET_MEMBERS))
        except FAULTS as error:
            raise _bad(error) from error
        if self._lease is None:
            raise BadDatabase(_REFUSED_ALONE if sole else _REFUSED_TOGETHER)
        self._is_claimed = True

    async def keep_lease(self) -> bool:
        """After a restart of the database or a broken connection the lease has to be taken again."""
        if self._lease is not None:
            if await self._lease.is_alive():
                return True
            self._lease.terminate()
            self._earlier, self._lease = self._lease.backend, None
        self._is_claimed = True
        try:
            self._lease = await Lease.take(self._url, self._earlier, sole=self._is_sole)
        except FAULTS as error:
            raise _unavailable(error) from error
        return self._lease is not None

    async def close(self) -> None:
        self._is_closed = True
        await self._appends.close()
        await asyncio.gather(*self._commits, return_exceptions=True)
        lease, self._lease, self._is_claimed = self._lease, None, False
        if lease is not None:
            await lease.close()
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def commit(self, *writes: Write) -> None:
        if append := lone_append(writes):
            await self._append(append)
        elif writes:
            await self._finish(partial(_send, work=batches(writes)))

    async def _append(self, append: Append) -> None:
        if self._is_closed:
            raise Unavailable("the store is closed")
        try:
            await self._appends.put(append)
        except Unavailable:
            self.is_storing = False
            raise

    async def _append_group(self, columns: Sequence[Sequence[Any]]) -> set[str]:
        rows = await self._write(lambda connection: connection.fetch(GROUP, *columns), len)
        return {id for (id,) in rows}

    async def _append_alone(self, append: Append) -> None:
        await self._write(partial(_send, work=batches([append])))

    async def heartbeat(self, at: int, clock: int | None = None, member: str = "") -> Beat:
        values = (*heartbeat(at, clock), member)
        beat = Beat(*await self._finish(lambda connection: connection.fetchrow(HEARTBEAT_OF_MEMBER, *values)))
        self.is_storing = True
        return beat

    async def recount_games(self) -> int:
        return await self._finish(_recount_games)

    async def _finish(self, work: Callable[[Any], Awaitable[V]]) -> V:
        """Continues if the caller is cancelled, as in every store: the commit may already be under way."""
        if self._is_closed:
            raise Unavailable("the store is closed")
        task = asyncio.create_task(self._write(work))
        self._commits.add(task)
        task.add_done_callback(self._forget)
        try:
            return await asyncio.shield(task)
        except Unavailable:
            self.is_storing = False
            raise

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._commits.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not log it as never retrieved

    async def _write(self, work: Callable[[Any], Awaitable[V]], number: Callable[[V], int] = lambda _: 1) -> V:
        """`number` counts the commits in what the work returns."""
        began = perf_counter()
        try:
            async with self._writers().acquire() as connection:
                done = await work(connection)
        except RACES as error:
            raise Conflict("a concurrent write was faster") from error
        except UNSUITABLE as error:
            raise BadRecord(str(error)) from error
        except TEMPORARY as error:
            raise _unavailable(error) from error
        if self._on_commit is not None and (commits := number(done)):
            self._on_commit(commits, perf_counter() - began)
        return done

    def _writers(self) -> Any:
        """The pool to write through; the command line writes without a lease."""
        if not self._is_claimed:
            return self._pool
        if self._lease is None or not self._lease.is_held:
            raise Unavailable("the lease on the database is lost; another server may be running on it")
        return self._lease.pool

    async def _fetch(
        self, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V], reader: Reader
    ) -> list[V]:
        if self._is_closed:
            raise Unavailable("the store is closed")
        try:
            async with self._lists if reader is Reader.LIST else nullcontext():
                rows = await self._pool.fetch(to_postgres(text), *values, timeout=READ_SECONDS)
        except DAMAGE as error:
            raise Unreadable(f"the database is damaged: {error}") from error
        except TEMPORARY as error:
            raise _unavailable(error) from error
        return [read(row) for row in rows]


_REFUSED_ALONE = "another server is running on this database; stop it first, or set `bus` for all of them"
_REFUSED_TOGETHER = "a server without the setting `bus` is running on this database; stop it first"


async def _send(connection: Any, work: Sequence[Batch]) -> None:
    if len(work) == 1 and len(work[0].values) == 1:  # a single statement is its own transaction
        await _run(connection, work[0])
        return
    async with connection.transaction():
        for batch in work:
            await _run(connection, batch)


async def _run(connection: Any, batch: Batch) -> None:
    rows = await connection.fetchmany(batch.text, batch.values)
    if len(rows) != len(batch.values) and not batch.may_change_any:
        raise Conflict("a concurrent write was faster")


async def _recount_games(connection: Any) -> int:
    """The counts come first: processes that count wait until all games are in the queue, and ending games don't."""
    async with connection.transaction():
        await connection.execute("TRUNCATE explorer_moves")
        await connection.execute(QUEUE_GAMES)
        return int(await connection.fetchval(QUEUED_GAMES))


async def _migrate(connection: Any) -> None:
    """All migrations or none, one process at a time, while others may be playing."""
    for _ in range(LOCK_TRIES):
        try:
            return await _try_to_migrate(connection)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            log.warning("a migration gave way to games being played, and is tried again")
    return await _try_to_migrate(connection)


async def _try_to_migrate(connection: Any) -> None:
    """Gives up soon where a table is in use: everyone who comes after a migration that waits would wait as well."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
        await connection.execute(f"SET LOCAL lock_timeout = {LOCK_MS}")
        for table in TABLES:
            await connection.execute(table)
        applied = {number for (number,) in await connection.fetch(APPLIED)}
        for migration in missing("postgres", applied, await connection.fetchval(NEEDED)):
            await connection.execute(migration.text)
            for record, values in migration.records():
                await connection.execute(to_postgres(record), *values)


def _unavailable(error: Exception) -> Unavailable:
    return Unavailable(f"the database cannot be used: {' '.join(str(error).split()) or type(error).__name__}")


def _bad(error: Exception) -> BadDatabase:
    match error:
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            advice = "check the user and the password in the setting `database`"
        case asyncpg.InvalidCatalogNameError():
            advice = "create it, or name another in the setting `database`"
        case asyncpg.InsufficientPrivilegeError():
            advice = "the user needs to create tables"
        case OSError():
            advice = "check that it runs and that the setting `database` names it"
        case _:
            advice = "check the setting `database`"
    reason = " ".join(str(error).split()) or f"no answer in {CONNECT_SECONDS} s"
    return BadDatabase(f"the PostgreSQL database cannot be opened: {reason}; {advice}")
