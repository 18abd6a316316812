"""Several servers share one PostgreSQL, unless one of them expects to be alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from ludus.service.ports.store import Conflict, Unavailable
from ludus.storage import store_for
from ludus.storage.errors import BadDatabase
from ludus.storage.postgres.lease import LONE_WRITERS, Lease

from ..conftest import fresh
from ..examples import append

pytestmark = pytest.mark.anyio
Open = Callable[[], Awaitable[Any]]


class Unaware(Lease):
    """The loss of its connection has not been noticed yet."""

    is_held = True


@pytest.fixture
async def opened(postgres: str, tmp_path: Path) -> AsyncIterator[Open]:
    """Opens another store on the same database."""
    url = await fresh(postgres)
    stores: list[Any] = []

    async def another() -> Any:
        stores.append(store_for(url, tmp_path))
        await stores[-1].open()
        return stores[-1]

    yield another
    for store in stores:
        await store.close()


async def lose(store: Any) -> None:
    """Ends the connection with its lease."""
    await store._pool.fetchval("SELECT pg_terminate_backend($1)", store._lease.backend.pid)
    while store._lease.is_held:
        await asyncio.sleep(0.001)


async def until_it_waits(task: asyncio.Task[Any], store: Any) -> None:
    """For a lock, as a commit does whose rows another has locked."""
    while not await store._pool.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
        assert not task.done()


async def test_members_write_side_by_side(opened: Open) -> None:
    first, second = await opened(), await opened()
    await first.claim(sole=False)
    await second.claim(sole=False)
    for version in range(1, 7):
        await (first, second)[version % 2].commit(append(version=version))
    assert await first.keep_lease() and await second.keep_lease()
    assert len(await first.events("t1")) == 6


async def test_a_server_that_expects_to_be_alone_waits_for_the_last_member(opened: Open) -> None:
    members, alone = [await opened(), await opened()], await opened()
    for member in members:
        await member.claim(sole=False)
    for member in members:
        with pytest.raises(BadDatabase, match="another server"):
            await alone.claim()
        await member.close()
    await alone.claim()
    await alone.commit(append())


async def test_members_wait_for_the_server_that_is_alone(opened: Open) -> None:
    alone, member = await opened(), await opened()
    await alone.claim()
    with pytest.raises(BadDatabase, match="without the setting `bus`"):
        await member.claim(sole=False)
    await alone.close()
    await member.claim(sole=False)
    await member.commit(append())


async def test_after_a_restart_of_the_database_each_member_takes_the_lease_again(opened: Open, postgres: str) -> None:
    members, alone = [await opened(), await opened()], await opened()
    for version, member in enumerate(members, 1):
        await member.claim(sole=False)
        await member.commit(append(version=version))
    connection = await asyncpg.connect(postgres)
    await connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ludus'")
    await connection.close()
    for member in members:
        while member._lease.is_held:
            await asyncio.sleep(0.001)
        with pytest.raises(Unavailable):
            await member.commit(append(version=3))
    for version, member in enumerate(members, 3):
        assert await member.keep_lease()
        await member.commit(append(version=version))
    with pytest.raises(BadDatabase, match="another server"):
        await alone.claim()


async def test_a_member_that_comes_back_to_a_server_that_is_alone_stores_nothing(opened: Open) -> None:
    member, alone = await opened(), await opened()
    await member.claim(sole=False)
    await lose(member)
    await alone.claim()
    assert not await member.keep_lease()
    with pytest.raises(Unavailable):
        await member.commit(append())
    await alone.close()
    assert await member.keep_lease()
    await member.commit(append())


async def test_what_a_crashed_cluster_has_left_ends_when_a_server_is_alone(opened: Open) -> None:
    """Members that have lost their lease without noticing, and a commit of theirs that is under way."""
    members, alone = [await opened(), await opened()], await opened()
    for version, member in enumerate(members, 1):
        await member.claim(sole=False)
        await member.commit(append(version=version))
    async with alone._pool.acquire() as blocker, blocker.transaction():
        await blocker.execute("SELECT * FROM tables FOR UPDATE")
        late = asyncio.create_task(members[0].commit(append(version=3)))
        await until_it_waits(late, alone)
        for member in members:
            await lose(member)
            member._lease.__class__ = Unaware
        await alone.claim()
    with pytest.raises(Unavailable):
        await late
    for member in members:
        for _ in range(3):  # on the connection that is open, and on new ones
            with pytest.raises(Unavailable):
                await member.commit(append(version=3))
    assert len(await alone.events("t1")) == 2
    await alone.commit(append(version=3))


async def test_members_end_what_a_server_that_was_alone_has_left(opened: Open) -> None:
    alone, members = await opened(), [await opened() for _ in range(5)]
    await alone.claim()
    await alone.commit(append())
    await lose(alone)
    alone._lease.__class__ = Unaware
    await asyncio.gather(*[member.claim(sole=False) for member in members])
    for _ in range(3):
        with pytest.raises(Unavailable):
            await alone.commit(append(version=2))
    for version, member in enumerate(members, 2):
        assert member._lease.is_held
        await member.commit(append(version=version))


async def test_members_that_start_at_the_same_time_do_not_end_each_other(opened: Open, postgres: str) -> None:
    """One of them has made sure that all writers have ended, just when the other looks for them."""
    first, second = await opened(), await asyncpg.connect(postgres)
    await second.execute("SELECT pg_advisory_lock($1)", LONE_WRITERS)
    start = asyncio.create_task(first.claim(sole=False))
    await until_it_waits(start, first)
    await second.execute("SELECT pg_advisory_unlock($1)", LONE_WRITERS)
    await start
    await second.close()


async def test_a_new_member_does_not_disturb_a_commit_of_another(opened: Open) -> None:
    first, second = await opened(), await opened()
    await first.claim(sole=False)
    await first.commit(append())
    async with second._pool.acquire() as blocker, blocker.transaction():
        await blocker.execute("SELECT * FROM tables FOR UPDATE")
        late = asyncio.create_task(first.commit(append(version=2)))
        await until_it_waits(late, second)
        await second.claim(sole=False)
    await late
    assert len(await second.events("t1")) == 2


async def test_a_member_that_was_stopped_for_long_only_loses_its_races(opened: Open) -> None:
    late, other = await opened(), await opened()
    await late.claim(sole=False)
    await other.claim(sole=False)
    await late.commit(append("t1"), append("t2"))
    await other.commit(append("t1", 2))
    for writes in ((append("t1", 2),), (append("t2", 2), append("t1", 2))):
        with pytest.raises(Conflict):
            await late.commit(*writes)
    await late.commit(append("t1", 3), append("t2", 2))
    assert await other.versions(["t1", "t2"]) == {"t1": 3, "t2": 2}
