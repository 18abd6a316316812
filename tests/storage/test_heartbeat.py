"""How long the server has been down."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.service.ports import Store
from ludus.storage import store_for

pytestmark = pytest.mark.anyio


async def test_a_new_platform_has_no_downtime(store: Store) -> None:
    assert await store.heartbeat(1_700_000_000_000, 5000) == 0


async def test_heartbeats_in_time_add_no_downtime(store: Store) -> None:
    assert [await store.heartbeat(now, 5000) for now in (100_000, 101_000, 106_000, 106_000)] == [0] * 4


async def test_a_missing_beat_counts_from_the_last_one(store: Store) -> None:
    assert [await store.heartbeat(now, 5000) for now in (100_000, 105_001, 106_000, 126_000)] == [0, 5001, 5001, 25_001]


async def test_setting_the_clock_back_and_forth_is_harmless(store: Store) -> None:
    heartbeats = [await store.heartbeat(now, 5000) for now in (100_000, 40_000, 41_000, 101_000)]
    assert heartbeats == [0, 0, 0, 60_000]


async def test_the_time_closed_is_remembered(database: str, tmp_path: Path) -> None:
    closed = []
    for now in (100_000, 200_000, 300_500):
        store = store_for(database, tmp_path)
        await store.open()
        closed.append(await store.heartbeat(now, 5000))
        await store.close()
    assert closed == [0, 100_000, 200_500]
