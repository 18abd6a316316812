"""A store that cannot be used says so with one error, stores nothing, and works again afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from ludus.service.ports.store import Store, Unavailable
from ludus.storage import store_for
from ludus.storage.sqlite import writer
from ludus.storage.sqlite.faults import translated
from ludus.storage.sqlite.store import SqliteStore

from .conftest import fresh
from .examples import append

pytestmark = pytest.mark.anyio
Fault = Callable[[Any], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def full(store: SqliteStore) -> AsyncIterator[None]:
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    yield
    store._connection.execute("PRAGMA max_page_count = 1073741823")


@asynccontextmanager
async def read_only(store: SqliteStore) -> AsyncIterator[None]:
    store._connection.execute("PRAGMA query_only = ON")
    yield
    store._connection.execute("PRAGMA query_only = OFF")


@asynccontextmanager
async def locked(store: SqliteStore) -> AsyncIterator[None]:
    other = sqlite3.connect(store._path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.close()


@pytest.mark.parametrize("fault", [full, read_only, locked])
async def test_a_file_that_takes_no_write_is_unavailable(
    tmp_path: Path, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "BUSY_TIMEOUT", 1)
    store = store_for("", tmp_path)
    await store.open()
    async with fault(store):
        with pytest.raises(Unavailable):
            for n in range(1000):
                await store.commit(append(f"table {n}"))
        stored = len(await store.live_tables())
        assert not store.is_storing
    await store.commit(append("last"))
    assert not store.is_storing
    await store.heartbeat(1_700_000_000_000, 5000)
    assert store.is_storing
    assert len(await store.live_tables()) == stored + 1
    await store.close()


@asynccontextmanager
async def absent(store: Any) -> AsyncIterator[None]:
    """The connections are gone, and there is nothing to connect to."""
    store._pool.set_connect_args("postgresql://ludus@/postgres?host=/nowhere")
    await store._pool.expire_connections()
    yield
    store._pool.set_connect_args(store._url)


@asynccontextmanager
async def on_standby(store: Any) -> AsyncIterator[None]:
    await store._pool.execute("SET default_transaction_read_only = on")
    yield
    await store._pool.execute("SET default_transaction_read_only = off")


@asynccontextmanager
async def crowded(store: Any) -> AsyncIterator[None]:
    """No connection is left for this user."""
    admin = await asyncpg.connect(store._url)
    await admin.execute("CREATE ROLE guest LOGIN CONNECTION LIMIT 0")
    await admin.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO guest")
    url, store._pool = store._pool, await asyncpg.create_pool(store._url, user="guest", min_size=0)
    yield
    await store._pool.close()
    store._pool = url
    await admin.execute("DROP OWNED BY guest")
    await admin.execute("DROP ROLE guest")
    await admin.close()


@pytest.mark.parametrize("fault", [absent, on_standby, crowded])
async def test_a_database_that_does_not_answer_is_unavailable(postgres: str, tmp_path: Path, fault: Fault) -> None:
    store: Any = store_for(await fresh(postgres), tmp_path)
    await store.open()
    async with fault(store):
        with pytest.raises(Unavailable):
            await store.commit(append())
        assert not store.is_storing
    await store.commit(append())
    await store.heartbeat(1_700_000_000_000, 5000)
    assert store.is_storing
    assert len(await store.events("t1")) == 1
    await store.close()


async def test_a_closed_store_is_unavailable(store: Store) -> None:
    await store.close()
    with pytest.raises(Unavailable):
        await store.commit(append())


def test_a_mistake_of_ours_is_not_called_a_fault() -> None:
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(sqlite3.OperationalError) as found:
        connection.execute("SELECT * FROM nowhere")
    assert translated(found.value) is found.value
    assert isinstance(translated(OSError()), OSError)
