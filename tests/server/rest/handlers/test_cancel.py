"""Sessions are cancelled by their tenant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import ANN, BEN, HOOK, RestApp, open_app

from ludus.core.errors import LudusError
from ludus.service.lobby import Seeker
from ludus.service.proof import document, prove
from ludus.service.sessions import pool_of

pytestmark = pytest.mark.anyio


async def cancel(app: RestApp, made: Any, status: int = 200, key: str | None = None) -> Any:
    answer = await app.ask("DELETE", f"/v1/sessions/{made['sessionId']}", key=key)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_a_waiting_session_ends_without_a_result_and_its_token_stops_working(tmp_path: Path) -> None:
    async with open_app(tmp_path, HOOK) as app:
        made = await app.create()
        app.clock.ms += 1
        ended = await cancel(app, made)
        assert (ended["status"], ended["result"]) == ("ended", None)
        assert await cancel(app, made) == ended == await app.show(made)
        with pytest.raises(LudusError):
            await app.platform.sessions.admit(made["sessionToken"])
        created, expired = [json.loads(each.body) for each in await app.deliveries()]
        assert (created["event"], expired["event"]) == ("session.created", "session.expired")
        assert expired["data"]["reason"] == "cancelled" and expired["data"]["players"] == [ANN]


async def test_its_player_leaves_the_queue_and_meets_nobody(app: RestApp) -> None:
    made, other = await app.create(), await app.create(players=[BEN])
    session, claims = await app.platform.sessions.admit(made["sessionToken"])
    seat = app.platform.sessions.seat(session, claims)
    seeker = Seeker(seat, session.game, session.mode, pool_of(session), 1500.0, True, None)
    assert (await app.platform.lobby.join(seeker)).position == 1
    await cancel(app, made)
    assert await app.server.store.entries(session.game, pool_of(session)) == []
    session, claims = await app.platform.sessions.admit(other["sessionToken"])
    waiting = seeker._replace(seat=app.platform.sessions.seat(session, claims))
    assert (await app.platform.lobby.join(waiting)).table is None


@pytest.mark.parametrize(("game", "extra"), [("checkers", {}), ("backgammon", {"points": 0, "result": None})])
async def test_a_running_game_ends_without_a_winner_and_unrated(tmp_path: Path, game: str, extra: Any) -> None:
    async with open_app(tmp_path, HOOK) as app:
        made = await app.create(game=game, matchType="private", players=[ANN, BEN])
        table = await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])
        table = await app.play(table, 5)
        ended = await cancel(app, made)
        assert ended["status"] == "ended"
        result = ended["result"]
        assert (result["winner"], result["reason"], result["moveCount"]) == (None, "cancelled", table.moves)
        assert {name: result[name] for name in extra} == extra
        assert await cancel(app, made) == ended
        over = [json.loads(each.body)["data"] for each in await app.deliveries() if each.event == "game.ended"]
        assert [(each["winner"], each["reason"]) for each in over] == [(None, "cancelled")]
        assert await app.server.store.rating_change(table.id, table.seats[0].key) is None
        row = await app.server.store.table(table.id)
        assert row is not None and prove(document(row, await app.server.store.events(table.id))).is_good


async def test_a_finished_game_keeps_its_result(app: RestApp) -> None:
    made = await app.create(matchType="private", players=[ANN, BEN])
    await app.play(await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"]))
    before = await app.show(made)
    assert await cancel(app, made) == before


async def test_sessions_of_others_and_of_other_modes_are_not_found_and_stay(app: RestApp) -> None:
    made = await app.create()
    other = await app.server.tenants.create("Other")
    for key in (other.live_key, app.tenant.test_key):
        assert (await cancel(app, made, 404, key))["code"] == "not_found"
    assert (await app.show(made))["status"] == "pending"
    unknown = {"sessionId": "00000000-0000-4000-8000-000000000000"}
    assert (await cancel(app, unknown, 404))["code"] == "not_found"
