"""One server process at a time per database; other processes may read and write at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.service.ports.store import Store
from ludus.service.ports.writes import PutConnection, PutMember, PutTenant
from ludus.service.records import ConnectionRow
from ludus.storage import store_for
from ludus.storage.errors import BadDatabase

from .examples import MEMBER, TENANT

pytestmark = pytest.mark.anyio


async def test_a_second_server_is_refused_until_the_first_is_gone(store: Store, database: str, tmp_path: Path) -> None:
    await store.claim()
    other = store_for(database, tmp_path)
    await other.open()
    with pytest.raises(BadDatabase, match="another server"):
        await other.claim()
    await other.commit(PutTenant(TENANT))  # as the command line does
    await store.close()
    await other.claim()
    await other.close()


async def test_a_server_that_is_alone_forgets_the_members_before_it(store: Store) -> None:
    await store.commit(PutMember(MEMBER), PutConnection(ConnectionRow("t1", 0, MEMBER.id)))
    await store.claim()
    assert await store.members() == []
    assert await store.connections_at("t1") == []


async def test_a_file_is_never_shared(tmp_path: Path) -> None:
    store = store_for("", tmp_path)
    await store.open()
    with pytest.raises(BadDatabase, match="use PostgreSQL"):
        await store.claim(sole=False)
    await store.close()


def test_the_database_is_private_to_its_owner(tmp_path: Path) -> None:
    import anyio

    async def make() -> None:
        store = store_for("", tmp_path / "data")
        await store.open()
        await store.commit(PutTenant(TENANT))
        files = [tmp_path / "data", *(tmp_path / "data").iterdir()]
        assert {file.name for file in files} >= {"data", "ludus.sqlite3", "ludus.sqlite3-wal"}
        assert not [file.name for file in files if file.stat().st_mode & 0o077]
        await store.close()

    anyio.run(make)
