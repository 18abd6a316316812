"""Tournaments of a tenant's players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import ANN, BEN, HOOK, RestApp, open_app

from ludus.service.commands import Resign
from ludus.service.ports.writes import PutEntrant, WakeTournament

pytestmark = pytest.mark.anyio

TERMS = {"name": "Cup", "game": "checkers", "system": "swiss", "rounds": 1, "rated": True}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def ask(app: RestApp, method: str, path: str, status: int = 200, **more: Any) -> Any:
    answer = await app.ask(method, f"/v1/tournaments{path}", **more)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_a_tenants_players_meet_and_its_back_end_hears_of_it(tmp_path: Path) -> None:
    async with open_app(tmp_path, HOOK) as app:
        made = await ask(app, "POST", "", 201, json=TERMS)
        path = f"/{made['id']}"
        both = {"players": [ANN, BEN]}
        for _ in range(2):
            entered = await ask(app, "POST", f"{path}/players", json=both)
        assert [each["player"]["id"] for each in entered["standings"]] == ["ann", "ben"]
        await ask(app, "GET", f"{path}/players/ann/session", 404)
        begun = await ask(app, "POST", f"{path}/start")
        assert (begun["state"], begun["rounds"]) == ("running", 1)
        game = await ask(app, "GET", f"{path}/players/ann/session")
        assert [game["roomId"]] == begun["pairings"][0]["games"]
        session, claims = await app.platform.sessions.admit(game["sessionToken"])
        assert (session.id, claims.player, session.mode) == (game["sessionId"], "ann", "live")
        await app.platform.tables.execute(game["roomId"], Resign(1))
        await app.platform.director.sweep()
        over = await ask(app, "GET", path)
        assert over["state"] == "finished" and [each["score"] for each in over["standings"]] == [1, 0]
        (listed,) = (await ask(app, "GET", "?state=finished"))["tournaments"]
        assert (listed["id"], listed["winner"]) == (made["id"], {"id": "ann", "name": "Ann", "kind": "person"})
        sent = [each.event for each in await app.deliveries()]
        assert [event for event in sent if event.startswith("tournament.")] == [
            "tournament.started", "tournament.round_started", "tournament.finished",
        ]  # fmt: skip
        assert "session.started" in sent and "game.ended" in sent


async def test_nobody_gets_a_token_for_a_seat_that_is_not_theirs(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        id = (await ask(app, "POST", "", 201, json=TERMS))["id"]
        await ask(app, "POST", f"/{id}/players", json={"players": [ANN, BEN]})
        await ask(app, "POST", f"/{id}/start")
        ann = (await app.platform.store.entrants(id))[0]
        eve = ann._replace(version=ann.version + 1, player=ann.player.replace("ann", "eve"))  # not at the table
        await app.platform.store.commit(PutEntrant(eve), WakeTournament(id))
        assert (await ask(app, "GET", f"/{id}/players/eve/session", 404))["code"] == "not_found"
        await ask(app, "GET", f"/{id}/players/ben/session")


async def test_players_leave_bots_enter_and_tournaments_are_called_off(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        path = f"/{(await ask(app, 'POST', '', 201, json=TERMS))['id']}"
        await ask(app, "POST", f"{path}/players", json={"players": [ANN], "bots": ["easy", "hard"]})
        await ask(app, "DELETE", f"{path}/bots/hard", 404, key=app.tenant.test_key)
        await ask(app, "DELETE", f"{path}/bots/medium", 404)
        assert (await ask(app, "DELETE", f"{path}/bots/hard"))["entrants"] == 2
        left = await ask(app, "DELETE", f"{path}/players/ann")
        assert [each["player"]["kind"] for each in left["standings"]] == ["bot"]
        assert (await ask(app, "POST", f"{path}/start", 409))["code"] == "tournament_closed"
        assert (await ask(app, "DELETE", path))["state"] == "cancelled"
        assert (await ask(app, "POST", f"{path}/players", 409, json={"players": [BEN]}))["code"] == "tournament_closed"


@pytest.mark.parametrize("is_rated", [True, False])
async def test_games_of_an_apps_players_against_bots_are_rated_as_the_tournament_is(
    tmp_path: Path, is_rated: bool
) -> None:
    async with open_app(tmp_path) as app:
        path = f"/{(await ask(app, 'POST', '', 201, json={**TERMS, 'rated': is_rated}))['id']}"
        await ask(app, "POST", f"{path}/players", json={"players": [ANN], "bots": ["easy"]})
        (pairing,) = (await ask(app, "POST", f"{path}/start"))["pairings"]
        assert (await app.platform.tables.load(pairing["games"][0])).table.opening.is_rated is is_rated


async def test_tournaments_of_the_keys_mode_come_page_by_page(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        own = []
        for _ in range(3):
            own.append((await ask(app, "POST", "", 201, json=TERMS))["id"])
            await ask(app, "POST", "", 201, json=TERMS, key=app.tenant.test_key)
        first = await ask(app, "GET", "?limit=2")
        second = await ask(app, "GET", f"?limit=2&before={first['before']}")
        assert [each["id"] for page in (first, second) for each in page["tournaments"]] == sorted(own, reverse=True)
        assert second["before"] is None
        assert (await ask(app, "GET", "?before=yesterday", 400))["code"] == "invalid_input"


async def test_each_mode_has_its_own(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        path = f"/{(await ask(app, 'POST', '', 201, json=TERMS))['id']}"
        await ask(app, "GET", path, 404, key=app.tenant.test_key)
        assert (await ask(app, "GET", "", key=app.tenant.test_key))["tournaments"] == []
        await ask(app, "GET", path, 401, key="")
        await ask(app, "POST", "", 400, json={**TERMS, "system": "ladder"})
