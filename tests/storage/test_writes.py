"""What every store does with a write: keeps it exactly, once, and only if nobody else was faster."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import (
    Append,
    DropDelivery,
    PutDelivery,
    PutEntry,
    PutKey,
    PutRating,
    PutSession,
    PutTenant,
    TakeEntry,
    Write,
)
from ludus.storage.errors import BadRecord

from .examples import DELIVERY, ENTRY, KEY, RATING, SESSION, TENANT, append, event, play, row

pytestmark = pytest.mark.anyio

ODD = "Ωmega 🎲 العربية \u202e ' \" ? $1 ; -- \\ \n\t\x7f \uffff"


async def test_a_tenant_comes_back_as_it_was_and_can_be_changed(store: Store) -> None:
    await store.commit(PutTenant(TENANT))
    assert await store.tenant("acme") == TENANT
    changed = TENANT._replace(name="Acme", webhook_url=None)
    await store.commit(PutTenant(changed))
    assert await store.tenant("acme") == changed
    assert await store.tenants() == [changed]


async def test_a_key_comes_back_as_it_was_and_can_be_revoked(store: Store) -> None:
    await store.commit(PutTenant(TENANT), PutKey(KEY))
    assert await store.key("5f3a") == KEY
    await store.commit(PutKey(KEY._replace(revoked_at=5)))
    assert await store.key("5f3a") == KEY._replace(revoked_at=5)


async def test_a_session_comes_back_as_it_was(store: Store) -> None:
    full = SESSION._replace(table="t1", result={"winner": None, "reason": "draw"}, has_afk_limit=False)
    bare = SESSION._replace(id="s2", theme=None, room_code=None, due=None, players=())
    await store.commit(PutTenant(TENANT), PutSession(full), PutSession(bare))
    assert await store.session("s1") == full
    assert await store.session("s2") == bare


async def test_a_table_and_its_events_come_back_as_they_were(store: Store) -> None:
    over = row(version=2, status="over", due=None, ended_at=7, result={"winner": 0, "reason": "victory"})
    await store.commit(Append(row(), event(seat=None, data={}, command=None)))
    await store.commit(Append(over, event(version=2)))
    assert await store.table("t1") == over
    assert await store.events("t1") == [event(seat=None, data={}, command=None), event(version=2)]


async def test_an_entry_comes_back_as_it_was_until_it_is_taken(store: Store) -> None:
    await store.commit(PutEntry(ENTRY))
    assert await store.entry_of("checkers", "live:acme", "acme:ann") == ENTRY
    await store.commit(TakeEntry("e1"))
    assert await store.entry_of("checkers", "live:acme", "acme:ann") is None


async def test_a_rating_comes_back_as_it_was(store: Store) -> None:
    second = RATING._replace(games=2, rating=1600, draws=1)
    await store.commit(PutRating(RATING))
    assert await store.rating("acme:ann", "checkers") == RATING
    await store.commit(PutRating(second))
    assert await store.rating("acme:ann", "checkers") == second


async def test_a_delivery_comes_back_as_it_was(store: Store) -> None:
    tried = DELIVERY._replace(attempts=1, state="dead", due=None, problem="503")
    await store.commit(PutTenant(TENANT), PutDelivery(DELIVERY))
    assert await store.delivery("d1") == DELIVERY
    await store.commit(PutDelivery(tried))
    assert await store.delivery("d1") == tried


async def test_a_dead_delivery_can_start_again(store: Store) -> None:
    await store.commit(PutTenant(TENANT), PutDelivery(DELIVERY), PutDelivery(DELIVERY._replace(attempts=1)))
    await store.commit(PutDelivery(DELIVERY))
    assert await store.delivery("d1") == DELIVERY


async def test_a_delivery_that_is_done_can_be_dropped(store: Store) -> None:
    done = [DELIVERY._replace(id=state, state=state, due=None) for state in ("delivered", "dead")]
    await store.commit(PutTenant(TENANT), *map(PutDelivery, [DELIVERY, *done]))
    await store.commit(DropDelivery("delivered"), DropDelivery("dead"))
    assert [await store.delivery(id) for id in ("d1", "delivered", "dead")] == [DELIVERY, None, None]


async def test_nothing_to_write_is_written(store: Store) -> None:
    await store.commit()


async def test_several_events_of_a_table_can_go_in_together(store: Store) -> None:
    await store.commit(append(version=1), append(version=2), append(version=3))
    assert [event.version for event in await store.events("t1")] == [1, 2, 3]


async def test_any_text_comes_back_as_it_was(store: Store) -> None:
    tenant = TENANT._replace(id=ODD, name=ODD)
    said = event(data={ODD: [ODD, "\0"]}, command=ODD)
    await store.commit(PutTenant(tenant), Append(row(), said))
    assert await store.tenant(ODD) == tenant
    assert await store.events("t1") == [said]


async def test_a_very_long_event_comes_back_as_it_was(store: Store) -> None:
    said = event(data={"text": "🎲" * 2_000_000, "numbers": list(range(100_000))})
    await store.commit(Append(row(), said))
    assert await store.events("t1") == [said]


async def test_the_largest_and_smallest_numbers_come_back_as_they_were(store: Store) -> None:
    ends = event(at=2**63 - 1, clock=-(2**63), data={"most": 2**63 - 1, "least": -(2**63), "tenth": 0.1})
    await store.commit(Append(row(due=-1), ends))
    assert await store.events("t1") == [ends]


async def test_any_mapping_is_kept_as_an_object(store: Store) -> None:
    await store.commit(Append(row(), event(data=MappingProxyType({"dice": (3, 1)}))))
    assert [event.data for event in await store.events("t1")] == [{"dice": [3, 1]}]


HAND_OVER = SESSION._replace(id="s2", version=2)
LATE = {
    "a table that is there": append(version=1),
    "an event that is there": append(version=2),
    "an event too far ahead": append(version=4),
    "an event of a table that is not there": append("t2", version=2),
    "a command that was given before": append(version=3, command="said"),
    "a session that is there": PutSession(SESSION),
    "a session too far ahead": PutSession(SESSION._replace(version=3)),
    "a session that is not there": PutSession(HAND_OVER),
    "a room code that is in use": PutSession(SESSION._replace(id="s3", game="backgammon")),
    "an entry that is there": PutEntry(ENTRY),
    "a player who waits already": PutEntry(ENTRY._replace(id="e2")),
    "an entry that is gone": TakeEntry("e9"),
    "a rating that is there": PutRating(RATING),
    "a rating too far ahead": PutRating(RATING._replace(games=3)),
    "a rating that counts no game": PutRating(RATING._replace(player="bo", games=0)),
    "a first rating too far ahead": PutRating(RATING._replace(player="bo", games=2)),
    "a delivery too far ahead": PutDelivery(DELIVERY._replace(attempts=2)),
    "a delivery that is not there": PutDelivery(DELIVERY._replace(id="d2", attempts=1)),
    "a delivery to drop that is gone": DropDelivery("d9"),
    "a delivery to drop that waits": DropDelivery("d1"),
}


async def everything(store: Store) -> list[Any]:
    return [
        [await store.table(id) for id in ("t1", "t2", "t3")],
        [await store.events(id) for id in ("t1", "t2", "t3")],
        [await store.session(id) for id in ("s1", "s2", "s3")],
        [await store.entries("checkers", pool) for pool in ("live:acme", "x")],
        [await store.rating(player, "checkers") for player in ("acme:ann", "bo")],
        [await store.delivery(id) for id in ("d1", "d2")],
        await store.tenants(),
    ]


async def fill(store: Store) -> None:
    await store.commit(PutTenant(TENANT), append(version=1, command="said"), append(version=2))
    await store.commit(PutSession(SESSION), PutEntry(ENTRY), PutRating(RATING), PutDelivery(DELIVERY))


@pytest.mark.parametrize("write", LATE.values(), ids=list(LATE))
async def test_a_late_write_is_a_conflict_and_takes_all_of_its_commit_with_it(store: Store, write: Write) -> None:
    await fill(store)
    before = await everything(store)
    others: list[Write] = [
        PutTenant(TENANT._replace(id="new")),
        append("t3"),
        PutEntry(ENTRY._replace(id="x", pool="x")),
    ]
    for writes in ([write], [*others, write], [write, *others]):
        with pytest.raises(Conflict):
            await store.commit(*writes)
        assert await everything(store) == before


async def test_a_command_may_be_given_at_another_table_and_need_not_have_an_id(store: Store) -> None:
    await store.commit(append("t1", command="c"), append("t2", command="c"))
    await store.commit(append("t1", version=2), append("t1", version=3))
    assert [event.command for event in await store.events("t1")] == ["c", None, None]


async def test_a_room_code_is_free_again_once_its_session_is_not_pending(store: Store) -> None:
    await store.commit(PutTenant(TENANT), PutTenant(TENANT._replace(id="other")), PutSession(SESSION))
    await store.commit(PutSession(SESSION._replace(id="s3", tenant="other")))
    await store.commit(PutSession(SESSION._replace(version=2, status="active")))
    again = SESSION._replace(id="s4")
    await store.commit(PutSession(again))
    assert await store.session_by_code("acme", "checkers", "ABC123") == again


@pytest.mark.parametrize(
    "write",
    [
        append("zero\0byte"),
        append("half a pair \ud83c"),
        Append(row(), event(data={"half": "\ud83c"})),
        Append(row(), event(data={"set": {1}})),
        Append(row(), event(data={"large": 2**70})),
        Append(row(), event(at=2**63)),
        Append(row("t1"), event("t2")),
        Append(row(version=1), event(version=2)),
        PutKey(KEY._replace(tenant="nobody")),
        PutSession(SESSION._replace(tenant="nobody")),
        PutDelivery(DELIVERY._replace(tenant="nobody")),
        TakeEntry("zero\0byte"),
        DropDelivery("zero\0byte"),
    ],
    ids=lambda write: type(write).__name__,
)
async def test_what_cannot_be_kept_is_refused_with_all_of_its_commit(store: Store, write: Write) -> None:
    before = await everything(store)
    for writes in ((write,), (append("t9"), write)):
        with pytest.raises(BadRecord):
            await store.commit(*writes)
    assert await everything(store) == before
    assert await store.table("t9") is None


async def test_what_cannot_be_kept_is_not_found_either(store: Store) -> None:
    await play(store)
    for odd in ("zero\0byte", "half a pair \ud83c"):
        assert await store.table(odd) is None
        assert await store.events(odd) == []
        assert await store.session_by_code(odd, "checkers", odd) is None
        assert await store.entries(odd, odd) == []
