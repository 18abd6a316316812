"""Analyses of finished games: one per table, the latest."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.service.ports import PutAnalysis, Store
from ludus.service.records import Analysis
from ludus.storage import store_for
from ludus.storage.errors import BadRecord

from .examples import play

pytestmark = pytest.mark.anyio

MOVE = {
    "ply": 3,
    "value": 0.1 + 0.2,
    "best": "22-17",
    "line": ["22-17", "9-13"],
    "exact": False,
    "chances": [0.5, 0.25],
}
ANALYSIS = Analysis("t1", "engine-1", (MOVE, {"ply": 0, "value": -1.0}), 1_700_000_000_000)


async def test_an_analysis_comes_back_as_it_was(store: Store) -> None:
    await play(store)
    await store.commit(PutAnalysis(ANALYSIS))
    assert await store.analysis("t1") == ANALYSIS
    assert [await store.analysis("t2"), await store.analysis("\0")] == [None, None]


async def test_another_engine_takes_the_place_of_the_one_before(store: Store) -> None:
    await play(store, "t1")
    await play(store, "t2")
    other = ANALYSIS._replace(engine="engine-2", moves=(), made_at=1_700_000_000_001)
    await store.commit(PutAnalysis(ANALYSIS), PutAnalysis(ANALYSIS._replace(table="t2")))
    await store.commit(PutAnalysis(other))
    assert await store.analysis("t1") == other
    assert await store.analysis("t2") == ANALYSIS._replace(table="t2")


async def test_a_game_that_is_not_there_has_no_analysis(store: Store) -> None:
    with pytest.raises(BadRecord):
        await store.commit(PutAnalysis(ANALYSIS))
    assert await store.analysis("t1") is None


async def test_an_analysis_outlives_the_process(database: str, tmp_path: Path) -> None:
    store = store_for(database, tmp_path)
    await store.open()
    await play(store)
    await store.commit(PutAnalysis(ANALYSIS))
    await store.close()
    again = store_for(database, tmp_path)
    await again.open()
    assert await again.analysis("t1") == ANALYSIS
    await again.close()
