"""What the arena keeps: agents, rating_changes, and whose games were whose."""

from __future__ import annotations

import pytest
from tests.storage.examples import RATING, agent, event, rating_change, row

from ludus.service.ports import Append, Conflict, PutAgent, PutRating, PutRatingChange, Store
from ludus.service.records import Tally

pytestmark = pytest.mark.anyio


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


async def test_leaders_are_the_best_of_their_kind(store: Store) -> None:
    for player, points in (("agent/a", 1400.0), ("agent/b", 1600.0), ("bot/hard", 1500.0), ("acme/live/ann", 1900.0)):
        await store.commit(PutRating(RATING._replace(player=player, rating=points)))
    found = await store.leaders("checkers", 2)
    assert [each.player for each in found] == ["agent/b", "bot/hard"]
    assert [each.game for each in await store.ratings_of("agent/a")] == ["checkers"]
