"""What the arena keeps: agents, rating_changes, and whose games were whose."""

from __future__ import annotations

from typing import Any

import pytest
from tests.storage.examples import RATING, agent, event, rating_change, row

from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import (
    Append,
    DropAddressMark,
    DropEncounter,
    DropRatings,
    PutAddressMark,
    PutAgent,
    PutEncounter,
    PutRating,
    PutRatingChange,
)
from ludus.service.ratings import aged, is_provisional
from ludus.service.records import AddressMark, Encounter, Tally

pytestmark = pytest.mark.anyio

NOW = 1_700_000_000_000
DAY = 24 * 60 * 60 * 1000


async def test_an_agent_is_found_by_id_and_by_key(store: Store) -> None:
    await store.commit(PutAgent(agent("a1")), PutAgent(agent("a2")))
    assert await store.agent("a1") == agent("a1")
    assert await store.agent_of_key("key-a2") == agent("a2")
    assert await store.agent_of_key("nobody's") is None
    assert await store.count_agents() == 2


async def test_a_name_is_taken_once(store: Store) -> None:
    await store.commit(PutAgent(agent("a1", name_key="same")))
    with pytest.raises(Conflict):
        await store.commit(PutAgent(agent("a2", name_key="same")))


async def test_an_agent_changes_one_version_at_a_time(store: Store) -> None:
    await store.commit(PutAgent(agent()))
    await store.commit(PutAgent(agent(version=2, model="m")))
    with pytest.raises(Conflict):
        await store.commit(PutAgent(agent(version=2, model="other")))
    found = await store.agent("a1")
    assert found is not None
    assert found.model == "m"


async def test_a_game_changes_each_rating_once(store: Store) -> None:
    await store.commit(Append(row(), event()), PutRatingChange(rating_change()))
    with pytest.raises(Conflict):
        await store.commit(PutRatingChange(rating_change()))
    assert await store.rating_change("t1", "acme:ann") == rating_change()
    assert await store.rating_change("t1", "bot:hard") is None


async def test_a_players_games_are_found_newest_first(store: Store) -> None:
    for number in (1, 2, 3):
        await store.commit(Append(row(f"t{number}", opened_at=number), event(f"t{number}")))
    await store.commit(Append(row("t3", 2, opened_at=3), event("t3", 2)))
    assert [each.id for each in await store.tables_of("acme:ann", 2)] == ["t3", "t2"]
    assert await store.tables_of("nobody", 9) == []


async def test_finished_games_are_listed_and_counted(store: Store) -> None:
    won, drawn = {"winner": 0, "reason": "no_moves", "points": 1}, {"winner": None, "reason": "agreement", "points": 1}
    for name, result, ended in (("t1", won, 5000), ("t2", drawn, 9000)):
        await store.commit(Append(row(name, opened_at=1000), event(name)))
        over = row(name, 2, status="over", due=None, opened_at=1000, ended_at=ended, result=result)
        await store.commit(Append(over, event(name, 2)))
    await store.commit(Append(row("t3", opened_at=2000), event("t3")))
    assert [each.id for each in await store.ended_tables("checkers", 9)] == ["t2", "t1"]
    assert await store.tally("checkers") == Tally(2, 12.0, 1)
    assert await store.tally("backgammon") == Tally(0, 0.0, 0)
    assert await store.opened_since("checkers", 1500) == 1


def listed(player: str, **changes: Any) -> PutRating:
    """A rating that the leaderboard lists, unless overridden."""
    settled = {"deviation": 60.0, "volatility": 0.06, "opponents": 5, "updated_at": NOW}
    return PutRating(RATING._replace(player=player, **settled | changes))


async def test_leaders_are_the_best_of_their_kind(store: Store) -> None:
    for player, points in (("agent/a", 1400.0), ("agent/b", 1600.0), ("bot/hard", 1500.0), ("acme/live/ann", 1900.0)):
        await store.commit(listed(player, rating=points))
    found = await store.leaders("checkers", NOW, 2)
    assert [each.player for each in found] == ["agent/b", "bot/hard"]
    assert [each.game for each in await store.ratings_of("agent/a")] == ["checkers"]


async def test_the_ratings_of_some_players_are_read_at_once(store: Store) -> None:
    for player in ("agent/b", "agent/a", "agent/c"):
        await store.commit(listed(player))
    await store.commit(listed("agent/a", game="backgammon"))
    found = await store.ratings("checkers", ["agent/b", "nobody", "agent/a"])
    assert [(each.player, each.game) for each in found] == [("agent/a", "checkers"), ("agent/b", "checkers")]


async def test_leaders_have_settled_ratings_from_enough_opponents(store: Store) -> None:
    await store.commit(
        listed("agent/a"),
        listed("agent/b", deviation=90.1),
        listed("agent/c", opponents=4),
        listed("agent/d", deviation=90.0),
    )
    assert [each.player for each in await store.leaders("checkers", NOW, 9)] == ["agent/a", "agent/d"]


@pytest.mark.parametrize("days", [0, 4, 5, 100, 205, 209, 210, 400])
async def test_leaders_who_were_away_for_long_are_no_longer_settled(store: Store, days: int) -> None:
    await store.commit(listed("agent/a"))
    (own,) = await store.ratings_of("agent/a")
    then = NOW + days * DAY
    is_listed = bool(await store.leaders("checkers", then, 9))
    assert is_listed != is_provisional(aged(own, then))
    assert is_listed == (days < 210)


async def test_encounters_are_found_by_their_opponents_and_by_age(store: Store) -> None:
    found = [Encounter("agent/a", "checkers", opponent, 1.5, True, at) for at, opponent in enumerate("bcd")]
    await store.commit(*map(PutEncounter, found))
    await store.commit(PutEncounter(found[0]._replace(games=2.25, updated_at=7)))
    assert await store.encounters("agent/a", "checkers", ["b", "d", "x"]) == [
        found[0]._replace(games=2.25, updated_at=7), found[2],
    ]  # fmt: skip
    assert await store.encounters("agent/a", "backgammon", ["b"]) == []
    assert await store.encounters_before(2, 9) == [found[1]]
    await store.commit(*map(DropEncounter, found))  # the first has changed since
    assert [each.opponent for each in await store.encounters("agent/a", "checkers", ["b", "c", "d"])] == ["b"]


async def test_an_agents_latest_addresses_are_found(store: Store) -> None:
    marks = [AddressMark("agent/a", f"address/{at}", at) for at in range(4)]
    await store.commit(*map(PutAddressMark, marks), PutAddressMark(AddressMark("agent/b", "address/9", 9)))
    await store.commit(PutAddressMark(marks[0]._replace(seen_at=8)))
    assert [each.mark for each in await store.address_marks("agent/a", 2)] == ["address/0", "address/3"]
    assert await store.address_marks_before(3, 9) == [marks[1], marks[2]]
    await store.commit(*map(DropAddressMark, marks[:3]))
    assert [each.mark for each in await store.address_marks("agent/a", 9)] == ["address/0", "address/3"]


async def test_deleted_players_leave_no_encounter_and_no_address(store: Store) -> None:
    both = [Encounter(one, "checkers", two, 1.0, False, 1) for one, two in (("a", "b"), ("b", "a"), ("b", "c"))]
    await store.commit(*map(PutEncounter, both), *[PutAddressMark(AddressMark(each, "m", 1)) for each in "ab"])
    await store.commit(DropRatings("a"))
    assert await store.encounters_before(9, 9) == [both[2]]
    assert [each.player for each in await store.address_marks_before(9, 9)] == ["b"]
