"""Opens, checks and migrates the database file."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from ludus.storage.errors import BadDatabase
from ludus.storage.migration import APPLIED, RECORD, missing

OLDEST = (3, 37, 0)
"""The first SQLite with STRICT tables."""

BUSY_TIMEOUT = 10_000
"""How long a write waits for another process, in milliseconds."""

SETTINGS = (
    "synchronous = FULL",
    "foreign_keys = ON",
    "wal_autocheckpoint = 4000",  # pages; more make the log slow to read, fewer copy it too often
    "cache_size = -8192",  # KiB
    "temp_store = MEMORY",
)


def open_writer(path: Path) -> sqlite3.Connection:
    """Opens the database, creating it if needed, checks its integrity and applies migrations."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise BadDatabase(f"SQLite {sqlite3.sqlite_version} is too old; 3.37 or newer is needed")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # it contains the seeds of live games
        return _opened(path)
    except (OSError, sqlite3.Error) as error:
        raise BadDatabase(f"{path} cannot be opened: {error}") from error


def open_lease(path: Path) -> IO[str]:
    """Held by the process that runs the platform; the system releases it when that process ends."""
    lease = path.with_name(f"{path.name}.lock").open("w")
    try:
        fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lease.close()
        raise BadDatabase(f"another server is running on {path}; stop it first, or choose another folder") from None
    return lease


def open_reader(path: Path) -> sqlite3.Connection:
    address = f"{path.resolve().as_uri()}?mode=ro"
    return sqlite3.connect(
        address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT / 1000
    )


def _opened(path: Path) -> sqlite3.Connection:
    connection = _connect(path)
    try:
        _enable_wal(connection, path)
        for setting in SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        _check(connection, path)
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path | str, *, uri: bool = False) -> sqlite3.Connection:
    timeout = BUSY_TIMEOUT / 1000
    return sqlite3.connect(path, timeout, isolation_level=None, check_same_thread=False, uri=uri)


def _enable_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Enables the write-ahead log; SQLite's own busy timeout does not cover this."""
    until = monotonic() + BUSY_TIMEOUT / 1000
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > until:
                raise
            sleep(0.01)
        else:
            break
    if mode != "wal":
        raise BadDatabase(f"{path} cannot be opened: its file system does not support a write-ahead log")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (status,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if status != "ok":
        raise BadDatabase(f"{path} is damaged: {status}")


def _migrate(connection: sqlite3.Connection) -> None:
    """All migrations or none, one process at a time."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(APPLIED)
        applied = {number for (number,) in connection.execute("SELECT number FROM migrations")}
        for migration in missing("sqlite", applied):
            for statement in _statements(migration.text):
                connection.execute(statement)
            connection.execute(RECORD, (migration.number, migration.name))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """One at a time, since `executescript` would commit the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement
