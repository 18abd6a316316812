"""The processes of a cluster: who they are, what each of them does, and whose connections they have."""

from __future__ import annotations

import asyncio
from itertools import product, starmap

import pytest

from ludus.service.ports.store import MAX_VERSIONS, Conflict, Store
from ludus.service.ports.writes import (
    DropConnection,
    DropMember,
    PutConnection,
    PutDelivery,
    PutMember,
    PutSession,
    PutTenant,
    TakeLease,
)
from ludus.service.records import ConnectionRow, LeaseRow
from ludus.service.shards import SHARDS, shard_of

from .examples import DELIVERY, MEMBER, SESSION, TENANT, append, play

pytestmark = pytest.mark.anyio
ODD = "zero\0byte"


async def test_members_come_and_go(store: Store) -> None:
    other = MEMBER._replace(id="m0", role="worker", address="", is_leaving=False)
    await store.commit(PutMember(MEMBER))
    await store.commit(PutMember(other), PutMember(MEMBER._replace(seen=7)))
    assert await store.members() == [other, MEMBER._replace(seen=7)]
    await store.commit(DropMember("m1"), DropMember("gone"))
    assert await store.members() == [other]


async def test_a_lease_changes_hands_by_its_next_token(store: Store) -> None:
    await store.commit(TakeLease("sweep/0", "m1", 1), TakeLease("bots/f", "m2", 1))
    await store.commit(TakeLease("sweep/0", None, 2))
    assert await store.leases() == [LeaseRow("bots/f", "m2", 1), LeaseRow("sweep/0", None, 2)]
    for late in (TakeLease("sweep/0", "m3", 2), TakeLease("sweep/0", "m3", 4), TakeLease("sweep/0", "m3", 1)):
        with pytest.raises(Conflict):
            await store.commit(late)
    with pytest.raises(Conflict):
        await store.commit(TakeLease("sweep/1", "m3", 2))
    await store.commit(TakeLease("sweep/0", "m3", 3))
    assert (await store.leases())[1:] == [LeaseRow("sweep/0", "m3", 3)]


async def test_of_many_members_exactly_one_takes_a_lease(store: Store) -> None:
    for token in (1, 2, 3):
        rivals = [store.commit(TakeLease("sweep/0", f"m{n}", token)) for n in range(20)]
        lost = [isinstance(each, Conflict) for each in await asyncio.gather(*rivals, return_exceptions=True)]
        assert lost.count(False) == 1
        assert await store.leases() == [LeaseRow("sweep/0", f"m{lost.index(False)}", token)]


async def test_connections_of_a_seat_are_known_by_member(store: Store) -> None:
    rows = list(starmap(ConnectionRow, product(("t1", "t2"), (0, 1), ("a", "b", "c"))))
    await store.commit(*map(PutConnection, rows))
    await store.commit(PutConnection(rows[0]), DropConnection(rows[1]), DropConnection(ConnectionRow("t9", 0, "a")))
    rows.remove(rows[1])
    assert await store.connections_at("t1") == rows[:5]
    assert await store.connections_at(ODD) == []
    expected = {
        ("a",): [row for row in rows if row.member == "a"],
        ("b", "c", "no one"): [row for row in rows if row.member != "a"],
        (): [],
        (ODD,): [],
    }
    for members, found in expected.items():
        others = [row for row in rows if row not in found]
        assert sorted(await store.connections_of(members, 100)) == sorted(found)
        assert sorted(await store.connections_except(members, 100)) == sorted(others)
    assert len(await store.connections_of(["a", "b"], 3)) == len(await store.connections_except(["a"], 3)) == 3


async def test_no_connections_are_those_of_other_members(store: Store) -> None:
    assert await store.connections_except(["a"], 100) == await store.connections_except([], 100) == []


async def test_versions_of_many_tables_are_one_read(store: Store) -> None:
    for number in (1, 2, 3):
        await play(store, f"t{number}", number)
    assert await store.versions(["t1", "t3", "t9", ODD]) == {"t1": 1, "t3": 3}
    assert await store.versions([]) == {}
    assert await store.versions([f"t{n}" for n in range(MAX_VERSIONS)]) == {"t1": 1, "t2": 2, "t3": 3}
    with pytest.raises(ValueError, match="more than 1000"):
        await store.versions(["t1"] * (MAX_VERSIONS + 1))


IDS = [f"id{digit}" for digit in SHARDS] + [f"odd {letter}" for letter in "ghijklmnopqrstuvwxyz%_"]


async def test_what_is_due_is_read_by_shard(store: Store) -> None:
    """Each id belongs to one shard, also one that ends in no digit."""
    await store.commit(PutTenant(TENANT), *[append(id) for id in IDS])
    await store.commit(*[PutSession(SESSION._replace(id=id, room_code=None)) for id in IDS])
    await store.commit(*[PutDelivery(DELIVERY._replace(id=f"delivery of {id}", session=id)) for id in IDS])
    late, many = DELIVERY.due or 0, len(IDS)
    for shards in (None, *SHARDS, "", "07f", {"a", "b"}, list(SHARDS)):
        own = sorted(id for id in IDS if shards is None or shard_of(id) in shards)
        assert sorted(await store.tables_due(late, many, shards)) == own
        assert sorted(row.id for row in await store.sessions_due(late, many, shards)) == own
        assert sorted(row.session for row in await store.deliveries_due(late, many, shards)) == own
        assert sorted(row.id for row in await store.live_tables(shards=shards)) == own
        assert sorted(row.id for row in await store.live_tables("checkers", shards=shards)) == own
    assert await store.live_tables("backgammon", shards=SHARDS) == []


async def test_rows_of_other_shards_do_not_use_up_the_limit(store: Store) -> None:
    ids = [f"{n:02}{digit}" for n in range(5) for digit in SHARDS]
    await store.commit(PutTenant(TENANT), *[append(id) for id in ids])
    assert len(await store.tables_due(100_000, 5, "f")) == len(await store.live_tables(None, 5, "f")) == 5
