"""How long the platform has worked."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from ludus.service.ports.store import Store
from ludus.service.ports.writes import DropMember, PutMember, TakeLease
from ludus.service.records import MEMBER_MS
from ludus.storage import store_for
from ludus.storage.sqlite.store import SqliteStore

from .examples import MEMBER

pytestmark = pytest.mark.anyio


async def uptime(store: Store, at: int, clock: int | None = None) -> int:
    return (await store.heartbeat(at, clock)).clock


async def test_the_uptime_of_a_new_platform_starts_with_the_wall_clock(store: Store) -> None:
    assert await uptime(store, 1_700_000_000_000) == 1_700_000_000_000


async def test_the_first_uptime_may_be_any(store: Store) -> None:
    assert [await uptime(store, 100_000, 40_000), await uptime(store, 100_000)] == [40_000, 40_000]


async def test_uptime_is_what_the_last_heartbeat_says(store: Store) -> None:
    given = [(100_000, None), (101_000, 101_000), (106_000, 102_000), (90_000, 103_000), (10**13, 104_000)]
    assert [await uptime(store, *each) for each in given] == [100_000, 101_000, 102_000, 103_000, 104_000]


async def test_uptime_never_goes_back(store: Store) -> None:
    given = [(100_000, None), (101_000, 101_000), (102_000, 100_500), (50_000, 50_000)]
    assert [await uptime(store, *each) for each in given] == [100_000, 101_000, 101_000, 101_000]


async def test_uptime_is_remembered(database: str, tmp_path: Path) -> None:
    found = []
    for at in (100_000, 200_000, 5_000):
        store = store_for(database, tmp_path)
        await store.open()
        found.append(await uptime(store, at))
        await store.heartbeat(at + 1_000, found[-1] + 1_000)
        await store.close()
    assert found == [100_000, 101_000, 102_000]


async def test_a_heartbeat_is_that_of_its_member_too(store: Store) -> None:
    other = MEMBER._replace(id="other")
    await store.commit(PutMember(MEMBER._replace(seen=100_000)), PutMember(other))
    assert (await store.heartbeat(100_000, member=MEMBER.id)).is_member
    assert (await store.heartbeat(101_000, 101_000, MEMBER.id)).is_member
    assert await store.members() == [MEMBER._replace(seen=101_000), other]


@pytest.mark.parametrize("late", [0, 1])
async def test_a_member_that_was_silent_for_too_long_learns_it(store: Store, late: int) -> None:
    await store.commit(PutMember(MEMBER._replace(seen=100_000)))
    await store.heartbeat(100_000)
    clock = 100_000 + MEMBER_MS + late
    assert (await store.heartbeat(clock, clock, MEMBER.id)).is_member == (not late)
    assert (await store.heartbeat(clock + 1, clock + 1, MEMBER.id)).is_member


async def test_members_come_beat_and_go_at_the_same_time(store: Store) -> None:
    """Whatever order their rows are locked in."""
    members = [MEMBER._replace(id=f"m{number}", seen=100_000) for number in range(20)]
    await store.commit(*map(PutMember, members))
    beats = [store.heartbeat(100_000 + number, 100_000 + number, f"m{number}") for number in range(20)]
    taken = [TakeLease(f"sweep/{number:x}", f"m{number}", 1) for number in range(16)]
    others = [MEMBER._replace(id=f"x{number}") for number in range(20)]
    changes = [
        *(store.commit(*pair) for pair in zip(map(PutMember, others), taken, strict=False)),
        *(store.commit(PutMember(each), DropMember("gone")) for each in reversed(others)),
    ]
    answers = (await asyncio.gather(*beats, *changes))[:20]
    assert all(beat is not None and beat.is_member for beat in answers)
    assert [each.seen >= 100_000 for each in await store.members()] == [True] * 40


async def test_a_member_that_is_not_stored_learns_it(store: Store) -> None:
    assert not (await store.heartbeat(100_000)).is_member
    assert not (await store.heartbeat(100_000, member=MEMBER.id)).is_member
    await store.commit(PutMember(MEMBER._replace(seen=100_000)), DropMember(MEMBER.id))
    assert not (await store.heartbeat(100_000, member=MEMBER.id)).is_member
    assert await store.members() == []


async def test_all_processes_hear_the_same_wall_clock(store: Store) -> None:
    """That of the database; a file has only the one of its process."""
    beat = await store.heartbeat(5_000, 5_000)
    if isinstance(store, SqliteStore):
        assert beat.at == 5_000
    else:
        now = time.time() * 1000
        assert now - 600_000 < beat.at <= now
        assert (await store.heartbeat(5_000, 5_000)).at >= beat.at
