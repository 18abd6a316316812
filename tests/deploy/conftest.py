"""One PostgreSQL and one Redis for all deployments."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.deploy.running import Services
from tests.redis_server import redis_server
from tests.storage.cluster import cluster


@pytest.fixture(scope="package")
def services() -> Iterator[Services]:
    with cluster() as database, redis_server() as redis:
        yield Services(database, redis.url)
