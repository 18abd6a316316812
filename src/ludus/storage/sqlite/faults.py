"""Which of SQLite's errors are faults of the disk, the file or another process, and not ours."""

from __future__ import annotations

import sqlite3
from typing import Final

from ludus.service.ports.store import Unavailable, Unreadable

FAULTS: Final = frozenset({
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_READONLY,
})  # fmt: skip

DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def translated(error: Exception, *, is_read: bool = False) -> Exception:
    """The error to raise instead: `Unavailable` for a fault, and otherwise the error itself, which is a bug.

    A damaged page is a fault for writes, which may need it or not; for reads of it, it stays damaged.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if is_read and code in DAMAGE:
        return Unreadable(f"the database is damaged: {error}")
    return Unavailable(f"the database cannot be used: {error}") if code in FAULTS else error
