"""Where the house keeps what it must not forget: the `Store` port over SQLite and PostgreSQL.

The only place with SQL. No rules, no clock and no decisions in here: records go in and come out as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ludus.service.ports import Store
from ludus.storage.errors import BadDatabase
from ludus.storage.sqlite.store import SqliteStore

FILE = "ludus.sqlite3"


def store_for(database: str, data: Path, on_commit: Callable[[int, float], None] | None = None) -> Store:
    """The store that a setting names: empty for a file in `data`, `sqlite:PATH` or `postgresql://…`.

    `on_commit` hears of each trip to the disk: how many commits shared it, and its seconds.
    """
    scheme, colon, rest = database.partition(":")
    if not database:
        return SqliteStore(data / FILE, on_commit)
    if scheme == "sqlite" and rest:
        return SqliteStore(Path(rest), on_commit)
    if scheme in ("postgresql", "postgres") and rest.startswith("//"):
        from ludus.storage.postgres.store import PostgresStore  # an optional package, not needed for a file

        return PostgresStore(database, on_commit)
    # a URL may hold a password: only its scheme is shown
    raise BadDatabase(f"unknown database {scheme + colon!r}: give sqlite:PATH or postgresql://…")
