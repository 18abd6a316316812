"""The lease of the processes that write for the platform, and the connections they write through.

An advisory lock says who has the lease: one process alone, or all members of a cluster, who share the lock. So a
process that expects to be alone and a cluster never serve the same database. The lock belongs to a connection, so it
can be lost while a commit is under way through another. Therefore every connection that writes holds a second lock,
shared, and was admitted while the lease was held.

**Alone**, a process keeps games in memory and trusts that nobody else changes them. When it takes the lease, it first
ends all connections with a second lock, of either kind. Nothing that was begun under an earlier lease can be committed
afterwards, and no write costs a round trip more.

**In a cluster** no member's connections are ended for being late. A member that was stopped or cut off for a minute
continues to write when it comes back, although others have taken over its work. That is harmless: every write is a
compare-and-set on the row that it changes, so a decision based on old data is a conflict, and a write without a
conflict was right. Its connections couldn't be ended anyway: those of a live member look the same as those of a member
that others believe dead. A member that takes the lease ends only what a process that was alone has left behind, so the
two kinds of writers have different locks.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, NamedTuple, Self

import asyncpg

LEASE: Final = 0x4C554456
"""The advisory lock of the processes that run the platform."""
LONE_WRITERS: Final = 0x4C554457
"""The advisory lock that the writing connections of a process that is alone share."""
MEMBERS_WRITERS: Final = 0x4C554458
"""The one that the writing connections of all members share."""
SETTINGS: Final = {"application_name": "ludus", "synchronous_commit": "on"}
WRITERS_SETTINGS: Final = {
    **SETTINGS,
    "idle_in_transaction_session_timeout": "5000",  # a process that is stopped must not keep rows locked for the others
    "enable_seqscan": "off",  # writes go by keys; a plan made for a small table is kept when it has grown
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
}
CONNECT_SECONDS: Final = 10
ANSWER_SECONDS: Final = 3
"""To answer on the lease's connection, and for connections of an earlier lease to end."""
MAX_WRITERS: Final = 10
"""Connections that write at a time."""
WRITE_SECONDS: Final = 20
"""For a statement that writes; a database that hangs must not block callers forever."""

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

    def __init__(self, connection: Any, backend: Backend, *, sole: bool) -> None:
        self._connection = connection
        self._writers = LONE_WRITERS if sole else MEMBERS_WRITERS
        self.backend = backend

    @classmethod
    async def take(cls, url: str, earlier: Backend | None = None, *, sole: bool) -> Self | None:
        """None if it is refused. `earlier` is what this process had it with before, if it ever had it."""
        connection = await asyncpg.connect(url, server_settings=SETTINGS, timeout=CONNECT_SECONDS)
        try:
            if earlier is not None:
                await connection.execute(END, *earlier)
            lock = "pg_try_advisory_lock" if sole else "pg_try_advisory_lock_shared"
            if not await connection.fetchval(f"SELECT {lock}($1)", LEASE):
                await connection.close()
                return None
            for writers in (LONE_WRITERS, MEMBERS_WRITERS) if sole else (LONE_WRITERS,):
                await _end_writers(connection, writers)
            lease = cls(connection, Backend(*await connection.fetchrow(OWN)), sole=sole)
            lease.pool = await asyncpg.create_pool(
                url,
                max_size=MAX_WRITERS,
                min_size=0,  # a heartbeat a second keeps one open; when the lease is lost, none must come back
                server_settings=WRITERS_SETTINGS,
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
        await connection.execute("SELECT pg_advisory_lock_shared($1)", self._writers)
        holders = {pid for (pid,) in await connection.fetch(HOLDERS, LEASE)}
        if self.backend.pid not in holders:
            raise asyncpg.InterfaceError("the lease was lost while a connection was opened")


async def _end_writers(connection: Any, writers: int) -> None:
    """Ends the connections that wrote under an earlier lease, with what they have not committed.

    The lock that waits for their end is exclusive. Another member may have it just now, and is not to be ended.
    """
    shared = f"{HOLDERS} AND mode = 'ShareLock'"
    await connection.execute(f"SELECT pg_terminate_backend(pid) FROM ({shared}) AS holders", writers)
    await connection.execute("SELECT pg_advisory_lock($1)", writers, timeout=ANSWER_SECONDS)
    await connection.execute("SELECT pg_advisory_unlock($1)", writers)


async def no_reset(connection: Any) -> None:
    """Called when a connection returns to the pool: it has no state to reset."""
