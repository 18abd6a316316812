"""Faults of the store that tests begin and end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ludus.service.platform import Platform
from ludus.service.ports.store import Unavailable


@contextmanager
def read_only(platform: Platform) -> Iterator[None]:
    """As with a full disk: what is stored can be read, and every write fails."""
    store: Any = platform.store
    store._connection.execute("PRAGMA query_only = ON")
    yield
    store._connection.execute("PRAGMA query_only = OFF")


@contextmanager
def unreachable(platform: Platform) -> Iterator[None]:
    """As with an absent database: reads fail too."""
    store: Any = platform.store

    async def fail(*_: object, **__: object) -> Any:
        raise Unavailable("the database is away")

    store._fetch = fail
    with read_only(platform):
        yield
    del store._fetch
