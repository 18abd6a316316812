"""What only PostgreSQL does."""

from __future__ import annotations

from pathlib import Path

import asyncpg
import pytest

from ludus.service.ports.writes import PutDelivery, PutTenant, Write
from ludus.storage import store_for
from ludus.storage.errors import BadDatabase, BadRecord
from ludus.storage.postgres.dialect import batches

from ..conftest import fresh
from ..examples import DELIVERY, TENANT, append, row

pytestmark = pytest.mark.anyio


async def test_a_database_of_a_newer_program_is_refused(postgres: str, tmp_path: Path) -> None:
    url = await fresh(postgres)
    store = store_for(url, tmp_path)
    await store.open()
    await store.commit(append())
    await store.close()
    connection = await asyncpg.connect(url)
    await connection.execute("INSERT INTO migrations VALUES (99, 'future')")
    with pytest.raises(BadDatabase, match="newer Ludus: it has migration 99"):
        await store.open()
    assert await connection.fetchval("SELECT count(*) FROM events") == 1
    await connection.close()


async def test_a_server_that_is_not_there_is_refused_and_no_password_is_shown(tmp_path: Path) -> None:
    with pytest.raises(BadDatabase, match="cannot be opened") as refused:
        await store_for(f"postgresql://ann:secret@/ludus?host={tmp_path}", tmp_path).open()
    assert "secret" not in str(refused.value)


async def test_a_database_that_is_not_there_is_refused(postgres: str, tmp_path: Path) -> None:
    with pytest.raises(BadDatabase, match="cannot be opened"):
        await store_for(postgres.replace("/postgres?", "/nowhere?"), tmp_path).open()


async def test_what_has_been_committed_has_been_synced(postgres: str, tmp_path: Path) -> None:
    store = store_for(f"{await fresh(postgres)}&synchronous_commit=off", tmp_path)
    await store.open()
    async with store._pool.acquire() as connection:  # type: ignore[attr-defined]  # only this store has a pool
        assert await connection.fetchval("SHOW synchronous_commit") == "on"
    await store.close()


async def test_an_id_too_long_for_an_index_is_refused(postgres: str, tmp_path: Path) -> None:
    store = store_for(await fresh(postgres), tmp_path)
    await store.open()
    with pytest.raises(BadRecord):
        await store.commit(append("".join(chr(0x4E00 + n) for n in range(20_000))))
    await store.commit(append())
    assert await store.table("t1") == row()
    await store.close()


def test_a_move_is_one_trip_and_neighbours_share_theirs() -> None:
    assert [len(batch.values) for batch in batches([append(version=2)])] == [1]
    deliveries = [PutDelivery(DELIVERY), PutDelivery(DELIVERY._replace(id="d2"))]
    writes: list[Write] = [append(version=2), *deliveries, PutTenant(TENANT), append(version=3)]
    assert [len(batch.values) for batch in batches(writes)] == [1, 2, 2]
