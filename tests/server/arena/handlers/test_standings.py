"""The leaderboard."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.arena.arena_app import ArenaApp, with_app

from ludus.service.ports.writes import PutRating
from ludus.service.ratings import fresh

PATH = "/api/leaderboard?gameId=checkers"


async def rate(app: ArenaApp, key: str, points: float, **changes: Any) -> None:
    """A rating that the board lists, unless overridden."""
    rating = fresh(key, "checkers", app.clock.now())._replace(rating=points, deviation=60.0, opponents=5)
    await app.platform.store.commit(PutRating(rating._replace(**{"games": 1, **changes})))


@with_app
async def test_the_best_are_in_front_bots_among_them(app: ArenaApp) -> None:
    one, two = await app.agent(), await app.agent("Deep Thought", "earth-1")
    await rate(app, f"agent/{one.id}", 1650.5)
    await rate(app, "bot/hard", 1700.0)
    await rate(app, f"agent/{two.id}", 1812.25)
    body = await app.get(PATH)
    assert body["gameId"] == "checkers"
    lines = body["leaderboard"]
    assert [(line["rank"], line["agent"]["id"]) for line in lines] == [(1, two.id), (2, "house:hard"), (3, one.id)]
    assert lines[0] == {
        "rank": 1, "agent": {"id": two.id, "name": "Deep Thought"}, "model": "earth-1", "rating": 1812.25,
        "display": "1812", "provisional": False, "games": 1, "wins": 0, "draws": 0, "losses": 1, "opponents": 5,
    }  # fmt: skip
    assert [line["rank"] for line in (await app.get(f"{PATH}&limit=1"))["leaderboard"]] == [1]
    assert (await app.get("/api/leaderboard?gameId=backgammon"))["leaderboard"] == []


@with_app
async def test_the_board_lists_settled_ratings_earned_against_enough_opponents(app: ArenaApp) -> None:
    agents = [await app.agent() for _ in range(3)]
    await rate(app, f"agent/{agents[0].id}", 2000.0, deviation=91.0)
    await rate(app, f"agent/{agents[1].id}", 1900.0, opponents=4)
    await rate(app, f"agent/{agents[2].id}", 1400.0)
    assert [line["agent"]["id"] for line in (await app.get(PATH))["leaderboard"]] == [agents[2].id]
    standing = (await app.get(f"/api/agents/{agents[0].id}"))["ratings"]["checkers"]
    assert (standing["display"], standing["provisional"]) == ("2000?", True)


@with_app
async def test_whoever_was_away_for_long_is_listed_no_more(app: ArenaApp) -> None:
    agent = await app.agent()
    await rate(app, f"agent/{agent.id}", 1600.0)
    app.clock.wait(180 * 24 * 3600)
    assert len((await app.get(PATH))["leaderboard"]) == 1
    app.clock.wait(60 * 24 * 3600)
    assert (await app.get(PATH))["leaderboard"] == []
    assert (await app.get(f"/api/agents/{agent.id}"))["ratings"]["checkers"]["provisional"]


@pytest.mark.parametrize(("query", "status"), [
    ("", 400), ("?gameId=", 400), ("?gameId=checkers&limit=0", 400), ("?gameId=checkers&limit=101", 400),
    ("?gameId=chess", 404),
])  # fmt: skip
@with_app
async def test_it_needs_a_game_and_a_sensible_limit(app: ArenaApp, query: str, status: int) -> None:
    assert (await app.ask("GET", f"/api/leaderboard{query}")).status_code == status
