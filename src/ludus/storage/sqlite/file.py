"""The database file: how it is opened, checked and brought up to date."""

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

PATIENCE = 10_000
"""Milliseconds that a write waits while another process is writing."""

SETTINGS = (
    "synchronous = FULL",
    "foreign_keys = ON",
    "wal_autocheckpoint = 4000",  # pages: more, and the log is long to read; fewer, and it is copied too often
    "cache_size = -8192",  # KiB
    "temp_store = MEMORY",
)


def open_writer(path: Path) -> sqlite3.Connection:
    """A sound database with the newest schema; made if there is none."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise BadDatabase(f"SQLite {sqlite3.sqlite_version} is too old: 3.37 is the oldest that will do")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # seeds of running games are in it
        return _opened(path)
    except (OSError, sqlite3.Error) as error:
        raise BadDatabase(f"{path} cannot be opened: {error}") from error


def open_lease(path: Path) -> IO[str]:
    """Held by the one process that runs the house; the system gives it back when that process ends, however it does."""
    lease = path.with_name(f"{path.name}.lock").open("w")
    try:
        fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lease.close()
        raise BadDatabase(f"another server runs the house of {path}; stop it first, or choose another folder") from None
    return lease


def open_reader(path: Path) -> sqlite3.Connection:
    address = f"{path.resolve().as_uri()}?mode=ro"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=PATIENCE / 1000)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=PATIENCE / 1000)
    try:
        _keep_log(connection, path)
        for setting in SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        _check(connection, path)
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _keep_log(connection: sqlite3.Connection, path: Path) -> None:
    """Sets the mode, which SQLite does not wait to do while another process opens the same new file."""
    until = monotonic() + PATIENCE / 1000
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
        raise BadDatabase(f"{path} cannot be opened: its file system does not allow a write-ahead log")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise BadDatabase(f"{path} is damaged: {verdict}")


def _migrate(connection: sqlite3.Connection) -> None:
    """All steps or none, and one process at a time."""
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
    """One at a time, since `executescript` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement
