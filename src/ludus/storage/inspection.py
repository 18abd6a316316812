"""A look at a database without changing it: `Store.open` would migrate it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludus.service.records import MEMBER_MS, LeaseRow, Member
from ludus.storage.errors import BadDatabase
from ludus.storage.migration import APPLIED, NEEDED, missing
from ludus.storage.schema import LEASES, MEMBERS
from ludus.storage.sqlite.file import open_reader
from ludus.storage.sqlite.lease import is_taken

PARAMETERS = ("fsync", "full_page_writes", "max_connections", "superuser_reserved_connections", "synchronous_commit")


class Deployment(NamedTuple):
    """The processes on a PostgreSQL, and what it is set to."""

    parameters: Mapping[str, str]
    """`PARAMETERS`, as they are for a connection of a server."""
    skew: float
    """Seconds by which the database's clock is ahead of this machine's."""
    members: Sequence[Member]
    """Those that are alive."""
    leases: Sequence[LeaseRow]
    """Those that one of them holds."""


class Inspection(NamedTuple):
    is_served: bool
    """Whether a server holds its lease."""
    missing: int
    """Migrations that the next start applies."""
    deployment: Deployment | None = None
    """None for SQLite, which one process has to itself."""


async def inspect(database: str, data: Path) -> Inspection | None:
    """None if there is no database yet. Raises `BadDatabase` for one that cannot be used."""
    from ludus.storage import FILE

    if database and not database.startswith("sqlite:"):
        return await _inspect_postgres(database)
    file = Path(database.removeprefix("sqlite:")) if database else data / FILE
    return _inspect_sqlite(file) if file.exists() else None


def _inspect_sqlite(file: Path) -> Inspection:
    try:
        connection = open_reader(file)
        try:
            (status,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            applied = {number for (number,) in connection.execute(APPLIED)}
            has_support = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migration_support'").fetchone()
            (needed,) = connection.execute(NEEDED).fetchone() if has_support else (max(applied, default=None),)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise BadDatabase(f"{file} cannot be read: {error}; restore it from a backup") from error
    if status != "ok":
        raise BadDatabase(f"{file} is damaged: {' '.join(status.split())}; restore it from a backup")
    return Inspection(is_taken(file), len(missing("sqlite", applied, needed)))


async def _inspect_postgres(url: str) -> Inspection | None:
    import asyncpg  # optional

    from ludus.storage.postgres.lease import CONNECT_SECONDS, HOLDERS, LEASE, SETTINGS

    try:
        connection = await asyncpg.connect(url, timeout=CONNECT_SECONDS, server_settings=SETTINGS)
        try:
            if await connection.fetchval("SELECT to_regclass('migrations')") is None:
                return None
            applied = {number for (number,) in await connection.fetch(APPLIED)}
            has_support = await connection.fetchval("SELECT to_regclass('migration_support')") is not None
            needed = await connection.fetchval(NEEDED) if has_support else max(applied, default=None)
            is_served = bool(await connection.fetch(HOLDERS, LEASE))
            deployment = await _deployment(connection, is_served=is_served)
        finally:
            await connection.close()
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise BadDatabase(f"the database cannot be used: {error}") from error
    return Inspection(is_served, len(missing("postgres", applied, needed)), deployment)


async def _deployment(connection: Any, *, is_served: bool) -> Deployment:
    names = await connection.fetch("SELECT name, setting FROM pg_settings WHERE name = ANY($1)", PARAMETERS)
    asked = time.time()
    now = float(await connection.fetchval("SELECT extract(epoch FROM clock_timestamp())"))
    skew = now - (asked + time.time()) / 2
    members: list[Member] = []
    leases: list[LeaseRow] = []
    if is_served and await connection.fetchval("SELECT to_regclass('members')") is not None:
        # uptime stands still while nobody serves, so without a lease the last members would seem alive
        alive = f"{MEMBERS.select} WHERE seen >= (SELECT beat - closed FROM house) - {MEMBER_MS} ORDER BY role, id"
        members = [MEMBERS.record(row) for row in await connection.fetch(alive)]
        held = f"{LEASES.select} WHERE holder = ANY($1)"
        leases = [LEASES.record(row) for row in await connection.fetch(held, [member.id for member in members])]
    return Deployment(dict(names), skew, members, leases)
