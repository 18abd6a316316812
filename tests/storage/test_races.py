"""Many writers at once: each version is written by exactly one of them, and nobody's loss is another's."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ludus.service.ports.store import Conflict, Store, Unavailable
from ludus.service.ports.writes import PutEntry, PutRating, PutTenant, TakeEntry, Write
from ludus.storage import store_for

from .examples import ENTRY, RATING, TENANT, append, row

pytestmark = pytest.mark.anyio


async def tell(store: Store, *writes: Write) -> bool:
    """Whether these were stored."""
    try:
        await store.commit(*writes)
    except Conflict:
        return False
    return True


async def test_of_a_hundred_writers_exactly_one_gets_each_version(store: Store) -> None:
    for version in range(1, 6):
        rivals = [append(version=version, command=f"{version}.{n}") for n in range(100)]
        won = await asyncio.gather(*[tell(store, rival) for rival in rivals])
        assert won.count(True) == 1
        assert (await store.events("t1"))[-1].command == f"{version}.{won.index(True)}"
    assert [event.version for event in await store.events("t1")] == [1, 2, 3, 4, 5]


async def test_two_stores_on_one_database_share_the_versions(database: str, tmp_path: Path) -> None:
    stores = [store_for(database, tmp_path), store_for(database, tmp_path)]
    await asyncio.gather(*[store.open() for store in stores])

    async def play(store: Store) -> int:
        """Reads and appends until the table has 40 events; how many of them were its own."""
        own = 0
        while (version := len(await store.events("t1"))) < 40:
            own += await tell(store, append(version=version + 1))
        return own

    own = await asyncio.gather(*[play(store) for store in stores for _ in range(3)])
    assert sum(own) == 40
    for store in stores:
        assert [event.version for event in await store.events("t1")] == list(range(1, 41))
        await store.close()


async def test_an_entry_is_taken_once(store: Store) -> None:
    await store.commit(PutEntry(ENTRY))
    rivals = [tell(store, TakeEntry("e1"), append(f"t{n}")) for n in range(20)]
    won = await asyncio.gather(*rivals)
    assert won.count(True) == 1
    assert [await store.table(f"t{n}") is not None for n in range(20)] == won


async def test_a_player_is_queued_once_per_pool(store: Store) -> None:
    rivals = [tell(store, PutEntry(ENTRY._replace(id=str(n)))) for n in range(20)]
    assert (await asyncio.gather(*rivals)).count(True) == 1
    assert len(await store.entries("checkers", "live:acme")) == 1


async def test_no_game_is_counted_twice(store: Store) -> None:
    for games in range(1, 4):
        rivals = [tell(store, PutRating(RATING._replace(games=games, rating=n))) for n in range(20)]
        assert (await asyncio.gather(*rivals)).count(True) == 1


async def test_of_writers_that_take_two_tables_in_either_order_one_gets_both(store: Store) -> None:
    for version in range(1, 11):
        one, two = append("t1", version), append("t2", version)
        won = await asyncio.gather(*[tell(store, *pair) for pair in ((one, two), (two, one)) for _ in range(3)])
        assert won.count(True) == 1
    assert len(await store.events("t1")) == len(await store.events("t2")) == 10


async def test_a_commit_that_fails_halfway_leaves_nothing_and_does_not_affect_others(store: Store) -> None:
    await store.commit(append(command="said"), PutTenant(TENANT), PutEntry(ENTRY))
    good = [tell(store, append(f"good{n}"), PutEntry(ENTRY._replace(id=f"g{n}", player=f"g{n}"))) for n in range(20)]
    bad = [
        tell(store, append(version=2, command="said")),
        tell(store, append("bad1"), PutEntry(ENTRY)),
        tell(store, append("bad2"), append("bad2", version=3)),
        tell(store, append("bad3"), append("t1")),
    ]
    won = await asyncio.gather(*good[:10], *bad, *good[10:])
    assert won == [True] * 10 + [False] * 4 + [True] * 10
    assert [await store.table(f"bad{n}") for n in (1, 2, 3)] == [None] * 3
    assert await store.table("t1") == row()
    assert len(await store.entries("checkers", "live:acme")) == 21
    assert sorted(table.id for table in await store.live_tables()) == sorted(["t1", *(f"good{n}" for n in range(20))])


async def test_a_cancelled_commit_is_written_whole(store: Store) -> None:
    tasks = [asyncio.create_task(store.commit(append(f"t{n}"), append(f"t{n}", 2))) for n in range(20)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(60):  # a cancelled commit goes on by itself, on a connection of its own
        for n in range(20):
            while not (events := await store.events(f"t{n}")):
                await asyncio.sleep(0.01)
            assert [event.version for event in events] == [1, 2], n


async def test_closing_writes_what_still_waits(database: str, tmp_path: Path) -> None:
    store = store_for(database, tmp_path)
    await store.open()
    tasks = [asyncio.create_task(store.commit(append(f"t{n}"))) for n in range(50)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*tasks)
    with pytest.raises(Unavailable):
        await store.commit(append("late"))
    await store.close()
    again = store_for(database, tmp_path)
    await again.open()
    assert len(await again.live_tables()) == 50
    await again.close()


async def test_every_commit_is_counted_once(database: str, tmp_path: Path) -> None:
    trips: list[int] = []
    store = store_for(database, tmp_path, on_commit=lambda units, seconds: trips.append(units))
    await store.open()
    await asyncio.gather(*[store.commit(append(f"t{n}")) for n in range(30)])
    assert sum(trips) == 30
    await store.close()
