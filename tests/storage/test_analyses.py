"""Analyses of finished games: one per table, the latest; and requests for them, which say how far each is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import DropAnalysisJob, DropTable, PutAnalysis, PutAnalysisJob
from ludus.service.records import Analysis, AnalysisJob, AnalysisRequest
from ludus.storage import store_for
from ludus.storage.errors import BadRecord

from .examples import append, play

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
JOB = AnalysisJob("a1", "ann", "waiting", 1_000, "engine-1", (), 1)


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


async def test_a_request_comes_back_with_its_progress(store: Store) -> None:
    await store.commit(PutAnalysisJob(JOB))
    further = JOB._replace(state="running", moves=(MOVE,), version=2)
    await store.commit(PutAnalysisJob(further))
    assert await store.analysis_job("a1") == further
    assert [await store.analysis_job("a2"), await store.analysis_job("\0")] == [None, None]


async def test_a_request_is_changed_by_one_process_at_a_time(store: Store) -> None:
    await store.commit(PutAnalysisJob(JOB))
    second = JOB._replace(state="running", version=2)
    await store.commit(PutAnalysisJob(second))
    for late in (PutAnalysisJob(JOB), PutAnalysisJob(second), DropAnalysisJob(JOB)):
        with pytest.raises(Conflict):
            await store.commit(late)
    await store.commit(DropAnalysisJob(second))
    with pytest.raises(Conflict):
        await store.commit(PutAnalysisJob(second._replace(version=3)))
    assert await store.analysis_job("a1") is None


async def test_requests_are_listed_in_their_order_and_by_shard_without_those_that_failed(store: Store) -> None:
    late, failed = JOB._replace(table="tb", asked_at=2_000), JOB._replace(table="tc", state="failed")
    early = JOB._replace(table="ta", asked_at=500, state="running", owner="ben")
    await store.commit(*map(PutAnalysisJob, (late, failed, JOB, early)))
    listed = [AnalysisRequest(job.table, job.owner, job.state) for job in (early, JOB, late)]
    assert await store.analysis_requests() == listed
    assert await store.analysis_requests("ab") == [listed[0], listed[2]]
    assert await store.analysis_requests("") == []


async def test_an_analysis_takes_the_place_of_its_request(store: Store) -> None:
    await play(store, "a1")
    await store.commit(PutAnalysisJob(JOB))
    with pytest.raises(Conflict):
        await store.commit(PutAnalysis(ANALYSIS._replace(table="a1")), DropAnalysisJob(JOB._replace(version=2)))
    assert await store.analysis("a1") is None
    await store.commit(PutAnalysis(ANALYSIS._replace(table="a1")), DropAnalysisJob(JOB))
    assert (await store.analysis("a1"), await store.analysis_job("a1")) == (ANALYSIS._replace(table="a1"), None)


async def test_a_request_is_deleted_with_its_table(store: Store) -> None:
    ended = append("a1", status="over", ended_at=1, result={"winner": 0, "reason": "resigned"})
    await store.commit(ended, PutAnalysisJob(JOB))
    await store.commit(DropTable(ended.row))
    assert await store.analysis_job("a1") is None


async def test_a_process_without_a_share_of_the_work_asks_the_database_for_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(store, "_fetch", refuse)
    none = frozenset[str]()
    assert not await store.tables_due(9, 9, none) and not await store.sessions_due(9, 9, none)
    assert not await store.deliveries_due(9, 9, none) and not await store.live_tables(shards=none)
    assert not await store.analysis_requests(none)
