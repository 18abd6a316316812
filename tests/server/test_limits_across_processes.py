"""Limits of two real server processes on one PostgreSQL and Redis."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from tests.redis_server import RedisServer, redis_server
from tests.rooms import frames
from tests.server_pair import ServerPair
from tests.server_process import PATIENCE, ServerProcess
from tests.storage.cluster import cluster
from websockets.sync.client import connect

pytestmark = pytest.mark.slow

LIMIT = 10
names = itertools.count()


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory, redis: RedisServer) -> Iterator[ServerPair]:
    with cluster() as database:
        folder = tmp_path_factory.mktemp("pair") / "data"
        servers = ServerPair(
            folder, database, redis.url, rate_limit=LIMIT, registrations=LIMIT, max_sockets=LIMIT, agent_rate_limit=1000
        )
        yield servers
        servers.close()


def until(found: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < limit
        time.sleep(0.02)


def compared(servers: ServerPair) -> None:
    """Returns when each process has begun a comparison after now, and ended it."""
    before = [comparisons(process) for process in servers.processes]
    pairs = list(zip(servers.processes, before, strict=True))
    until(lambda: all(comparisons(process) >= number + 2 for process, number in pairs))


def comparisons(process: ServerProcess) -> float:
    return float(re.findall(r"^ludus_limits_compared_total (.*)$", process.request("GET", "/metrics").text, re.M)[0])


def is_shared(servers: ServerPair) -> bool:
    return all("\nludus_limits_shared 1.0\n" in each.request("GET", "/metrics").text for each in servers.processes)


def is_not_shared(servers: ServerPair) -> bool:
    return all("\nludus_limits_shared 0.0\n" in each.request("GET", "/metrics").text for each in servers.processes)


Ask = Callable[[ServerProcess], bool]
"""Whether a client is let in by a process."""


def expect_shared_limit(servers: ServerPair, ask: Ask) -> None:
    """One process lets in all of the limit; the other one more, by which it learns of the rest."""
    one, other = servers.processes
    assert [ask(one) for _ in range(LIMIT + 1)] == [True] * LIMIT + [False]
    compared(servers)
    assert ask(other)
    compared(servers)
    assert not ask(other) and not ask(one)


def requests_of_a_new_key(servers: ServerPair) -> Ask:
    key = servers.tenant(f"app-{next(names)}").live

    def ask(process: ServerProcess) -> bool:
        answer = process.request("GET", "/v1/sessions/none?game=checkers", key)
        assert answer.status_code in (404, 429), answer.text
        return answer.status_code == 404

    return ask


def test_requests_of_a_key_are_limited_across_processes(servers: ServerPair, redis: RedisServer) -> None:
    expect_shared_limit(servers, requests_of_a_new_key(servers))
    redis.freeze()
    until(lambda: is_not_shared(servers))
    ask = requests_of_a_new_key(servers)
    assert [sum(ask(process) for _ in range(LIMIT)) for process in servers.processes] == [LIMIT // 2] * 2
    redis.thaw()
    until(lambda: is_shared(servers))
    expect_shared_limit(servers, requests_of_a_new_key(servers))


def test_registrations_of_an_address_are_limited_across_processes(servers: ServerPair) -> None:
    def register(process: ServerProcess) -> bool:
        body = {"name": f"agent-{next(names)}", "model": "none"}
        answer = process.request("POST", "/api/agents", json=body)
        assert answer.status_code in (201, 429), answer.text
        return answer.status_code == 201

    expect_shared_limit(servers, register)


def test_sockets_of_an_address_are_limited_across_processes(servers: ServerPair) -> None:
    with ExitStack() as opened:

        def join(process: ServerProcess) -> bool:
            socket = opened.enter_context(connect(frames.address(process.url), close_timeout=1))
            socket.recv(PATIENCE)
            socket.send("40/checkers,")
            return str(socket.recv(PATIENCE)).startswith("40")

        expect_shared_limit(servers, join)
