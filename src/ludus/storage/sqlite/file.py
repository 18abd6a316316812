"""Opens, checks and migrates the database file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

from ludus.storage.errors import BadDatabase
from ludus.storage.migration import APPLIED, NEEDED, TABLES, missing

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
    "secure_delete = ON",  # zeros what is deleted or replaced
)


def open_writer(path: Path) -> sqlite3.Connection:
    """Opens the database, creating it if needed, checks its integrity and applies migrations."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise BadDatabase(f"SQLite {sqlite3.sqlite_version} is too old; 3.37 or newer is needed")
    path = Path(os.path.realpath(path))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = _opened(path, is_new=_prepare(path))
        _mark(path).unlink(missing_ok=True)
        return connection
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadDatabase(f"{path} cannot be opened: {reason}; the server needs to write to its folder") from error
    except sqlite3.Error as error:
        raise BadDatabase(f"{path} cannot be opened: {error}; {_advice(error)}") from error


def _prepare(path: Path) -> bool:
    """Creates a missing file; true if this, or a start that was interrupted, has created it.

    A mark beside the file tells a start that was interrupted from a file that somebody has emptied.
    """
    log = path.with_name(f"{path.name}-wal")
    if not path.exists():
        if log.exists() and log.stat().st_size and not path.exists():
            raise BadDatabase(
                f"{path} is missing, but its log {log.name} is there; restore both, or remove the log to start over"
            )
        _mark(path).touch(0o600)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # it contains the seeds of live games
    is_new = _mark(path).exists()
    status = path.stat()
    if status.st_nlink > 1:
        raise BadDatabase(
            f"{path} has a second name (a hard link), and each would have its own log; remove one of the names"
        )
    if status.st_size == 0 and not is_new:
        raise _emptied(path)
    return is_new


def _mark(path: Path) -> Path:
    return path.with_name(f"{path.name}-new")


def _emptied(path: Path) -> BadDatabase:
    return BadDatabase(f"{path} has been emptied; restore it from a backup, or remove it to start over")


def _advice(error: sqlite3.Error) -> str:
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "end the other program that uses it, or try again"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return "restore it from a backup"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return "the server needs to write to the file and its folder"
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return "look after the disk"
    return "choose another folder with --data, or restore a backup"


def open_reader(path: Path) -> sqlite3.Connection:
    address = f"{path.resolve().as_uri()}?mode=ro"
    return sqlite3.connect(
        address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT / 1000
    )


def truncate_log(path: Path) -> None:
    """Empties the write-ahead log, which holds old versions of pages, unless a reader keeps it busy."""
    connection = _connect(path)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def _opened(path: Path, *, is_new: bool) -> sqlite3.Connection:
    connection = _connect(path)
    try:
        _refuse_foreign(connection, path, is_new=is_new)
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
    return sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False, uri=uri)


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


def _refuse_foreign(connection: sqlite3.Connection, path: Path, *, is_new: bool) -> None:
    """Before anything is written to it."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if tables and "migrations" not in tables:
        raise BadDatabase(f"{path} is the database of another program; choose another folder with --data")
    if not tables and not is_new:
        raise _emptied(path)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (status,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if status != "ok":
        raise BadDatabase(f"{path} is damaged: {' '.join(status.split())}; restore it from a backup")


def _migrate(connection: sqlite3.Connection) -> None:
    """All migrations or none, one process at a time."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for table in TABLES:
            connection.execute(table)
        applied = {number for (number,) in connection.execute(APPLIED)}
        (needed,) = connection.execute(NEEDED).fetchone()
        for migration in missing("sqlite", applied, needed):
            for statement in _statements(migration.text):
                connection.execute(statement)
            for record, values in migration.records():
                connection.execute(record, values)
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
