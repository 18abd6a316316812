"""The `Store` port over SQLite and PostgreSQL.

The only place with SQL. No rules, clock or decisions in here: records go in and come out unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ludus.service.ports.store import Store
from ludus.storage.errors import BadDatabase
from ludus.storage.sqlite.store import SqliteStore

FILE = "ludus.sqlite3"


def store_for(database: str, data: Path, on_commit: Callable[[int, float], None] | None = None) -> Store:
    """The store for a setting: empty for a file in `data`, `sqlite:PATH` or `postgresql://…`.

    `on_commit` is called after each group commit with the number of commits and the seconds it took.
    """
    scheme, colon, rest = database.partition(":")
    if not database:
        return SqliteStore(data / FILE, on_commit)
    if scheme == "sqlite" and rest:
        return SqliteStore(Path(rest), on_commit)
    if scheme in ("postgresql", "postgres") and rest.startswith("//"):
        from ludus.storage.postgres.store import PostgresStore  # asyncpg is optional

        return PostgresStore(database, on_commit)
    # a URL may contain a password: show only its scheme
    raise BadDatabase(f"unknown database {scheme + colon!r}: give sqlite:PATH or postgresql://…")
