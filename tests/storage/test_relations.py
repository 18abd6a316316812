"""Storage of relations between people: finished games, results, friends, blocks, challenges and reports."""

from __future__ import annotations

from typing import Any

import pytest

from ludus.service.ports.store import NEWEST, Conflict, Cursor, Store
from ludus.service.ports.writes import (
    AddScore,
    Append,
    DropBlock,
    DropChallenge,
    DropFriendship,
    DropRelations,
    DropTable,
    PutBlock,
    PutChallenge,
    PutFriendLink,
    PutFriendship,
    PutHistory,
    PutRating,
    PutRatingChange,
    PutReport,
    PutSighting,
)
from ludus.service.records import (
    Block,
    Challenge,
    FriendLink,
    Friendship,
    HistoryEntry,
    Report,
    Score,
    Sighting,
    TableRow,
)

from .examples import RATING, append, event, rating_change, row

pytestmark = pytest.mark.anyio

NOW = 1_700_000_000_000
ANN, BEN = "person/ann", "person/ben"
WON = {"winner": 0, "reason": "no_moves", "points": 1}


def over(id: str, ended_at: int) -> TableRow:
    return row(id, 2, status="over", due=None, ended_at=ended_at, result=WON)


async def finish(store: Store, id: str, ended_at: int, *players: str, is_public: bool = True) -> None:
    entries = [PutHistory(HistoryEntry(player, ended_at, id, is_public)) for player in players]
    await store.commit(append(id), Append(over(id, ended_at), event(id, 2)), *entries)


def challenge(id: str = "c1", version: int = 1, **changes: Any) -> Challenge:
    control = {"type": "fischer", "seconds": 300, "increment": 3}
    whole = Challenge(id, version, "ann", "ben", "checkers", control, True, "waiting", None, NOW, NOW + 1000)
    return whole._replace(**changes)


def report(id: str, made_at: int, person: str = "ann", player: str = BEN) -> Report:
    return Report(id, person, player, "t1", "abuse", made_at)


async def test_finished_games_are_listed_from_the_last_to_end(store: Store) -> None:
    for id, ended_at in (("t1", 5000), ("t2", 9000), ("t3", 7000), ("t4", 7000)):
        await finish(store, id, ended_at, ANN)
    await finish(store, "t5", 9999, BEN)
    first = await store.history(ANN, NEWEST, 2)
    assert [each.id for each in first] == ["t2", "t4"]
    rest = await store.history(ANN, Cursor(7000, "t4"), 9)
    assert [each.id for each in rest] == ["t3", "t1"]
    assert rest[1] == over("t1", 5000)


async def test_strangers_see_public_games_only(store: Store) -> None:
    await finish(store, "t1", 1, ANN)
    await finish(store, "t2", 2, ANN, is_public=False)
    await finish(store, "t3", 3, ANN)
    assert [each.id for each in await store.public_history(ANN, NEWEST, 9)] == ["t3", "t1"]
    assert [each.id for each in await store.history(ANN, NEWEST, 9)] == ["t3", "t2", "t1"]


async def test_a_dropped_table_is_in_no_history(store: Store) -> None:
    await finish(store, "t1", 1, ANN, BEN)
    await store.commit(DropTable(over("t1", 1)))
    assert await store.history(ANN, NEWEST, 9) == []


async def test_results_add_up(store: Store) -> None:
    await store.commit(
        AddScore(Score(ANN, "people", "checkers", 1, 0, 0)), AddScore(Score(ANN, BEN, "checkers", 1, 0, 0))
    )
    await store.commit(
        AddScore(Score(ANN, "people", "checkers", 0, 1, 0)), AddScore(Score(ANN, BEN, "backgammon", 0, 0, 1))
    )
    assert await store.scores_of(ANN) == [Score(ANN, "people", "checkers", 1, 1, 0)]
    assert await store.scores_between(ANN, BEN) == [
        Score(ANN, BEN, "backgammon", 0, 0, 1), Score(ANN, BEN, "checkers", 1, 0, 0),
    ]  # fmt: skip
    assert await store.scores_between(BEN, ANN) == []


async def test_friends_have_each_other_until_one_of_them_ends_it(store: Store) -> None:
    await store.commit(PutFriendship(Friendship("ann", "ben", 5)), PutFriendship(Friendship("ben", "ann", 5)))
    await store.commit(PutFriendship(Friendship("ann", "cid", 4)))
    assert [each.friend for each in await store.friends_of("ann", 9)] == ["cid", "ben"]
    assert [each.friend for each in await store.friends_of("ann", 1)] == ["cid"]
    assert await store.friendship("ben", "ann") == Friendship("ben", "ann", 5)
    await store.commit(DropFriendship("ben", "ann"))
    await store.commit(DropFriendship("ben", "ann"))
    assert [each.friend for each in await store.friends_of("ann", 9)] == ["cid"]
    assert await store.friendship("ben", "ann") is None


async def test_a_new_link_replaces_the_old_one_and_no_code_is_given_twice(store: Store) -> None:
    await store.commit(PutFriendLink(FriendLink("ann", "AAAA", 1)))
    await store.commit(PutFriendLink(FriendLink("ann", "BBBB", 2)))
    assert await store.friend_link("AAAA") is None
    assert await store.friend_link("BBBB") == await store.friend_link_of("ann") == FriendLink("ann", "BBBB", 2)
    with pytest.raises(Conflict):
        await store.commit(PutFriendLink(FriendLink("ben", "BBBB", 3)))


async def test_blocks_are_found_from_both_sides(store: Store) -> None:
    blocks = [Block("ann", "ben", 1), Block("cid", "ann", 2), Block("dan", "ben", 3), Block("ann", "eve", 4)]
    await store.commit(*map(PutBlock, blocks))
    assert await store.blocks_of("ann", 9) == [blocks[3], blocks[0]]
    assert await store.blocks_between("ann", ["ben", "cid", "dan"]) == [blocks[0], blocks[1]]
    assert await store.blocks_between("ann", []) == []
    await store.commit(DropBlock("ann", "ben"))
    assert await store.blocks_between("ann", ["ben"]) == []


async def test_a_challenge_is_answered_once(store: Store) -> None:
    await store.commit(PutChallenge(challenge()))
    assert await store.challenge("c1") == challenge()
    accepted = challenge(version=2, state="accepted", session="s1")
    await store.commit(PutChallenge(accepted))
    with pytest.raises(Conflict):
        await store.commit(PutChallenge(challenge(version=2, state="declined")))
    assert await store.challenge("c1") == accepted


async def test_challenges_that_wait_are_found_by_whom_they_ask(store: Store) -> None:
    await store.commit(
        PutChallenge(challenge("c1")),
        PutChallenge(challenge("c2", state="declined")),
        PutChallenge(challenge("c3", expires_at=NOW + 2000, time_control=None)),
        PutChallenge(challenge("c4", opponent="cid")),
    )
    assert [each.id for each in await store.challenges_to("ben", NOW, 9)] == ["c3", "c1"]
    assert [each.id for each in await store.challenges_to("ben", NOW + 1000, 9)] == ["c3"]
    assert await store.challenges_to("ann", NOW, 9) == []


async def test_ones_own_challenges_are_found_in_any_state(store: Store) -> None:
    for number, state in enumerate(("waiting", "accepted", "cancelled")):
        await store.commit(PutChallenge(challenge(f"c{number}", state=state, made_at=NOW + number)))
    assert [each.id for each in await store.challenges_from("ann", NOW + 1, 9)] == ["c2", "c1"]
    assert await store.challenges_before(NOW + 2, 9) == ["c0", "c1"]
    await store.commit(DropChallenge("c0"), DropChallenge("gone"))
    assert await store.challenges_before(NOW + 2, 9) == ["c1"]


async def test_reports_are_read_newest_first(store: Store) -> None:
    await store.commit(*[PutReport(report(f"r{number}", number, person)) for number, person in enumerate("aba")])
    assert [each.id for each in await store.reports(NEWEST, 2)] == ["r2", "r1"]
    assert [each.id for each in await store.reports(Cursor(1, "r1"), 9)] == ["r0"]
    assert [each.id for each in await store.reports_by("a", 1, 9)] == ["r2"]


async def test_people_are_seen_again(store: Store) -> None:
    await store.commit(PutSighting(Sighting("ann", 1)), PutSighting(Sighting("ben", 2)))
    await store.commit(PutSighting(Sighting("ann", 3)))
    assert await store.sightings(["ann", "ben", "cid"]) == [Sighting("ann", 3), Sighting("ben", 2)]
    assert await store.sightings([]) == []


async def test_people_have_a_leaderboard_of_their_own(store: Store) -> None:
    settled = RATING._replace(deviation=60.0, opponents=5, updated_at=NOW)
    for player, points in ((ANN, 1400.0), (BEN, 1600.0), ("agent/a", 1900.0), ("acme/live/ann", 1800.0)):
        await store.commit(PutRating(settled._replace(player=player, rating=points)))
    await store.commit(PutRating(settled._replace(player="person/cid", rating=1950.0, deviation=90.1)))
    assert [each.player for each in await store.people_leaders("checkers", NOW, 9)] == [BEN, ANN]
    assert [each.player for each in await store.leaders("checkers", NOW, 9)] == ["agent/a"]


async def test_the_latest_rating_changes_come_first(store: Store) -> None:
    for number in (1, 2, 3):
        change = rating_change(f"t{number}", ANN, at=number)
        await store.commit(append(f"t{number}"), PutRatingChange(change))
    assert [each.table for each in await store.latest_rating_changes(ANN, 2)] == ["t3", "t2"]


async def test_a_person_leaves_no_trace_with_others(store: Store) -> None:
    for one, two in (("ann", "ben"), ("ben", "ann"), ("ben", "cid")):
        await store.commit(PutFriendship(Friendship(one, two, 1)), PutBlock(Block(one, two, 1)))
    await store.commit(
        PutFriendLink(FriendLink("ann", "AAAA", 1)),
        PutChallenge(challenge("c1")),
        PutChallenge(challenge("c2", challenger="ben", opponent="ann")),
        PutChallenge(challenge("c3", challenger="ben", opponent="cid")),
        PutSighting(Sighting("ann", 1)),
        PutReport(report("r1", 1)),
        PutReport(report("r2", 2, "ben", ANN)),
        PutReport(report("r3", 3, "ben", "person/cid")),
        AddScore(Score(ANN, BEN, "checkers", 1, 0, 0)),
        AddScore(Score(BEN, ANN, "checkers", 0, 0, 1)),
        AddScore(Score(BEN, "people", "checkers", 0, 0, 1)),
    )
    await finish(store, "t1", 1, ANN, BEN)
    await store.commit(DropRelations("ann", ANN))
    assert [each.friend for each in await store.friends_of("ben", 9)] == ["cid"]
    assert [each.blocked for each in await store.blocks_of("ben", 9)] == ["cid"]
    assert await store.friends_of("ann", 9) == []
    assert await store.blocks_of("ann", 9) == []
    assert await store.friend_link("AAAA") is None
    assert await store.sightings(["ann"]) == []
    assert await store.challenges_before(NOW + 1, 9) == ["c3"]
    assert [each.id for each in await store.reports(NEWEST, 9)] == ["r3"]
    assert await store.scores_between(ANN, BEN) == await store.scores_between(BEN, ANN) == []
    assert await store.scores_of(BEN) == [Score(BEN, "people", "checkers", 0, 0, 1)]
    assert await store.history(ANN, NEWEST, 9) == []
    assert [each.id for each in await store.history(BEN, NEWEST, 9)] == ["t1"]
