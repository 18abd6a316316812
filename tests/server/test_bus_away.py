"""Two server processes that start while Redis is away: games go on through the database until it is back."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.redis_server import redis_server
from tests.rooms.opponents import Opponents
from tests.rooms.raw_client import RawClient
from tests.server_pair import ServerPair
from tests.server_process import ServerProcess
from tests.storage.cluster import cluster

pytestmark = pytest.mark.slow

PATIENCE = 60
LOST, FOUND = "the bus cannot be reached; retrying, and reading the store until it works", "the bus works again"


def is_connected(server: ServerProcess) -> bool:
    return "\nludus_bus_connected 1.0\n" in server.request("GET", "/metrics").text


def test_players_of_two_processes_play_without_redis_and_with_it(tmp_path: Path) -> None:
    with cluster() as database, redis_server() as redis:
        redis.kill()
        pair = ServerPair(tmp_path / "pair", database, redis.url)
        try:
            with RawClient(pair.processes[0].url) as one, RawClient(pair.processes[1].url) as two:
                opponents = Opponents.seat(one, two).move()
                assert not any(map(is_connected, pair.processes))
                redis.start()
                until = time.monotonic() + PATIENCE
                while not all(map(is_connected, pair.processes)):
                    assert time.monotonic() < until
                    time.sleep(0.1)
                opponents.move()
        finally:
            pair.close()
        for process in pair.processes:
            assert [process.log.count(line) for line in (LOST, FOUND)] == [1, 1]
            assert "Traceback" not in process.log
