"""Deleting and redacting, in every store."""

from __future__ import annotations

from typing import Any

import pytest

from ludus.service.ports.store import FIRST_PAGE, Conflict, Cursor, Store
from ludus.service.ports.writes import (
    Append,
    DropAgent,
    DropDeliveries,
    DropErasure,
    DropKeys,
    DropRatings,
    DropSession,
    DropTable,
    DropTenant,
    PutAgent,
    PutAnalysis,
    PutDelivery,
    PutEntry,
    PutErasure,
    PutKey,
    PutRating,
    PutRatingChange,
    PutSession,
    PutTenant,
    RedactDelivery,
    RedactSeat,
    Write,
)
from ludus.service.records import Analysis, Erasure, TableRow, Tally
from ludus.storage.errors import BadRecord

from .examples import DELIVERY, ENTRY, KEY, RATING, SEATS, SESSION, TENANT, agent, append, event, rating_change, row

pytestmark = pytest.mark.anyio

WON = {"winner": 0, "reason": "victory", "points": 1}


def over(id: str = "t1", **changes: Any) -> TableRow:
    return row(id, 2, **{"status": "over", "due": None, "ended_at": 1_700_000_060_000, "result": WON, **changes})


async def finish(store: Store, id: str = "t1", **changes: Any) -> TableRow:
    opened = {name: value for name, value in changes.items() if name == "opened_at"}
    await store.commit(append(id, 1, **opened), Append(over(id, **changes), event(id, 2)))
    return over(id, **changes)


async def test_an_erasure_is_listed_until_it_is_dropped(store: Store) -> None:
    first, second = Erasure("agent/1", None, 5), Erasure("acme/live/ann", "acme", 4)
    await store.commit(PutErasure(first), PutErasure(second))
    await store.commit(PutErasure(first))
    assert await store.erasures(10) == [second, first]
    assert await store.erasures(1) == [second]
    await store.commit(DropErasure("agent/1"))
    await store.commit(DropErasure("agent/1"))
    assert await store.erasures(10) == [second]


async def test_a_dropped_table_takes_its_events_seats_and_analysis_with_it_and_stays_in_the_tally(store: Store) -> None:
    await finish(store)
    await finish(store, "t2", result={**WON, "winner": None})
    await store.commit(PutAnalysis(Analysis("t1", "e", (), 1)), PutRatingChange(rating_change()))
    before = await store.tally("checkers")
    await store.commit(DropTable(over()))
    assert await store.table("t1") is None
    assert (await store.events("t1"), await store.analysis("t1")) == ([], None)
    assert [each.id for each in await store.tables_of("acme:ann", 10)] == ["t2"]
    assert await store.rating_change("t1", "acme:ann") == rating_change()
    assert before == await store.tally("checkers") == Tally(2, 120.0, 1)
    await store.commit(DropTable(over("t2", result={**WON, "winner": None})))
    assert await store.tally("checkers") == before


async def test_a_cancelled_game_is_not_in_the_tally(store: Store) -> None:
    cancelled = await finish(store, result={"winner": None, "reason": "cancelled", "points": 1})
    assert await store.tally("checkers") == Tally(0, 0, 0)
    await store.commit(DropTable(cancelled))
    assert await store.tally("checkers") == Tally(0, 0, 0)


async def test_a_live_table_cannot_be_dropped_or_redacted(store: Store) -> None:
    await store.commit(append())
    for write in (DropTable(over()), RedactSeat("t1", 0, SEATS, {})):
        with pytest.raises(Conflict):
            await store.commit(write)
    assert await store.table("t1") == row()
    assert await store.events("t1") == [event(command=None)]


async def test_a_redacted_seat_is_replaced_everywhere_and_nothing_else_changes(store: Store) -> None:
    await finish(store)
    await finish(store, "t2")
    nobody = {"key": "acme/deleted/0", "id": "deleted:0", "name": "Deleted player", "kind": "person"}
    await store.commit(append("t3", 1), Append(over("t3"), event("t3", 2, seat=0, command="ann's own id")))
    await store.commit(RedactSeat("t3", 0, (nobody, SEATS[1]), {"seats": [nobody]}))
    assert await store.table("t3") == over("t3")._replace(players=(nobody, SEATS[1]))
    first, second = await store.events("t3")
    assert (first.data, second.data) == ({"seats": [nobody]}, event().data)
    assert second.command is None
    assert {each.id for each in await store.tables_of("acme:ann", 10)} == {"t1", "t2"}
    assert [each.id for each in await store.tables_page("acme/deleted/0", FIRST_PAGE, 10)] == ["t3"]
    assert (await store.events("t2"))[1] == event("t2", 2)


async def test_only_an_ended_session_can_be_dropped(store: Store) -> None:
    ended = SESSION._replace(id="s2", status="ended", room_code=None)
    await store.commit(PutTenant(TENANT), PutSession(SESSION), PutSession(ended))
    with pytest.raises(Conflict):
        await store.commit(DropSession("s2"), DropSession("s1"))
    await store.commit(DropSession("s2"))
    assert (await store.session("s1"), await store.session("s2")) == (SESSION, None)


async def test_a_redacted_body_stays_redacted_when_an_attempt_is_recorded(store: Store) -> None:
    await store.commit(PutTenant(TENANT), PutDelivery(DELIVERY))
    await store.commit(RedactDelivery("d1", "{}"), RedactDelivery("nowhere", "{}"))
    await store.commit(PutDelivery(DELIVERY._replace(attempts=1, state="dead", due=None)))
    assert await store.delivery("d1") == DELIVERY._replace(attempts=1, state="dead", due=None, body="{}")
    await store.commit(PutDelivery(DELIVERY._replace(url="https://new.example")))
    assert await store.delivery("d1") == DELIVERY._replace(url="https://new.example", body="{}")


async def test_ratings_go_with_their_changes_and_only_the_players(store: Store) -> None:
    other = RATING._replace(player="acme:ben")
    await store.commit(append(), PutRating(RATING), PutRating(RATING._replace(game="backgammon")), PutRating(other))
    await store.commit(PutRatingChange(rating_change()), PutRatingChange(rating_change(player="acme:ben")))
    await store.commit(DropRatings("acme:ann"), DropRatings("nobody"))
    assert (await store.ratings_of("acme:ann"), await store.rating_change("t1", "acme:ann")) == ([], None)
    assert await store.ratings_of("acme:ben") == [other]
    assert await store.rating_change("t1", "acme:ben") == rating_change(player="acme:ben")


async def test_an_agent_can_be_dropped_once_and_its_name_taken_again(store: Store) -> None:
    await store.commit(PutAgent(agent()))
    assert await store.agent_named("agent a1") == agent()
    await store.commit(DropAgent("a1"))
    with pytest.raises(Conflict):
        await store.commit(DropAgent("a1"))
    assert await store.agent_named("agent a1") is None
    await store.commit(PutAgent(agent("a2", name_key="agent a1")))


@pytest.mark.parametrize("left", [PutKey(KEY), PutSession(SESSION), PutDelivery(DELIVERY)])
async def test_a_tenant_goes_only_when_it_has_nothing_left(store: Store, left: Write) -> None:
    await store.commit(PutTenant(TENANT), left)
    with pytest.raises(Conflict):
        await store.commit(DropTenant("acme"))
    await store.commit(PutSession(SESSION._replace(version=2, status="ended"))) if isinstance(
        left, PutSession
    ) else None
    await store.commit(DropKeys("acme"), DropDeliveries("acme", 10))
    await store.commit(*([DropSession("s1")] if isinstance(left, PutSession) else []), DropTenant("acme"))
    assert await store.tenants() == []


async def test_deliveries_of_a_tenant_go_in_batches(store: Store) -> None:
    other = TENANT._replace(id="other")
    await store.commit(PutTenant(TENANT), PutTenant(other), PutDelivery(DELIVERY._replace(id="x", tenant="other")))
    await store.commit(*(PutDelivery(DELIVERY._replace(id=f"d{n}")) for n in range(5)))
    await store.commit(DropDeliveries("acme", 3))
    assert len(await store.deliveries_page("acme", "", 10)) == 2
    await store.commit(DropDeliveries("acme", 3))
    assert await store.deliveries_page("acme", "", 10) == []
    assert len(await store.deliveries_page("other", "", 10)) == 1


@pytest.mark.parametrize(
    "write", [DropSession("\0"), DropAgent("\ud800"), DropErasure("\0"), RedactDelivery("d", "\0")]
)
async def test_what_cannot_be_stored_is_refused(store: Store, write: Write) -> None:
    with pytest.raises(BadRecord):
        await store.commit(write)


async def test_sessions_are_found_by_either_player_page_by_page(store: Store) -> None:
    ann, ben = {"id": "änn/1", "displayName": "Ann"}, {"id": "ben", "displayName": "Ben"}
    pairs = [(ann,), (ann, ben), (ben, ann), (ben,), ()]
    sessions = [
        SESSION._replace(id=f"s{n}", room_code=None, players=each, created_at=9 - n) for n, each in enumerate(pairs)
    ]
    foreign = SESSION._replace(id="s9", tenant="other", players=(ann,))
    await store.commit(PutTenant(TENANT), PutTenant(TENANT._replace(id="other")))
    await store.commit(*map(PutSession, [*sessions, foreign]))
    assert await store.sessions_with("acme", "änn/1", "", 10) == sessions[:3]
    assert await store.sessions_with("acme", "änn/1", "s0", 1) == sessions[1:2]
    assert await store.sessions_with("acme", "Ann", "", 10) == []
    assert await store.sessions_page("acme", FIRST_PAGE, 2) == [sessions[4], sessions[3]]
    assert await store.sessions_page("acme", Cursor(6, "s3"), 2) == [sessions[2], sessions[1]]
    changed = sessions[0]._replace(version=2, players=(ben,))
    await store.commit(PutSession(changed))
    assert await store.sessions_with("acme", "änn/1", "", 10) == sessions[1:3]


async def test_old_games_and_sessions_are_listed_oldest_first(store: Store) -> None:
    for number in range(4):
        await finish(store, f"t{number}", ended_at=100 - number)
    await store.commit(append("live"))
    assert [each.id for each in await store.tables_ended(100, 2)] == ["t3", "t2"]
    assert [each.id for each in await store.tables_ended(100, 9)] == ["t3", "t2", "t1"]
    assert [each.id for each in await store.tables_ended(100, 9, Cursor(98, "t2"))] == ["t1"]
    assert [each.id for each in await store.tables_ended(100, 1, Cursor(98, "t"))] == ["t2"]
    sessions = [SESSION._replace(id=f"s{n}", room_code=None, status="ended", created_at=n) for n in range(3)]
    await store.commit(
        PutTenant(TENANT), *map(PutSession, sessions), PutSession(SESSION._replace(id="waits", created_at=0))
    )
    assert await store.sessions_ended(2, 9) == ["s0", "s1"]
    assert await store.sessions_ended(9, 1) == ["s0"]


async def test_pages_of_a_player_are_in_the_order_of_time(store: Store) -> None:
    for number, opened_at in enumerate((30, 10, 20, 20)):
        await finish(store, f"t{number}", opened_at=opened_at)
        await store.commit(PutRatingChange(rating_change(f"t{number}", at=opened_at)))
    ids = ["t1", "t2", "t3", "t0"]
    assert [each.id for each in await store.tables_page("acme:ann", FIRST_PAGE, 10)] == ids
    assert [each.id for each in await store.tables_page("acme:ann", Cursor(20, "t2"), 1)] == ids[2:3]
    assert [each.table for each in await store.rating_changes_page("acme:ann", FIRST_PAGE, 10)] == ids
    assert [each.table for each in await store.rating_changes_page("acme:ann", Cursor(20, "t2"), 10)] == ids[2:]


async def test_a_tenants_players_are_found_by_the_beginning_of_their_keys(store: Store) -> None:
    for key in ("acme/live/ann", "acme/test/ann", "acme", "acme0/live/ann", "acm/live/e"):
        seats = ({**SEATS[0], "key": key}, SEATS[1])
        await store.commit(append(key, 1, players=seats), PutRating(RATING._replace(player=key)))
    assert set(await store.tables_under("acme", 10)) == {"acme/live/ann", "acme/test/ann"}
    assert len(await store.tables_under("acme", 1)) == 1
    assert [each.player for each in await store.ratings_page("acme", ("", ""), 10)] == [
        "acme/live/ann",
        "acme/test/ann",
    ]
    after = ("acme/live/ann", "checkers")
    assert [each.player for each in await store.ratings_page("acme", after, 10)] == ["acme/test/ann"]


async def test_a_players_entries_and_a_sessions_deliveries_are_found(store: Store) -> None:
    second = ENTRY._replace(id="e2", pool="other")
    await store.commit(PutEntry(ENTRY), PutEntry(second), PutEntry(ENTRY._replace(id="e3", player="ben")))
    assert await store.entries_of("acme:ann") == [ENTRY, second]
    deliveries = [DELIVERY._replace(id=f"d{n}") for n in range(3)]
    await store.commit(PutTenant(TENANT), *map(PutDelivery, deliveries))
    await store.commit(PutDelivery(DELIVERY._replace(id="x", session="s2")))
    assert await store.deliveries_about("s1", "", 2) == deliveries[:2]
    assert await store.deliveries_about("s1", "d1", 2) == deliveries[2:]
