"""Numbered schema migrations. Never edit a released one; add the next."""

from __future__ import annotations

from collections.abc import Collection
from importlib.resources import files
from typing import NamedTuple

from ludus.storage.errors import BadDatabase

APPLIED = "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"
RECORD = "INSERT INTO migrations (number, name) VALUES (?1, ?2)"


class Migration(NamedTuple):
    number: int
    name: str
    text: str


def migrations(database: str) -> list[Migration]:
    """All migrations of `sqlite` or `postgres`, in order."""
    folder = files("ludus.storage") / database / "migrations"
    scripts = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [Migration(int(file.name[:4]), file.name[5:-4], file.read_text(encoding="utf-8")) for file in scripts]


def missing(database: str, applied: Collection[int]) -> list[Migration]:
    known = migrations(database)
    newest = known[-1].number
    if applied and max(applied) > newest:
        problem = f"it has migration {max(applied)}, and this version knows {newest}"
        raise BadDatabase(f"the database was written by a newer Ludus: {problem}; install that version")
    return [migration for migration in known if migration.number not in applied]
