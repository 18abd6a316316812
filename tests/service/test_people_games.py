"""Who the page's people are paired with, and which of their games are rated."""

from __future__ import annotations

from typing import Any

from tests.service.parts import FakeClock
from tests.service.platforms import advance, play, with_platform
from tests.service.test_history import ANN, BEN, GAME, lose, pair, seeker

from ludus.games import ABOUT
from ludus.service.lobby import ARENA, OPEN, Seeker
from ludus.service.platform import Platform
from ludus.service.ports.writes import DropBlock, PutBlock
from ludus.service.ratings import START
from ludus.service.records import Block
from ludus.service.table import SeatKind, Table

ENOUGH = 2 * ABOUT[GAME].rated_moves
RATED: dict[str, Any] = {"mode": "live", "pool": "page/live", "is_rated": True}


def agent(name: str, *, meets_people: bool = True, rating: float = 1500.0) -> Seeker:
    fields: dict[str, Any] = {
        "mode": "fast",
        "pool": "arena/fast",
        "channel": ARENA,
        "meets_people": meets_people,
        "rating": rating,
    }
    return seeker(f"agent/{name}", SeatKind.AGENT, is_rated=True, **fields)


async def finish(platform: Platform, table: Table, loser: str) -> None:
    await play(platform, table.id, ENOUGH)
    await lose(platform, table, loser)


@with_platform
async def test_people_are_not_paired_with_those_they_have_blocked(platform: Platform, clock: FakeClock) -> None:
    await platform.store.commit(PutBlock(Block("ann", "ben", 1)))
    for first, second in ((ANN, BEN), (BEN, ANN)):
        for key in (first, second):
            assert (await platform.lobby.join(seeker(key))).table is None
        await advance(platform, clock, 60)
        assert len(await platform.store.entries(GAME, "training")) == 2
        for key in (first, second):
            await platform.lobby.leave(GAME, "training", key)
    table = await pair(platform, seeker(ANN), seeker(BEN), seeker("person/cid"))
    assert {seat.key for seat in table.seats} < {ANN, BEN, "person/cid"}
    assert "person/cid" in {seat.key for seat in table.seats}


@with_platform
async def test_people_meet_again_after_a_block_is_lifted(platform: Platform, clock: FakeClock) -> None:
    await platform.store.commit(PutBlock(Block("ann", "ben", 1)))
    for key in (ANN, BEN):
        await platform.lobby.join(seeker(key))
    await platform.store.commit(DropBlock("ann", "ben"))
    await advance(platform, clock, 1)
    (row,) = await platform.store.live_tables_of(ANN)
    assert [player["key"] for player in row.players if player["key"] != ANN] == [BEN]


@with_platform
async def test_an_invitation_is_between_two_whatever_they_have_blocked(platform: Platform) -> None:
    await platform.store.commit(PutBlock(Block("ann", "ben", 1)))
    assert await pair(platform, seeker(ANN, pool="room/1"), seeker(BEN, pool="room/1"))


@with_platform
async def test_a_person_meets_the_agent_they_asked_for_and_no_other(platform: Platform, clock: FakeClock) -> None:
    assert (await platform.lobby.join(agent("other"))).table is None
    asking = seeker(ANN, pool=OPEN, opponent="agent/deep")
    assert (await platform.lobby.join(asking)).table is None
    await advance(platform, clock, 5)
    assert await platform.store.live_tables_of(ANN) == []
    await platform.lobby.leave(GAME, "arena/fast", "agent/other")
    assert (await platform.lobby.join(agent("deep", meets_people=False))).table is None
    table = (await platform.lobby.join(agent("deep", rating=2900.0))).table
    assert table is not None and {seat.key for seat in table.seats} == {ANN, "agent/deep"}
    assert not table.opening.is_rated


@with_platform
async def test_an_agent_that_waits_is_met_at_once(platform: Platform) -> None:
    await platform.lobby.join(agent("deep", rating=2900.0))
    table = (await platform.lobby.join(seeker(ANN, pool=OPEN, opponent="agent/deep"))).table
    assert table is not None and {seat.key for seat in table.seats} == {ANN, "agent/deep"}


@with_platform
async def test_a_rated_game_of_two_people_changes_both_ratings(platform: Platform) -> None:
    table = await pair(platform, seeker(ANN, **RATED), seeker(BEN, **RATED))
    await finish(platform, table, BEN)
    ann, ben = [await platform.rating_of(key, GAME) for key in (ANN, BEN)]
    assert ann.rating > START[0] > ben.rating
    (change,) = await platform.store.latest_rating_changes(ANN, 9)
    assert (change.table, change.after, change.badges) == (table.id, ann.rating, ())


@with_platform
async def test_a_private_game_of_people_changes_no_rating(platform: Platform) -> None:
    table = await pair(platform, *(seeker(key, **RATED | {"pool": "room/1"}) for key in (ANN, BEN)))
    await finish(platform, table, BEN)
    assert await platform.store.rating(ANN, GAME) is None


@with_platform
async def test_people_at_one_address_win_little_from_each_other(platform: Platform) -> None:
    for key, address in (
        (ANN, "203.0.113.5"),
        (BEN, "203.0.113.5"),
        ("person/cid", "203.0.113.6"),
        ("person/dan", "203.0.113.7"),
    ):
        await platform.address_marks.note(key, address)
    for winner, loser in ((ANN, BEN), ("person/cid", "person/dan")):
        table = await pair(platform, seeker(winner, **RATED), seeker(loser, **RATED))
        await finish(platform, table, loser)
    related, strangers = [(await platform.rating_of(key, GAME)).rating - START[0] for key in (ANN, "person/cid")]
    assert 0 < related < strangers / 2
