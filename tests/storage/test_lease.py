"""The serving process notices that it has lost its lease, and takes it again unless another was faster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from ludus.service.ports.store import Store, Unavailable
from ludus.service.ports.writes import PutTenant
from ludus.storage import store_for
from ludus.storage.errors import BadDatabase
from ludus.storage.postgres import lease
from ludus.storage.postgres.lease import Lease
from ludus.storage.sqlite.file import open_writer
from ludus.storage.sqlite.lease import Lease as FileLease
from ludus.storage.sqlite.store import SqliteStore

from .conftest import fresh
from .examples import TENANT, append

pytestmark = pytest.mark.anyio


async def lose(store: Any) -> None:
    """What a restart of PostgreSQL does, or someone who tidies up the data folder."""
    if isinstance(store, SqliteStore):
        store._path.rename(store._path.with_name("elsewhere"))
        return
    await store._pool.fetchval("SELECT pg_terminate_backend($1)", store._lease.backend.pid)
    while store._lease.is_held:
        await asyncio.sleep(0.001)


async def recover(store: Any) -> None:
    if isinstance(store, SqliteStore):
        store._path.with_name("elsewhere").rename(store._path)


async def test_a_lease_is_kept(store: Store) -> None:
    await store.claim()
    assert await store.keep_lease()
    assert await store.keep_lease()


async def test_a_lost_lease_is_taken_again(store: Store, database: str, tmp_path: Path) -> None:
    await store.claim()
    await lose(store)
    await recover(store)
    assert await store.keep_lease()
    other = store_for(database, tmp_path)
    await other.open()
    with pytest.raises(BadDatabase, match="another server"):
        await other.claim()
    await other.close()
    await store.commit(append())


async def test_without_its_lease_a_server_stores_nothing(store: Store) -> None:
    await store.claim()
    await store.commit(append())
    await lose(store)
    with pytest.raises(Unavailable):
        await store.commit(append(version=2))
    with pytest.raises(Unavailable):
        await store.heartbeat(1_700_000_000_000, 5000)
    assert not store.is_storing
    await recover(store)
    assert await store.keep_lease()
    assert len(await store.events("t1")) == 1
    await store.commit(append(version=2))
    await store.heartbeat(1_700_000_000_000, 5000)
    assert store.is_storing


@pytest.fixture
async def two(postgres: str, tmp_path: Path) -> AsyncIterator[tuple[Any, Any]]:
    """Two servers on one PostgreSQL; the first has the lease."""
    url = await fresh(postgres)
    first, second = store_for(url, tmp_path), store_for(url, tmp_path)
    await first.open()
    await second.open()
    await first.claim()
    yield first, second
    await first.close()
    await second.close()


async def test_a_lease_that_another_process_has_taken_is_lost(two: tuple[Any, Any]) -> None:
    first, second = two
    await lose(first)
    await second.claim()
    assert not await first.keep_lease()
    with pytest.raises(Unavailable):
        await first.commit(append())
    await second.commit(append())
    await second.close()
    assert await first.keep_lease()
    await first.commit(append(version=2))


class Unaware(Lease):
    """The loss of its connection has not been noticed yet."""

    is_held = True


async def test_a_server_that_has_not_noticed_the_loss_stores_nothing_either(
    two: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = two
    await first.commit(append())
    await lose(first)
    first._lease.__class__ = Unaware
    await second.claim()
    for _ in range(3):  # on the connection that is open, and on new ones
        with pytest.raises(Unavailable):
            await first.commit(append(version=2))
    assert len(await second.events("t1")) == 1
    await second.commit(append(version=2))


async def test_a_commit_under_way_ends_when_another_takes_the_lease(two: tuple[Any, Any]) -> None:
    """Its outcome is known when the new holder reads: it was not stored."""
    first, second = two
    await first.commit(append())
    async with second._pool.acquire() as blocker, blocker.transaction():
        await blocker.execute("SELECT * FROM tables FOR UPDATE")
        late = asyncio.create_task(first.commit(append(version=2)))
        while not await second._pool.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
            await asyncio.sleep(0.001)
        await lose(first)
        await second.claim()
    with pytest.raises(Unavailable):
        await late
    assert len(await second.events("t1")) == 1


async def test_a_connection_that_only_the_database_believes_in_does_not_keep_the_lease(
    two: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a network has failed: nobody tells the database that the connection is gone."""
    first, _ = two
    monkeypatch.setattr(first._lease, "terminate", lambda: None)
    monkeypatch.setattr(first._lease, "is_alive", lambda: asyncio.sleep(0, False))
    lost = first._lease
    for _ in range(1000):
        if await first.keep_lease():
            break
    else:
        pytest.fail("the lease was not taken back")
    await first.commit(append())
    await lost.close()


async def test_a_write_that_hangs_ends(two: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "WRITE_SECONDS", 0.05)
    first, other = two
    await first.close()
    await first.open()
    await first.claim()
    await first.commit(append())
    async with other._pool.acquire() as blocker, blocker.transaction():
        await blocker.execute("SELECT * FROM tables FOR UPDATE")
        async with asyncio.timeout(60):  # else it would hang here
            with pytest.raises(Unavailable):
                await first.commit(append(version=2))
    await first.commit(append(version=2))


async def test_a_command_line_tool_writes_beside_the_server(two: tuple[Any, Any]) -> None:
    first, tool = two
    await tool.commit(PutTenant(TENANT))
    await first.commit(append())
    assert await first.tenants() == [TENANT]


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_a_file_is_locked_under_all_its_names(tmp_path: Path, link: Callable[[Path, Path], None]) -> None:
    path, name = tmp_path / "ludus.sqlite3", tmp_path / "other" / "games.sqlite3"
    open_writer(path).close()
    name.parent.mkdir()
    link(name, path)
    held = FileLease(path)
    with pytest.raises(BadDatabase, match="another server is running"):
        FileLease(name)
    held.close()
    FileLease(name).close()


async def test_a_store_that_can_be_read_answers(store: Store) -> None:
    await store.ping()


async def test_a_store_that_cannot_be_read_does_not_answer(postgres: str, tmp_path: Path) -> None:
    store: Any = store_for(postgres, tmp_path)
    await store.open()
    await store._pool.close()
    with pytest.raises(Unavailable):
        await store.ping()
    await store.close()
