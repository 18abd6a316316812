"""What every store answers: the right records, in the right order, and no more than asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import (
    DropSeatCodes,
    PutDelivery,
    PutEntry,
    PutKey,
    PutRating,
    PutSeatCode,
    PutSession,
    PutTenant,
    TakeSeatCode,
)
from ludus.service.records import SeatCode

from .examples import DELIVERY, ENTRY, KEY, RATING, SESSION, TENANT, append, event, play, row

pytestmark = pytest.mark.anyio


async def test_an_empty_store_has_nothing(store: Store) -> None:
    assert [await store.tenant("a"), await store.key("a"), await store.session("a")] == [None] * 3
    assert [await store.table("a"), await store.rating("a", "checkers"), await store.delivery("a")] == [None] * 3
    assert await store.session_by_code("a", "checkers", "ABC123") is None
    assert await store.entry_of("checkers", "live", "a") is None
    lists: list[Sequence[Any]] = [
        await store.tenants(),
        await store.keys("a"),
        await store.sessions_of("a"),
        await store.events("a"),
    ]
    lists += [await store.live_tables(), await store.entries("checkers", "live"), await store.deliveries("dead")]
    due = [await store.sessions_due(9, 9), await store.tables_due(9, 9), await store.deliveries_due(9, 9)]
    assert [*lists, *due, await store.pools()] == [[]] * 11


async def test_tenants_come_oldest_first(store: Store) -> None:
    tenants = [TENANT._replace(id=id, created_at=at) for id, at in (("b", 1), ("c", 1), ("a", 2))]
    await store.commit(*map(PutTenant, reversed(tenants)))
    assert await store.tenants() == tenants


async def test_keys_are_those_of_the_tenant_oldest_first(store: Store) -> None:
    await store.commit(PutTenant(TENANT), PutTenant(TENANT._replace(id="other")))
    keys = [KEY._replace(hash=hash, created_at=at) for hash, at in (("2", 1), ("1", 2))]
    await store.commit(*map(PutKey, reversed(keys)), PutKey(KEY._replace(hash="3", tenant="other")))
    assert await store.keys("acme") == keys


async def test_a_room_code_finds_the_pending_session_that_opened_the_room(store: Store) -> None:
    await store.commit(PutTenant(TENANT), PutSession(SESSION))
    assert await store.session_by_code("acme", "checkers", "ABC123") == SESSION
    assert await store.session_by_code("acme", "checkers", "ABC124") is None
    assert await store.session_by_code("acme", "backgammon", "ABC123") is None
    assert await store.session_by_code("other", "checkers", "ABC123") is None
    await store.commit(PutSession(SESSION._replace(version=2, status="active")))
    assert await store.session_by_code("acme", "checkers", "ABC123") is None


async def test_a_players_rooms_wait_in_either_place_oldest_first(store: Store) -> None:
    ann, ben = ({"id": id, "displayName": id} for id in ("ann", "ben"))
    room = SESSION._replace(match_type="private", status="pending", room_code=None)
    rooms = [
        room._replace(id="b", created_at=1, players=(ben, ann)),
        room._replace(id="a", created_at=2, players=(ann,)),
        room._replace(id="c", created_at=3, players=(ann, ben)),
    ]
    others = [
        room._replace(id="d", match_type="matchmaking", players=(ann,)),
        room._replace(id="e", players=(ben,)),
        room._replace(id="f", status="ended", players=(ann,)),
    ]
    await store.commit(PutTenant(TENANT), *map(PutSession, (*rooms, *others)))
    assert await store.rooms_pending("acme", "ann", 9) == rooms
    assert await store.rooms_pending("acme", "ann", 1) == rooms[:2]
    assert await store.rooms_pending("other", "ann", 9) == []


async def test_a_seats_code_is_taken_once_and_goes_when_it_has_expired(store: Store) -> None:
    codes = [SeatCode(hash, "s1", "ann", at) for hash, at in (("1", 10), ("2", 20), ("3", 30))]
    await store.commit(*map(PutSeatCode, codes))
    await store.commit(TakeSeatCode("3"))
    with pytest.raises(Conflict):
        await store.commit(TakeSeatCode("3"))
    await store.commit(DropSeatCodes(10), PutSeatCode(codes[2]))
    assert [await store.seat_code(each.hash) for each in codes] == [None, *codes[1:]]


async def test_sessions_of_a_table_come_oldest_first(store: Store) -> None:
    times = (("b", 1), ("a", 2))
    sessions = [SESSION._replace(id=id, created_at=at, table="t1", room_code=None) for id, at in times]
    other = SESSION._replace(id="c", table="t2")
    await store.commit(PutTenant(TENANT), *map(PutSession, reversed(sessions)), PutSession(other))
    assert await store.sessions_of("t1") == sessions


async def test_sessions_by_a_tenant_are_those_of_the_modes_newest_first(store: Store) -> None:
    made = (("b", 1, "live"), ("a", 2, "training"), ("c", 3, "test"), ("d", 2, "live"))
    mine = {id: SESSION._replace(id=id, created_at=at, mode=mode, room_code=None) for id, at, mode in made}
    other = SESSION._replace(id="x", tenant="other", room_code=None)
    await store.commit(PutTenant(TENANT), PutTenant(TENANT._replace(id="other")))
    await store.commit(*map(PutSession, mine.values()), PutSession(other))
    assert await store.sessions_by("acme", ("live", "training"), 10) == [mine["a"], mine["d"], mine["b"]]
    assert await store.sessions_by("acme", ("test", "test"), 10) == [mine["c"]]
    assert await store.sessions_by("acme", ("live", "training"), 1) == [mine["a"]]


async def test_sessions_due_are_the_pending_ones_whose_time_is_up_most_urgent_first(store: Store) -> None:
    waits = {"b": 5, "a": 6, "late": 8, "never": None}
    sessions = {id: SESSION._replace(id=id, room_code=None, due=due) for id, due in waits.items()}
    active = SESSION._replace(id="c", status="active", due=1)
    await store.commit(PutTenant(TENANT), *map(PutSession, sessions.values()), PutSession(active))
    assert await store.sessions_due(7, 10) == [sessions["b"], sessions["a"]]
    assert await store.sessions_due(6, 10) == [sessions["b"], sessions["a"]]
    assert await store.sessions_due(7, 1) == [sessions["b"]]


async def test_events_come_in_order_from_the_one_after(store: Store) -> None:
    await play(store, "t1", versions=12)
    await play(store, "t2", versions=1)
    assert [event.version for event in await store.events("t1")] == list(range(1, 13))
    assert await store.events("t1", after=11) == [event("t1", 12, command=None)]
    assert await store.events("t1", after=12) == []


async def test_tables_due_are_those_whose_time_is_up_most_urgent_first(store: Store) -> None:
    for id, due in {"b": 5, "a": 6, "late": 8, "never": None}.items():
        await store.commit(append(id, due=due))
    assert await store.tables_due(7, 10) == ["b", "a"]
    assert await store.tables_due(7, 1) == ["b"]
    await store.commit(append("b", version=2, due=9))
    assert await store.tables_due(7, 10) == ["a"]


async def test_live_tables_come_newest_first(store: Store) -> None:
    tables = {"b": ("checkers", 1), "a": ("checkers", 3), "c": ("backgammon", 2)}
    for id, (game, at) in tables.items():
        await store.commit(append(id, game=game, opened_at=at))
    await store.commit(append("over", status="over"))
    assert [table.id for table in await store.live_tables()] == ["a", "c", "b"]
    assert [table.id for table in await store.live_tables(most=2)] == ["a", "c"]
    assert [table.id for table in await store.live_tables("checkers")] == ["a", "b"]
    assert [table.id for table in await store.live_tables("checkers", most=1)] == ["a"]
    await store.commit(append("a", version=2, status="over", opened_at=3))
    assert await store.live_tables("checkers") == [row("b", opened_at=1)]


async def test_entries_are_those_of_a_pool_longest_waiting_first(store: Store) -> None:
    entries = [ENTRY._replace(id=id, player=id, since=since) for id, since in (("b", 1), ("a", 2))]
    others = [ENTRY._replace(id="c", pool="test"), ENTRY._replace(id="d", game="backgammon")]
    await store.commit(*map(PutEntry, reversed(entries)), *map(PutEntry, others))
    assert await store.entries("checkers", "live:acme") == entries
    assert await store.entry_of("checkers", "test", ENTRY.player) == others[0]
    assert await store.entry_of("checkers", "live:acme", ENTRY.player) is None


async def test_pools_are_the_non_empty_queues(store: Store) -> None:
    for place, (game, pool) in enumerate(
        [("checkers", "b"), ("backgammon", "a"), ("checkers", "a"), ("checkers", "b")]
    ):
        await store.commit(PutEntry(ENTRY._replace(id=str(place), player=str(place), game=game, pool=pool)))
    assert await store.pools() == [("backgammon", "a"), ("checkers", "a"), ("checkers", "b")]


async def test_a_player_has_a_rating_for_each_game(store: Store) -> None:
    other = RATING._replace(game="backgammon", rating=1300.5)
    await store.commit(PutRating(RATING), PutRating(other))
    assert await store.rating("acme:ann", "checkers") == RATING
    assert await store.rating("acme:ann", "backgammon") == other
    assert await store.rating("acme:bo", "checkers") is None


async def test_deliveries_due_are_the_waiting_ones_whose_time_is_up_most_urgent_first(store: Store) -> None:
    waits = {"b": 5, "a": 6, "late": 8, "never": None}
    deliveries = {id: DELIVERY._replace(id=id, due=due) for id, due in waits.items()}
    dead = DELIVERY._replace(id="c", state="dead", due=1)
    await store.commit(PutTenant(TENANT), *map(PutDelivery, deliveries.values()), PutDelivery(dead))
    assert await store.deliveries_due(7, 10) == [deliveries["b"], deliveries["a"]]
    assert await store.deliveries_due(7, 1) == [deliveries["b"]]


async def test_deliveries_done_are_the_old_ones_that_wait_no_more(store: Store) -> None:
    made = [(f"{state} {at}", state, at) for state in ("waiting", "delivered", "dead") for at in (4, 5)]
    stored = [DELIVERY._replace(id=id, state=state, created_at=at) for id, state, at in made]
    await store.commit(PutTenant(TENANT), *map(PutDelivery, stored))
    assert sorted(await store.deliveries_done(5, 10)) == ["dead 4", "delivered 4"]
    assert len(await store.deliveries_done(6, 10)) == 4
    assert len(await store.deliveries_done(6, 3)) == 3
    assert await store.deliveries_done(4, 10) == []


async def test_deliveries_of_a_state_come_newest_first(store: Store) -> None:
    await store.commit(PutTenant(TENANT), PutTenant(TENANT._replace(id="other")))
    dead = [DELIVERY._replace(id=id, state="dead", created_at=at) for id, at in (("a", 3), ("b", 1))]
    foreign = DELIVERY._replace(id="c", tenant="other", state="dead", created_at=2)
    await store.commit(*map(PutDelivery, [*reversed(dead), foreign, DELIVERY]))
    assert await store.deliveries("dead") == [dead[0], foreign, dead[1]]
    assert await store.deliveries("dead", most=2) == [dead[0], foreign]
    assert await store.deliveries("dead", tenant="acme") == dead
    assert await store.deliveries("dead", tenant="acme", most=1) == dead[:1]
    assert await store.deliveries("waiting") == [DELIVERY]
