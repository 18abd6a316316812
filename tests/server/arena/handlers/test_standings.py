"""The leaderboard."""

from __future__ import annotations

import pytest
from tests.server.arena.arena_app import ArenaApp, with_app

from ludus.service.commands import Resign

PATH = "/api/leaderboard?gameId=checkers"


@with_app
async def test_the_best_are_in_front_bots_among_them(app: ArenaApp) -> None:
    match, one, two = await app.pair("checkers")
    await one.act(match, 1, {"type": "resign"})
    three = await app.agent("Deep Thought", "earth-1")
    match = (await three.queue("checkers", opponent="house:hard"))["matchId"]
    await three.resign(match)
    body = await app.get(PATH)
    assert body["gameId"] == "checkers"
    lines = body["leaderboard"]
    assert [line["rank"] for line in lines] == [1, 2, 3, 4]
    assert {line["agent"]["id"] for line in lines[:2]} == {two.id, "house:hard"}
    assert {line["agent"]["id"] for line in lines[2:]} == {one.id, three.id}
    line = next(line for line in lines if line["agent"]["id"] == three.id)
    assert (line["agent"]["name"], line["model"], line["games"], line["provisional"]) == (
        "Deep Thought", "earth-1", 1, True,
    )  # fmt: skip
    assert isinstance(line["rating"], float) and line["display"].endswith("?")


@with_app
async def test_who_has_played_often_is_no_longer_provisional_until_long_away(app: ArenaApp) -> None:
    agent = await app.agent()
    for number in range(30):
        match = (await agent.queue("checkers", opponent="house:easy"))["matchId"]
        at = await app.arena.seat(match, await app.arena.agents.get(agent.id))
        loser = at.seat if number % 2 else 1 - at.seat
        await app.platform.tables.execute(match, Resign(loser))
        app.clock.wait(60)
    line = next(line for line in (await app.get(PATH))["leaderboard"] if line["agent"]["id"] == agent.id)
    assert not line["provisional"] and line["display"] == f"{line['rating']:.0f}"
    assert (line["games"], line["wins"], line["losses"]) == (30, 15, 15)
    app.clock.wait(3 * 365 * 24 * 3600)
    line = next(line for line in (await app.get(PATH))["leaderboard"] if line["agent"]["id"] == agent.id)
    assert line["provisional"]


@with_app
async def test_it_is_of_one_game_and_as_long_as_asked_for(app: ArenaApp) -> None:
    match, one, _ = await app.pair("checkers")
    await one.act(match, 1, {"type": "resign"})
    assert len((await app.get(f"{PATH}&limit=1"))["leaderboard"]) == 1
    assert (await app.get("/api/leaderboard?gameId=backgammon"))["leaderboard"] == []


@pytest.mark.parametrize(("query", "status"), [
    ("", 400), ("?gameId=", 400), ("?gameId=checkers&limit=0", 400), ("?gameId=checkers&limit=101", 400),
    ("?gameId=chess", 404),
])  # fmt: skip
@with_app
async def test_it_needs_a_game_and_a_sensible_limit(app: ArenaApp, query: str, status: int) -> None:
    assert (await app.ask("GET", f"/api/leaderboard{query}")).status_code == status
