from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.redis_server import RedisServer, redis_server


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def redis() -> Iterator[RedisServer]:
    """For tests that leave it running."""
    with redis_server() as server:
        yield server


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    """For one test, which may do anything to it."""
    with redis_server() as server:
        yield server


@pytest.fixture(scope="session")
def locked_redis() -> Iterator[RedisServer]:
    with redis_server("right") as server:
        yield server
