"""Group commit: who shares a trip to the disk, and what happens when the disk or another process is in the way."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from ludus.service.ports.store import Conflict
from ludus.storage.sqlite import writer
from ludus.storage.sqlite.file import open_writer
from ludus.storage.sqlite.store import SqliteStore
from ludus.storage.sqlite.writer import Writer
from ludus.storage.statement import statements

from ..examples import append, row

pytestmark = pytest.mark.anyio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ludus.sqlite3"


@pytest.fixture
def trips() -> list[int]:
    return []


@pytest.fixture
async def store(path: Path, trips: list[int]) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, on_commit=lambda units, seconds: trips.append(units))
    await store.open()
    yield store
    await store.close()


async def test_all_that_wait_share_a_trip(store: SqliteStore, trips: list[int]) -> None:
    await asyncio.gather(*[store.commit(append(f"t{n}")) for n in range(100)])
    assert trips == [100]


async def test_a_commit_that_fails_shares_the_trip(store: SqliteStore, trips: list[int]) -> None:
    bad = store.commit(append("t1"), append("t2"), append("t2"))
    results = await asyncio.gather(*[store.commit(append(f"t{n}")) for n in range(9)], bad, return_exceptions=True)
    assert [type(result) for result in results] == [type(None)] * 9 + [Conflict]
    assert trips == [10]


async def test_a_loser_sees_what_the_winner_wrote(store: SqliteStore) -> None:
    async def play() -> int:
        """The version that the table had when this player was refused."""
        with suppress(Conflict):
            await store.commit(append())
        found = await store.table("t1")
        return 0 if found is None else found.version

    assert await asyncio.gather(*[play() for _ in range(20)]) == [1] * 20


async def test_the_loop_goes_on_while_another_process_writes(store: SqliteStore, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        commits = [asyncio.create_task(store.commit(append(f"t{n}"))) for n in range(10)]
        for _ in range(20):
            await asyncio.sleep(0.005)
            assert await store.table("t1") is None
        assert not any(commit.done() for commit in commits)
        other.execute("INSERT INTO tenants VALUES ('other', 'Other', 0, NULL)")
        other.execute("COMMIT")
    await asyncio.gather(*commits)
    assert await store.table("t1") == row("t1")
    assert [tenant.id for tenant in await store.tenants()] == ["other"]


async def test_patience_with_another_process_ends_and_the_store_goes_on(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "BUSY_TIMEOUT", 20)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for _ in range(2):
            results = await asyncio.gather(store.commit(append()), store.commit(append("t2")), return_exceptions=True)
            assert [str(result) for result in results] == ["the database cannot be used: database is locked"] * 2
        other.execute("ROLLBACK")
    await store.commit(append())
    assert [table.id for table in await store.live_tables()] == ["t1"]


async def test_another_process_may_write_between_a_failure_and_the_second_try(store: SqliteStore, path: Path) -> None:
    """A batch with a half-done commit is undone and written again with care; the lock is free in between."""

    def write() -> None:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as other:
            for n in range(50):
                other.execute("INSERT INTO tenants VALUES (?, 'Other', 0, NULL)", (str(n),))

    writing = asyncio.create_task(asyncio.to_thread(write))
    for n in range(100):
        commits = [store.commit(append(f"t{n}")), store.commit(append(f"u{n}"), append(f"t{n}"))]
        results = await asyncio.gather(*commits, return_exceptions=True)
        assert [type(result) for result in results] == [type(None), Conflict]
    await writing
    assert len(await store.tenants()) == 50
    assert {table.id for table in await store.live_tables()} == {f"t{n}" for n in range(100)}


async def test_a_full_disk_fails_all_commits_until_there_is_room(path: Path) -> None:
    with closing(open_writer(path)) as connection:
        group = Writer(connection, None)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 3}")
        large = [append(f"t{n}", result={"text": "x" * 10_000}) for n in range(5)]
        results = await asyncio.gather(*[group.put(statements(each)) for each in large], return_exceptions=True)
        assert [str(result) for result in results] == ["the database cannot be used: database or disk is full"] * 5
        connection.execute("PRAGMA max_page_count = 100000")
        await asyncio.gather(*[group.put(statements(each)) for each in large])
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (5,)
        await group.close()


class Failing(sqlite3.Connection):
    """A disk that can fail to take what was written."""

    is_failing = False

    def execute(self, text: str, *values: Any) -> sqlite3.Cursor:
        if self.is_failing and text == "COMMIT":
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(text, *values)


async def test_a_failed_commit_fails_all_units_and_writes_nothing(path: Path) -> None:
    open_writer(path).close()
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=Failing)) as connection:
        group = Writer(connection, None)
        connection.is_failing = True
        puts = [group.put(statements(append(f"t{n}"))) for n in range(5)]
        results = await asyncio.gather(*puts, return_exceptions=True)
        assert [str(result) for result in results] == ["disk I/O error"] * 5
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (0,)
        connection.is_failing = False
        await group.put(statements(append("t1")))
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (1,)
        await group.close()
