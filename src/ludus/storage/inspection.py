"""A look at a database without changing it: `Store.open` would migrate it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

from ludus.storage.errors import BadDatabase
from ludus.storage.migration import missing
from ludus.storage.sqlite.file import open_reader
from ludus.storage.sqlite.lease import is_taken

APPLIED = "SELECT number FROM migrations"


class Inspection(NamedTuple):
    is_served: bool
    """Whether a server holds its lease."""
    missing: int
    """Migrations that the next start applies."""


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
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise BadDatabase(f"{file} cannot be read: {error}; restore it from a backup") from error
    if status != "ok":
        raise BadDatabase(f"{file} is damaged: {' '.join(status.split())}; restore it from a backup")
    return Inspection(is_taken(file), len(missing("sqlite", applied)))


async def _inspect_postgres(url: str) -> Inspection | None:
    import asyncpg  # optional

    from ludus.storage.postgres.lease import CONNECT_SECONDS, HOLDERS, LEASE

    try:
        connection = await asyncpg.connect(url, timeout=CONNECT_SECONDS)
        try:
            if await connection.fetchval("SELECT to_regclass('migrations')") is None:
                return None
            applied = {number for (number,) in await connection.fetch(APPLIED)}
            is_served = bool(await connection.fetch(HOLDERS, LEASE))
        finally:
            await connection.close()
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise BadDatabase(f"the database cannot be used: {error}") from error
    return Inspection(is_served, len(missing("postgres", applied)))
