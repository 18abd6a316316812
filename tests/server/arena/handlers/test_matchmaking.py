"""How agents find each other, and the bots of the platform."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.server.arena.arena_app import ArenaApp, open_app, with_app
from tests.service.parts import FakeClock
from tests.service.platforms import TIMEOUTS, run_in

from ludus.engines.levels import LEVELS
from ludus.service.lobby import Seeker
from ludus.service.table import Seat, SeatKind

GAMES = ("checkers", "backgammon")


@pytest.mark.parametrize("game", GAMES)
@with_app
async def test_the_second_of_two_is_matched_and_the_first_learns_of_it(app: ArenaApp, game: str) -> None:
    one, two = await app.agent(), await app.agent()
    assert await one.queue(game) == {"status": "queued", "position": 1}
    assert await one.queue(game) == {"status": "already_queued", "position": 1}
    matched = await two.queue(game)
    assert set(matched) == {"status", "matchId", "players"}
    assert matched["status"] == "matched" and set(matched["players"]) == {one.id, two.id}
    for agent in (one, two):
        assert await agent.must("GET", f"/api/matchmaking/status?gameId={game}") == matched


@with_app
async def test_agents_of_other_lanes_and_games_do_not_meet(app: ArenaApp) -> None:
    one, two, three = [await app.agent() for _ in range(3)]
    for agent, wanted in ((one, {"lane": "fast"}), (two, {"lane": "standard"})):
        assert (await agent.queue("checkers", **wanted))["status"] == "queued"
    assert (await three.queue("backgammon"))["status"] == "queued"
    depth = await app.get("/api/stats")
    assert depth["queueDepth"] == {"checkers": 2, "backgammon": 1}
    assert depth["queueDepthByLane"]["checkers"] == {"fast": 1, "standard": 1}
    assert set((await three.queue("checkers", lane=None, opponent=None))["players"]) == {two.id, three.id}, (
        "standard is the lane of who says none"
    )


@with_app
async def test_the_status_tells_the_place_in_line(app: ArenaApp) -> None:
    agent = await app.agent()
    path = "/api/matchmaking/status?gameId=checkers"
    assert await agent.must("GET", path) == {"status": "not_queued"}
    await agent.queue("checkers", lane="fast")
    assert await agent.must("GET", path) == {"status": "queued", "position": 1}


@with_app
async def test_who_leaves_the_line_is_not_matched(app: ArenaApp) -> None:
    one, two = await app.agent(), await app.agent()
    await one.queue("checkers", lane="fast")
    path = "/api/matchmaking/queue?gameId=checkers"
    assert await one.must("DELETE", path) == {"status": "left"}
    assert await one.must("DELETE", path) == {"status": "not_queued"}
    assert (await two.queue("checkers", lane="fast"))["status"] == "queued"


@with_app
async def test_an_agent_with_an_unfinished_match_is_sent_back_to_it(app: ArenaApp) -> None:
    match, one, _ = await app.pair("checkers")
    assert (await one.queue("checkers", lane="fast"))["matchId"] == match
    assert (await one.queue("checkers", lane="fast", opponent="house:easy"))["matchId"] == match
    assert (await one.queue("backgammon", lane="fast"))["status"] == "queued"


@pytest.mark.parametrize("level", LEVELS)
@with_app
async def test_a_house_bot_plays_at_once(app: ArenaApp, level: str) -> None:
    agent = await app.agent()
    matched = await agent.queue("backgammon", opponent=f"house:{level}")
    assert matched["status"] == "matched" and set(matched["players"]) == {agent.id, f"house:{level}"}


@with_app
async def test_who_waits_too_long_meets_a_bot(app: ArenaApp) -> None:
    agent = await app.agent()
    await agent.queue("checkers")
    await app.spend(19)
    assert (await agent.must("GET", "/api/matchmaking/status?gameId=checkers"))["status"] == "queued"
    await app.spend(2)
    matched = await agent.must("GET", "/api/matchmaking/status?gameId=checkers")
    assert matched["status"] == "matched" and "house:medium" in matched["players"]


@with_app
async def test_two_agents_change_seats_over_a_series(app: ArenaApp) -> None:
    one, two = await app.agent(), await app.agent()
    first = []
    for number in range(4):
        await one.queue("checkers")
        await two.queue("checkers")
        await app.spend(15)  # by then their ratings are near enough for each other
        match = (await one.must("GET", "/api/matchmaking/status?gameId=checkers"))["matchId"]
        first.append((await app.get(f"/api/matches/{match}"))["players"][0]["id"])
        await (one, two)[number % 2].act(match, 1, {"type": "resign"})
    assert first[0] == first[2] != first[1] == first[3]


@pytest.mark.parametrize("body", [
    {}, {"gameId": 7}, {"gameId": None}, {"gameId": "checkers", "lane": "slow"}, {"gameId": "checkers", "lane": 1},
    {"gameId": "checkers", "opponent": "house:mighty"}, {"gameId": "checkers", "opponent": "easy"},
    {"gameId": "checkers", "opponent": 7}, {"gameId": "checkers", "people": "yes"},
    {"gameId": "checkers", "people": 1}, b"", b"[]",
])  # fmt: skip
@with_app
async def test_what_is_no_request_for_a_match_is_refused(app: ArenaApp, body: Any) -> None:
    agent = await app.agent()
    answer = await agent.ask("POST", "/api/matchmaking/queue", body)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_input")
    assert isinstance(answer.json()["details"], list)


@with_app
async def test_a_game_that_is_not_there_is_not_found_however_long_its_name(app: ArenaApp) -> None:
    agent = await app.agent()
    for game in ("chess", "x" * 65):
        answer = await agent.ask("POST", "/api/matchmaking/queue", {"gameId": game})
        assert (answer.status_code, answer.json()) == (404, {"error": "game_not_found"})


def person(name: str = "ann") -> Seeker:
    seat = Seat(f"tenant/test/{name}", name, name.capitalize(), SeatKind.PERSON)
    return Seeker(seat, "checkers", "test", "open", 1500.0, True, None)


@with_app
async def test_people_meet_agents_that_have_said_they_may(app: ArenaApp) -> None:
    shy, open_minded = await app.agent(), await app.agent()
    assert (await app.platform.lobby.join(person())).table is None
    assert (await shy.queue("checkers", lane="fast"))["status"] == "queued"
    assert await shy.must("DELETE", "/api/matchmaking/queue?gameId=checkers") == {"status": "left"}
    assert (await open_minded.queue("checkers", people=True))["status"] == "queued", "people are in the fast lane"
    found = await open_minded.queue("checkers", lane="fast", people=True)
    assert found["status"] == "matched" and open_minded.id in found["players"]
    assert {player[:7] for player in found["players"]} == {"person:", open_minded.id[:7]}


@with_app
async def test_an_agent_that_waits_may_agree_to_people_later(app: ArenaApp) -> None:
    agent = await app.agent()
    await agent.queue("checkers", lane="fast")
    assert (await app.platform.lobby.join(person())).table is None
    found = await agent.queue("checkers", lane="fast", people=True)
    assert found["status"] == "matched"


@with_app
async def test_a_game_that_is_not_played_here_is_not_found(app: ArenaApp) -> None:
    agent = await app.agent()
    for answer in (
        await agent.ask("POST", "/api/matchmaking/queue", {"gameId": "chess"}),
        await agent.ask("GET", "/api/matchmaking/status?gameId=chess"),
        await agent.ask("DELETE", "/api/matchmaking/queue?gameId=chess"),
    ):
        assert (answer.status_code, answer.json()) == (404, {"error": "game_not_found"})


@with_app
async def test_the_status_needs_a_game_and_takes_no_lane(app: ArenaApp) -> None:
    agent = await app.agent()
    for path in (
        "/api/matchmaking/status",
        "/api/matchmaking/status?gameId=",
        "/api/matchmaking/status?gameId=checkers&lane=fast",
        "/api/matchmaking/queue",
    ):
        answer = await agent.ask("DELETE" if path.endswith("queue") else "GET", path)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_input")


@with_app
async def test_a_server_that_stops_starts_no_match(app: ArenaApp) -> None:
    agent = await app.agent()
    app.platform.lobby.is_stopping = True
    answer = await agent.ask("POST", "/api/matchmaking/queue", {"gameId": "checkers"})
    assert (answer.status_code, answer.json()) == (503, {"error": "stopping"})
    assert answer.headers["Retry-After"] == "1"


@asynccontextmanager
async def open_app_with_bots(folder: Path, clock: FakeClock) -> AsyncIterator[ArenaApp]:
    async with open_app(folder, clock, timeouts=TIMEOUTS._replace(bot_fallback=None)) as app:
        yield app


@pytest.mark.parametrize(("lane", "minutes"), [("fast", 20), ("standard", 65)])
@run_in(open_app_with_bots)
async def test_a_place_in_line_is_kept_for_a_while(app: ArenaApp, lane: str, minutes: int) -> None:
    agent = await app.agent()
    await agent.queue("checkers", lane=lane)
    path = "/api/matchmaking/status?gameId=checkers"
    await app.spend(60 * minutes - 1)
    assert (await agent.must("GET", path))["status"] == "queued"
    await app.spend(1)
    assert (await agent.must("GET", path)) == {"status": "not_queued"}


@with_app
async def test_agents_meet_those_that_chose_the_same_time_control(app: ArenaApp) -> None:
    one, two, three = [await app.agent() for _ in range(3)]
    assert (await one.queue("checkers", timeControl="5+3"))["status"] == "queued"
    assert (await two.queue("checkers"))["status"] == "queued"
    assert (await app.get("/api/stats"))["queueDepthByLane"]["checkers"] == {"fast": 0, "standard": 2}
    fischer = {"type": "fischer", "seconds": 300, "increment": 3}
    matched = await three.queue("checkers", timeControl=fischer)
    assert set(matched["players"]) == {one.id, three.id}
    state = await one.must("GET", f"/api/matches/{matched['matchId']}/state")
    assert (state["timeControl"], state["clock"]) == (fischer, {"yourMs": 300_000, "opponentMs": 300_000})
    assert (await app.get(f"/api/matches/{matched['matchId']}"))["timeControl"] == fischer
    assert await two.must("GET", "/api/matchmaking/status?gameId=checkers") == {"status": "queued", "position": 1}


@with_app
async def test_an_agent_waits_with_one_time_control_at_a_time(app: ArenaApp) -> None:
    one, two = await app.agent(), await app.agent()
    path = "/api/matchmaking/queue?gameId=checkers"
    for chosen in ("5+3", "10+5", None):
        assert await one.queue("checkers", timeControl=chosen) == {"status": "queued", "position": 1}
    assert (await two.queue("checkers", timeControl="5+3"))["status"] == "queued"
    assert await two.must("DELETE", path) == {"status": "left"}
    assert (await two.queue("checkers"))["status"] == "matched"


@with_app
async def test_a_clock_runs_against_a_house_bot_too(app: ArenaApp, clock: FakeClock) -> None:
    agent = await app.agent()
    match = (await agent.queue("checkers", opponent="house:easy", timeControl="0:10+0"))["matchId"]
    state = await agent.must("GET", f"/api/matches/{match}/state?wait=true")
    assert state["status"] == "your_turn" and state["clock"]["yourMs"] == 10_000
    clock.wait(4)
    assert (await agent.must("GET", f"/api/matches/{match}/state"))["clock"]["yourMs"] == 6_000
    await app.spend(6)
    over = await agent.must("GET", f"/api/matches/{match}/state")
    assert (over["status"], over["reason"], over["clock"]["yourMs"]) == ("game_over", "timeout", 0)


@pytest.mark.parametrize("chosen", ["none", "5 minutes", {"type": "game", "seconds": 1}, 5])
@with_app
async def test_other_time_controls_are_refused(app: ArenaApp, chosen: Any) -> None:
    agent = await app.agent()
    answer = await agent.ask("POST", "/api/matchmaking/queue", {"gameId": "checkers", "timeControl": chosen})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_input")
