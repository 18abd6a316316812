"""Games that begin and end in many processes at once are counted without waiting for each other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from ludus.service.ports.store import Store
from ludus.service.ports.writes import DropTable
from ludus.service.records import Tally
from ludus.storage import store_for
from ludus.storage.statement import statements

from ..conftest import fresh
from ..examples import append, row

pytestmark = pytest.mark.anyio
OVER: dict[str, Any] = {
    "status": "over",
    "due": None,
    "opened_at": 0,
    "ended_at": 4000,
    "result": {"winner": 0, "reason": "no_moves"},
}
SLOTS = 16


@pytest.fixture
async def url(postgres: str) -> str:
    return await fresh(postgres)


@pytest.fixture
async def store(url: str, tmp_path: Path) -> AsyncIterator[Store]:
    store = store_for(url, tmp_path)
    await store.open()
    yield store
    await store.close()


async def begin_and_end(connection: Any, table: str) -> None:
    """A game, in the transaction of this connection."""
    for write in (append(table, opened_at=0), append(table, 2, **OVER)):
        for text, values, _ in statements(write):
            await connection.execute(text.replace("?", "$"), *values)


async def test_an_open_transaction_keeps_no_other_game_waiting(store: Store, url: str) -> None:
    """As of a process that is stopped in the middle of it."""
    stopped = await asyncpg.connect(url)
    async with stopped.transaction():
        await begin_and_end(stopped, "t1")
        async with asyncio.timeout(60):  # else it would hang here
            await store.commit(append("t2", opened_at=0))
            await store.commit(append("t2", 2, **OVER))
        assert await store.tally("checkers") == Tally(1, 4.0, 1)
    await stopped.close()
    assert await store.tally("checkers") == Tally(2, 8.0, 2)
    assert await store.opened_since("checkers", -1) == 2


async def test_connections_count_in_different_rows(store: Store, url: str) -> None:
    one, two = [await asyncpg.connect(url) for _ in range(2)]
    while two.get_server_pid() % SLOTS == one.get_server_pid() % SLOTS:
        await two.close()
        two = await asyncpg.connect(url)
    async with one.transaction(), asyncio.timeout(60):
        await begin_and_end(one, "t1")
        await one.execute("SET CONSTRAINTS ALL IMMEDIATE")  # counts, and has its rows locked from now on
        async with two.transaction():
            await begin_and_end(two, "t2")
    assert await store.tally("checkers") == Tally(2, 8.0, 2)
    await one.close()
    await two.close()
    for id in ("t1", "t2"):
        await store.commit(DropTable(row(id)))
    assert await store.tally("checkers") == Tally(2, 8.0, 2)
    assert await store.opened_since("checkers", -1) == 0
