"""Tournaments of agents."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from tests.server.arena.arena_app import Agent, ArenaApp, open_app, with_app
from tests.service.platforms import run_in

from ludus.server.arena import schemas
from ludus.service.tournaments.tournaments import Applicant

TERMS = {"name": "Friday", "gameId": "checkers", "system": "round_robin"}


async def made(agent: Agent, **changes: Any) -> str:
    answer = await agent.ask("POST", "/api/tournaments", {**TERMS, **changes})
    assert answer.status_code == 201, answer.text
    schemas.WholeTournament.model_validate(answer.json())
    return f"/api/tournaments/{answer.json()['id']}"


async def refused(agent: Agent, status: int, path: str, body: Any = None) -> Any:
    answer = await agent.ask("POST", path, body)
    assert answer.status_code == status, answer.text
    return answer.json()["error"]


@with_app
async def test_agents_play_a_tournament_to_its_end(app: ArenaApp) -> None:
    assert await app.get("/api/tournaments/active") == {"tournaments": []}
    one, two = await app.agent(), await app.agent()
    path = await made(one)
    for agent in (one, two):
        own = await agent.must("POST", f"{path}/join")
        schemas.OwnTournament.model_validate(own)
        assert own["isIn"] and own["matchId"] is None
    assert await refused(two, 403, f"{path}/bots", {"bot": "house:easy"}) == "forbidden"
    for bot in ("easy", "hard"):
        await one.must("POST", f"{path}/bots", {"bot": f"house:{bot}"})
    assert (await two.ask("DELETE", f"{path}/bots/house:hard")).status_code == 403
    assert (await one.ask("DELETE", f"{path}/bots/house:medium")).status_code == 404
    assert (await one.must("DELETE", f"{path}/bots/house:hard"))["entrants"] == 3
    await app.spend(2)
    listed = schemas.ActiveTournaments.model_validate(await app.get("/api/tournaments/active"))
    assert [(each.name, each.status, each.rounds) for each in listed.tournaments] == [("Friday", "created", 3)]
    begun = await one.must("POST", f"{path}/start")
    assert begun["status"] == "running"
    for _ in range(3):
        for agent in (one, two):
            match = (await agent.must("GET", f"{path}/me"))["matchId"]
            if match is not None and (await agent.state(match))["status"] != "game_over":
                assert (await agent.must("GET", "/api/matchmaking/status?gameId=checkers"))["matchId"] == match
                await agent.resign(match)
        await app.platform.director.sweep()
    over = schemas.WholeTournament.model_validate(await app.get(path))
    assert over.status == "finished"
    assert over.winner == over.standings[0].player
    assert [each.games for each in over.standings] == [2, 2, 2] and over.standings[0].player.id == "house:easy"
    assert sorted(len(each.matches) for each in over.pairings) == [0, 0, 0, 1, 1, 1]


@with_app
async def test_people_have_no_names_here(app: ArenaApp) -> None:
    agent = await app.agent()
    path = await made(agent)
    await app.platform.tournaments.join(path.rpartition("/")[2], Applicant("person/x", "x", "Xenia", "person"))
    (place,) = (await app.get(path))["standings"]
    assert place["player"] == {"id": "person:1", "name": "A person", "kind": "person"}


@with_app
async def test_who_leaves_is_no_longer_in(app: ArenaApp) -> None:
    agent = await app.agent()
    path = await made(agent)
    await agent.must("POST", f"{path}/join")
    assert not (await agent.must("POST", f"{path}/withdraw"))["isIn"]
    assert (await agent.must("POST", f"{path}/cancel"))["status"] == "cancelled"
    assert await refused(agent, 409, f"{path}/join") == "tournament_closed"
    assert await refused(agent, 404, "/api/tournaments/none/join") == "not_found"


@run_in(partial(open_app, new_tournaments=2))
async def test_one_address_makes_few_tournaments_a_day_however_many_agents_it_has(app: ArenaApp) -> None:
    for _ in range(2):
        assert await refused(await app.agent(), 400, "/api/tournaments", {**TERMS, "minutes": 5}) == "invalid_input"
        await made(await app.agent())
    assert await refused(await app.agent(), 429, "/api/tournaments", TERMS) == "rate_limited"


@pytest.mark.parametrize(
    "changes",
    [{"system": "ladder"}, {"name": ""}, {"cube": True}, {"timeControl": "none"}, {"minutes": 5}, {"admits": []}],
)
@with_app
async def test_terms_are_checked(app: ArenaApp, changes: Any) -> None:
    agent = await app.agent()
    assert await refused(agent, 400, "/api/tournaments", {**TERMS, **changes}) == "invalid_input"


@with_app
async def test_there_is_no_tournament_of_an_unknown_game_or_with_an_unknown_bot(app: ArenaApp) -> None:
    agent = await app.agent()
    assert await refused(agent, 404, "/api/tournaments", {**TERMS, "gameId": "chess"}) == "game_not_found"
    path = await made(agent)
    assert await refused(agent, 400, f"{path}/bots", {"bot": "house:nobody"}) == "invalid_input"
