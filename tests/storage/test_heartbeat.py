"""How long the platform has worked."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.service.ports import Store
from ludus.storage import store_for

pytestmark = pytest.mark.anyio


async def test_the_uptime_of_a_new_platform_starts_with_the_wall_clock(store: Store) -> None:
    assert await store.heartbeat(1_700_000_000_000) == 1_700_000_000_000


async def test_the_first_uptime_may_be_any(store: Store) -> None:
    assert [await store.heartbeat(100_000, 40_000), await store.heartbeat(100_000)] == [40_000, 40_000]


async def test_uptime_is_what_the_last_heartbeat_says(store: Store) -> None:
    given = [(100_000, None), (101_000, 101_000), (106_000, 102_000), (90_000, 103_000), (10**13, 104_000)]
    assert [await store.heartbeat(*each) for each in given] == [100_000, 101_000, 102_000, 103_000, 104_000]


async def test_uptime_never_goes_back(store: Store) -> None:
    given = [(100_000, None), (101_000, 101_000), (102_000, 100_500), (50_000, 50_000)]
    assert [await store.heartbeat(*each) for each in given] == [100_000, 101_000, 101_000, 101_000]


async def test_uptime_is_remembered(database: str, tmp_path: Path) -> None:
    found = []
    for at in (100_000, 200_000, 5_000):
        store = store_for(database, tmp_path)
        await store.open()
        found.append(await store.heartbeat(at))
        await store.heartbeat(at + 1_000, found[-1] + 1_000)
        await store.close()
    assert found == [100_000, 101_000, 102_000]
