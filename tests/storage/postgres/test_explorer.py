"""A recount of the opening explorer beside a transaction that counts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
import pytest

from ludus.service.ports.writes import CountMoves
from ludus.storage import store_for
from ludus.storage.postgres.dialect import batches

from ..conftest import fresh
from ..test_explorer import ONE, finish

pytestmark = pytest.mark.anyio

WAITS = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"


async def test_a_recount_waits_for_a_count_under_way_and_forgets_it(postgres: str, tmp_path: Path) -> None:
    url = await fresh(postgres)
    store = store_for(url, tmp_path)
    await store.open()
    await finish(store, "t1")
    counting, watching = await asyncpg.connect(url), await asyncpg.connect(url)
    transaction = counting.transaction()
    await transaction.start()
    for batch in batches([CountMoves(("t1",), ("t1",), (ONE,))]):
        await counting.fetchmany(batch.text, batch.values)
    recount = asyncio.create_task(store.recount_games())
    while not await watching.fetchval(WAITS) and not recount.done():
        await asyncio.sleep(0.01)
    await transaction.commit()
    assert await recount == 1
    assert await store.move_counts(ONE.position, 10) == [] and await store.tables_to_count(10) == ["t1"]
    for connection in (counting, watching):
        await connection.close()
    await store.close()
