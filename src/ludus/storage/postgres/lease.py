"""The lease of the one process that writes for the platform, and the connections it writes through.

An advisory lock says who has the lease. It belongs to a connection, so it can be lost while a commit is under way
through another. Therefore every connection that writes holds a second lock, shared, and was admitted while the lease
was held; a process that takes the lease first ends all connections with that lock. Nothing that was begun under an
earlier lease can be committed afterwards, and no write costs a round trip more.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, NamedTuple, Self

import asyncpg

LEASE: Final = 0x4C554456
"""The advisory lock of the process that runs the platform."""
WRITERS: Final = 0x4C554457
"""The advisory lock that its writing connections share."""
SETTINGS: Final = {"application_name": "ludus", "synchronous_commit": "on"}
CONNECT_SECONDS: Final = 10
ANSWER_SECONDS: Final = 3
"""To answer on the lease's connection, and for connections of an earlier lease to end."""
WRITE_SECONDS: Final = 20
"""For a statement that writes; a database that hangs must not keep callers for ever."""

HOLDERS: Final = (
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1 AND objsubid = 1"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


OWN: Final = "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"
END: Final = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2"


class Backend(NamedTuple):
    """The database's end of a connection. It may live on for hours after a network has failed."""

    pid: int
    start: datetime


class Lease:
    pool: Any
    """Its connections write."""

    def __init__(self, connection: Any, backend: Backend) -> None:
        self._connection = connection
        self.backend = backend

    @classmethod
    async def take(cls, url: str, earlier: Backend | None = None) -> Self | None:
        """None if another process has it. `earlier` is what this process had it with before, if it ever had it."""
        connection = await asyncpg.connect(url, server_settings=SETTINGS, timeout=CONNECT_SECONDS)
        try:
            if earlier is not None:
                await connection.execute(END, *earlier)
            if not await connection.fetchval("SELECT pg_try_advisory_lock($1)", LEASE):
                await connection.close()
                return None
            await _end_writers(connection)
            lease = cls(connection, Backend(*await connection.fetchrow(OWN)))
            lease.pool = await asyncpg.create_pool(
                url,
                min_size=0,  # a heartbeat a second keeps one open; when the lease is lost, none must come back
                server_settings=SETTINGS,
                init=lease._admit,
                reset=no_reset,
                timeout=CONNECT_SECONDS,
                command_timeout=WRITE_SECONDS,
            )
        except BaseException:
            connection.terminate()
            raise
        return lease

    @property
    def is_held(self) -> bool:
        """False as soon as the connection is known to have ended."""
        return not self._connection.is_closed()

    async def is_alive(self) -> bool:
        """Asks the database."""
        try:
            await self._connection.execute("SELECT 1", timeout=ANSWER_SECONDS)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError):
            return False
        return True

    def terminate(self) -> None:
        self.pool.terminate()
        self._connection.terminate()

    async def close(self) -> None:
        """The lock is released last."""
        await self.pool.close()
        await self._connection.close()

    async def _admit(self, connection: Any) -> None:
        """The order matters: a lease that is taken after the check ends this connection too."""
        await connection.execute("SELECT pg_advisory_lock_shared($1)", WRITERS)
        holders = {pid for (pid,) in await connection.fetch(HOLDERS, LEASE)}
        if self.backend.pid not in holders:
            raise asyncpg.InterfaceError("the lease was lost while a connection was opened")


async def _end_writers(connection: Any) -> None:
    """Ends the connections that wrote under an earlier lease, with what they have not committed."""
    await connection.execute(f"SELECT pg_terminate_backend(pid) FROM ({HOLDERS}) AS holders", WRITERS)
    await connection.execute("SELECT pg_advisory_lock($1)", WRITERS, timeout=ANSWER_SECONDS)
    await connection.execute("SELECT pg_advisory_unlock($1)", WRITERS)


async def no_reset(connection: Any) -> None:
    """Called when a connection returns to the pool: it has no state to reset."""
