"""The serving process notices that it has lost its lease, and takes it again unless another was faster."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from ludus.service.ports import Store
from ludus.storage import store_for
from ludus.storage.sqlite.store import SqliteStore

pytestmark = pytest.mark.anyio


async def lose(store: Any) -> None:
    """What a restart of PostgreSQL does, or someone who tidies up the data folder."""
    if isinstance(store, SqliteStore):
        store._path.with_name(f"{store._path.name}.lock").unlink()
        return
    backend = await store._lease.fetchval("SELECT pg_backend_pid()")
    await store._pool.fetchval("SELECT pg_terminate_backend($1)", backend)
    while not store._lease.is_closed():
        await asyncio.sleep(0.01)


async def test_a_lease_is_kept(store: Store) -> None:
    await store.claim()
    assert await store.keep_lease()
    assert await store.keep_lease()


async def test_a_lost_lease_is_taken_again(store: Store, database: str, tmp_path: Path) -> None:
    await store.claim()
    await lose(store)
    assert await store.keep_lease()
    other = store_for(database, tmp_path)
    await other.open()
    assert not await other.keep_lease()
    await other.close()


async def test_a_lease_that_another_process_has_taken_is_lost(store: Store, database: str, tmp_path: Path) -> None:
    await store.claim()
    other = store_for(database, tmp_path)
    await other.open()
    await lose(store)
    await other.claim()
    assert not await store.keep_lease()
    await other.close()
    assert await store.keep_lease()


async def test_a_store_that_can_be_read_answers(store: Store) -> None:
    await store.ping()


async def test_a_store_that_cannot_be_read_does_not_answer(postgres: str, tmp_path: Path) -> None:
    store: Any = store_for(postgres, tmp_path)
    await store.open()
    await store._pool.close()
    with pytest.raises(asyncpg.InterfaceError):
        await store.ping()
    await store.close()
