"""Two servers on one PostgreSQL: whatever happens to the lease, only one of them plays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.service.parts import FakeClock, first_play
from tests.service.platforms import SECRET, TIMEOUTS, FirstMove, found_tenant, play, seated, settle

from ludus.bus.memory import MemoryBus
from ludus.service.commands import Resign
from ludus.service.platform import Platform
from ludus.service.ports.store import Unavailable
from ludus.storage import store_for
from ludus.storage.errors import BadDatabase

from ..conftest import fresh

pytestmark = pytest.mark.anyio


@pytest.fixture
async def two(postgres: str, tmp_path: Path) -> AsyncIterator[tuple[Platform, Platform]]:
    """The first is open."""
    url, clock = await fresh(postgres), FakeClock()
    platforms = [
        Platform(store_for(url, tmp_path), MemoryBus(), FirstMove(), SECRET, TIMEOUTS, clock=clock, rng=Random(1))
        for _ in range(2)
    ]
    await platforms[0].open()
    await settle(platforms[0])
    await found_tenant(platforms[0])
    yield platforms[0], platforms[1]
    for platform in platforms:
        await platform.close()


async def lose_lease(platform: Platform) -> None:
    store: Any = platform.store
    await store._pool.fetchval("SELECT pg_terminate_backend($1)", store._lease.backend.pid)
    while store._lease.is_held:
        await asyncio.sleep(0.001)


async def test_a_server_whose_lease_another_has_taken_refuses_every_move(two: tuple[Platform, Platform]) -> None:
    first, second = two
    table, *_ = await seated(first)
    await play(first, table.id, 2)
    with pytest.raises(BadDatabase, match="another server"):
        await second.open()
    await lose_lease(first)
    await second.open()
    await settle(second)
    live = (await first.tables.load(table.id)).table
    for command in (first_play(live), Resign(0)):
        with pytest.raises(Unavailable):
            await first.tables.execute(table.id, command)
    with pytest.raises(Unavailable):
        await seated(first)
    with pytest.raises(Unavailable):
        await first._heartbeat()
    assert (await play(second, table.id, 2)).moves == 4


async def test_a_server_that_gets_its_lease_back_reads_what_the_other_has_done(two: tuple[Platform, Platform]) -> None:
    first, second = two
    table, *_ = await seated(first)
    await lose_lease(first)
    await second.open()
    await settle(second)
    assert (await second.tables.load(table.id)).table.away[0] is not None  # nobody is connected there
    await play(second, table.id, 3)
    await first._keep_lease()
    assert not first.has_lease
    await second.close()
    await first._keep_lease()
    assert first.has_lease
    await first._catch_up()
    now = (await first.tables.load(table.id)).table
    assert (now.moves, now.away) == (3, (None, None))
    assert (await play(first, table.id)).moves == 4


async def test_a_server_alone_takes_its_lease_again_and_plays_on(two: tuple[Platform, Platform]) -> None:
    first, _ = two
    table, *_ = await seated(first)
    await lose_lease(first)
    with pytest.raises(Unavailable):
        await play(first, table.id)
    await first._keep_lease()
    assert (await play(first, table.id)).moves == 1
