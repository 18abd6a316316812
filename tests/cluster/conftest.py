"""The suites of rooms and arena on two server processes: each client gets the process that the last one did not get."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..arena.conftest import UNHURRIED, new_agent, register, visitor
from ..redis_server import redis_server
from ..rooms.conftest import (
    RELAXED_LIMITS,
    app,
    clients,
    impatient_app,
    impatient_tenant,
    neighbour,
    node,
    pytest_runtest_makereport,
    python_clients,
    receiver,
    tenant,
)
from ..server_pair import ServerPair
from ..storage.cluster import cluster


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    with cluster() as url:
        yield url


@pytest.fixture(scope="session")
def bus() -> Iterator[str]:
    with redis_server() as redis:
        yield redis.url


@pytest.fixture(scope="session")
def server(database: str, bus: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerPair]:
    """For rooms and arena, with the limits of the contracts."""
    settings = {**UNHURRIED, **RELAXED_LIMITS}
    pair = ServerPair(tmp_path_factory.mktemp("pair") / "servers", database, bus, **settings)
    yield pair
    pair.close()


@pytest.fixture(scope="session")
def arena(server: ServerPair) -> ServerPair:
    return server
