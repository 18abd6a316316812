"""Every test that asks for `database` or `store` runs on each database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import asyncpg
import pytest

from ludus.service.ports.store import Store
from ludus.storage import store_for

from .cluster import cluster

NUMBERS = count(1)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with cluster() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The setting that names an empty database."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'ludus.sqlite3'}"
    return await fresh(request.getfixturevalue("postgres"))


async def fresh(url: str) -> str:
    """A schema of its own in the one server."""
    name = f"test_{next(NUMBERS)}"
    connection = await asyncpg.connect(url)
    await connection.execute(f"CREATE SCHEMA {name}")
    await connection.close()
    return f"{url}&search_path={name}"


@pytest.fixture
async def store(database: str, tmp_path: Path) -> AsyncIterator[Store]:
    store = store_for(database, tmp_path)
    await store.open()
    yield store
    await store.close()
