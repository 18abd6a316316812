"""Two processes and a collector: a move that one stores and the other shows is one trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.redis_server import redis_server
from tests.rooms.opponents import Opponents
from tests.rooms.raw_client import RawClient
from tests.server.tracing.collector import running_collector
from tests.server_pair import ServerPair
from tests.storage.cluster import cluster

pytestmark = pytest.mark.slow


def test_a_move_between_two_processes_is_one_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")  # milliseconds
    with cluster() as database, redis_server() as redis, running_collector() as collector:
        pair = ServerPair(tmp_path / "pair", database, redis.url, otel_endpoint=collector.url)
        try:
            with RawClient(pair.processes[0].url) as one, RawClient(pair.processes[1].url) as two:
                Opponents.seat(one, two).move()
                emit = "emit game:move:made"
                spans = collector.trace("receive game:move", "commit", "publish", emit, emit)
        finally:
            pair.close()
    by_id = {span.id: span for span in spans}
    (first,) = (span for span in spans if span.name == "receive game:move")
    assert {span.process for span in spans if span.name == "commit"} == {first.process}
    shown = {span.process: by_id[span.parent] for span in spans if span.name == emit}
    assert len(shown) == 2
    assert {(parent.name, parent.process) for parent in shown.values()} == {("publish", first.process)}
