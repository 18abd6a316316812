"""Numbered schema migrations. Never edit a released one; add the next.

A migration whose first line is `-- compatible: NUMBER` only adds to the schema: programs that know the migrations up to
that number may go on running on it, and may be started on it. Without that line only programs that know it may.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib.resources import files
from typing import Final, NamedTuple

from ludus.storage.errors import BadDatabase

TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS migration_support (number INTEGER PRIMARY KEY, oldest INTEGER NOT NULL)",
)
APPLIED: Final = "SELECT number FROM migrations"
NEEDED: Final = "SELECT max(coalesce(oldest, number)) FROM migrations LEFT JOIN migration_support USING (number)"
"""The newest migration that a program must know; older databases have no `migration_support`."""
RECORD: Final = (
    "INSERT INTO migrations (number, name) VALUES (?1, ?2)",
    "INSERT INTO migration_support (number, oldest) VALUES (?1, ?2)",
)
COMPATIBLE: Final = re.compile(r"-- compatible: (\d{4})\n")


class Migration(NamedTuple):
    number: int
    name: str
    text: str

    @property
    def oldest(self) -> int:
        """The newest migration of the oldest programs that may run on it."""
        declared = COMPATIBLE.match(self.text)
        return int(declared[1]) if declared else self.number

    def records(self) -> list[tuple[str, tuple[int, str | int]]]:
        """The statements that record it, with their values."""
        return [(RECORD[0], (self.number, self.name)), (RECORD[1], (self.number, self.oldest))]


def migrations(database: str) -> list[Migration]:
    """All migrations of `sqlite` or `postgres`, in order."""
    folder = files("ludus.storage") / database / "migrations"
    scripts = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [Migration(int(file.name[:4]), file.name[5:-4], file.read_text(encoding="utf-8")) for file in scripts]


def missing(database: str, applied: Collection[int], needed: int | None) -> list[Migration]:
    """Those to apply; refused if the program does not know what is `needed`, or None for an empty database."""
    known = migrations(database)
    newest = known[-1].number
    if needed is not None and needed > newest:
        problem = f"it has migration {max(applied)}, and this version knows {newest}"
        raise BadDatabase(f"the database was written by a newer Ludus: {problem}; install that version")
    return [migration for migration in known if migration.number not in applied]
