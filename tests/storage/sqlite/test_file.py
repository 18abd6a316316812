"""Files that are not as they should be."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ludus.storage.errors import BadDatabase
from ludus.storage.migration import Migration
from ludus.storage.reads import Reader, Reads
from ludus.storage.sqlite import file
from ludus.storage.sqlite.file import open_writer
from ludus.storage.sqlite.store import SqliteStore

from ..examples import append

pytestmark = pytest.mark.anyio

V = TypeVar("V")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ludus.sqlite3"


async def filled(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    for n in range(50):
        await store.commit(append(f"t{n}"), append(f"t{n}", 2))
    await store.close()


async def test_the_file_stands_alone_after_closing(path: Path) -> None:
    await filled(path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def test_a_file_of_a_newer_program_is_refused_and_left_alone(path: Path) -> None:
    await filled(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO migrations VALUES (99, 'future')")
        connection.commit()
    with pytest.raises(BadDatabase, match="newer Ludus: it has migration 99"):
        await SqliteStore(path).open()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (100,)


@pytest.mark.parametrize("damage", ["in the middle", "cut off"])
async def test_a_damaged_file_is_refused(path: Path, damage: str) -> None:
    await filled(path)
    content = path.read_bytes()
    middle = len(content) // 2
    hurt = (
        content[:middle] + b"\xff" * 8192 + content[middle + 8192 :] if damage == "in the middle" else content[:middle]
    )
    path.write_bytes(hurt)
    with pytest.raises(BadDatabase, match=r"is damaged|cannot be opened: .*malformed"):
        await SqliteStore(path).open()


async def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    path.write_text("dear diary\n" * 1000)
    with pytest.raises(BadDatabase, match="cannot be opened: file is not a database"):
        await SqliteStore(path).open()
    assert path.read_text().startswith("dear diary")


async def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadDatabase, match="cannot be opened"):
        await SqliteStore(tmp_path / "file" / "ludus.sqlite3").open()


def test_a_step_that_fails_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Migration(99, "broken", "CREATE TABLE half (id INTEGER);\nCREATE TABLE half (id INTEGER);\n")
    open_writer(path).close()
    monkeypatch.setattr(file, "missing", lambda name, applied, needed: [broken])
    with pytest.raises(BadDatabase, match="already exists"):
        open_writer(path)
    with closing(sqlite3.connect(path)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
        assert "half" not in tables and "events" in tables
        assert (99,) not in connection.execute("SELECT number FROM migrations").fetchall()


class Plans(Reads):
    """Says how each read would be done instead of doing it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.steps: list[str] = []

    async def _fetch(
        self, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V], reader: Reader
    ) -> list[V]:
        steps = (step for *_, step in self.connection.execute(f"EXPLAIN QUERY PLAN {text}", values))
        self.steps += [re.sub(r"LAST \d+ TERMS|LAST TERM", "RIGHT PART", step) for step in steps]  # as old SQLite
        return []


async def test_every_read_is_a_look_up_in_an_index(path: Path) -> None:
    with closing(open_writer(path)) as connection:
        plans = Plans(connection)
        await asked(plans)
    assert len([step for step in plans.steps if step.startswith(("SCAN", "SEARCH"))]) == 21
    assert [step for step in plans.steps if not step.startswith("SEARCH")] == [
        "SCAN tenants",  # all of them
        "USE TEMP B-TREE FOR ORDER BY",
        "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY",  # the keys of one tenant
        "USE TEMP B-TREE FOR ORDER BY",  # the sessions of one table
        "SCAN tables USING INDEX tables_live",  # all that are live
        "USE TEMP B-TREE FOR ORDER BY",
        "SCAN entries USING COVERING INDEX entries_since",  # all that wait
    ]


async def asked(store: Reads) -> None:
    await store.tenant("a")
    await store.tenants()
    await store.key("a")
    await store.keys("a")
    await store.session("a")
    await store.session_by_code("a", "b", "c")
    await store.sessions_of("a")
    await store.sessions_due(1, 1)
    await store.table("a")
    await store.events("a")
    await store.tables_due(1, 1)
    await store.live_tables()
    await store.live_tables("a")
    await store.entries("a", "b")
    await store.entry_of("a", "b", "c")
    await store.pools()
    await store.rating("a", "b")
    await store.deliveries_due(1, 1)
    await store.delivery("a")
    await store.deliveries("a")
    await store.deliveries("a", "b")
