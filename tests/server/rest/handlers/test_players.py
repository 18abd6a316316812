"""A tenant exports and deletes its players, and itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.server.rest.rest_app import ANN, BEN, HOOK, Answer, RestApp, open_app

from ludus.server.http.exports import PlayerExport, TenantExport
from ludus.service import erasure
from ludus.service.ports.writes import PutErasure
from ludus.service.proof import prove
from ludus.service.records import Erasure

pytestmark = pytest.mark.anyio


async def finished(app: RestApp, **fields: Any) -> Any:
    """A session of Ann and Ben whose game is over."""
    made = await app.create(matchType="private", players=[ANN, BEN], **fields)
    await app.play(await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"]))
    return made


async def refused(app: RestApp, method: str, path: str, key: str | None = None) -> Answer:
    answer = await app.ask(method, path, key=key)
    assert answer.status_code == 404, answer.text
    assert set(answer.json()) == {"error", "code"} and answer.json()["code"] == "not_found"
    return answer


async def test_a_player_is_exported_with_games_that_can_be_verified(app: RestApp) -> None:
    made = await finished(app, game="backgammon")
    answer = await app.ask("GET", "/v1/players/ann/export")
    assert answer.status_code == 200 and "attachment" in answer.headers["Content-Disposition"]
    assert answer.headers["X-RateLimit-Remaining"]
    found = answer.json()
    PlayerExport.model_validate(found)
    assert (found["kind"], found["id"]) == ("player", "ann")
    (session,) = found["sessions"]
    assert (session["id"], session["players"]) == (made["sessionId"], [ANN])
    (game,) = found["games"]
    assert prove(game).is_good and len(game["moves"]) > 10
    assert [(each["name"], each["isOwn"]) for each in sorted(game["players"], key=lambda each: each["name"])] == [
        ("A person", False),
        ("Ann", True),
    ]
    assert "Ben" not in answer.text and "ben" not in answer.text


async def test_a_running_game_is_exported_without_its_seed(app: RestApp) -> None:
    made = await app.create(matchType="bot", game="backgammon")
    table = await app.seat(made["sessionToken"])
    found = (await app.ask("GET", "/v1/players/ann/export")).json()
    PlayerExport.model_validate(found)
    (game,) = found["games"]
    assert game["table"] == table.id and "seed" not in game and "outcome" not in game
    assert table.opening.seed is not None and table.opening.seed.hex() not in json.dumps(found)


async def test_a_deleted_player_is_a_pseudonym_in_the_result_and_the_record(app: RestApp) -> None:
    made = await finished(app)
    before = await app.show(made)
    answer = await app.ask("DELETE", "/v1/players/ann")
    assert (answer.status_code, answer.json()) == (200, {"status": "deleted"})
    after = await app.show(made)
    assert [each["displayName"] for each in after["players"]] == ["Deleted player", "Ben"]
    assert (after["result"]["winner"] == "ben") == (before["result"]["winner"] == "ben")
    assert after["result"]["pdn"].split("\n\n")[1] == before["result"]["pdn"].split("\n\n")[1]
    assert "Ann" not in json.dumps(after) and "ann" not in json.dumps(after)
    page = (await app.client.get(f"/web/tables/{(await app.server.store.session(made['sessionId'])).table}")).text  # type: ignore[union-attr]  # the session exists
    assert "A person" in page and "Ann" not in page
    await refused(app, "DELETE", "/v1/players/ann")
    await refused(app, "GET", "/v1/players/ann/export")
    assert (await app.ask("GET", "/v1/players/ben/export")).status_code == 200


async def test_a_deleted_players_tokens_and_places_are_gone_and_their_game_is_resigned(tmp_path: Path) -> None:
    async with open_app(tmp_path, HOOK) as app:
        waiting, queued = await app.create(), await app.create()
        made = await app.create(matchType="private", players=[ANN, BEN])
        table = await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])
        assert (await app.ask("DELETE", "/v1/players/ann")).status_code == 200
        for token in (waiting["sessionToken"], queued["sessionToken"], made["sessionToken"]):
            assert (await app.ask("GET", f"/v1/sessions/validate?token={token}", key="")).status_code in (401, 403)
        ended = (await app.show(made))["result"]
        assert (ended["winner"], ended["reason"]) == ("ben", "resignation")
        assert (await app.platform.tables.load(table.id)).table.outcome is not None
        bodies = [json.loads(each.body) for each in await app.deliveries()]
        assert {each["event"] for each in bodies} >= {"session.created", "session.expired", "game.ended"}
        assert "ann" not in json.dumps(bodies).lower()


async def test_only_the_modes_of_the_key_are_touched(app: RestApp) -> None:
    await app.create(key=app.tenant.test_key, mode="test")
    await refused(app, "DELETE", "/v1/players/ann")
    await refused(app, "GET", "/v1/players/ann/export")
    assert (await app.ask("DELETE", "/v1/players/ann", key=app.tenant.test_key)).status_code == 200


async def test_players_of_others_are_not_found_and_stay(app: RestApp) -> None:
    made = await finished(app)
    other = await app.server.tenants.create("Other")
    known = await refused(app, "GET", "/v1/players/ann/export", other.live_key)
    unknown = await refused(app, "GET", "/v1/players/nobody/export", other.live_key)
    assert known.json() == unknown.json()
    await refused(app, "DELETE", "/v1/players/ann", other.live_key)
    assert (await app.show(made))["players"] == [ANN, BEN]


@pytest.mark.parametrize("id", ["a/b", "user 1?x=1", "é/export", "%2F", "a" * 128])
async def test_any_id_can_be_named_in_the_address(app: RestApp, id: str) -> None:
    await app.create(players=[{"id": id, "displayName": "Odd"}])
    path = f"/v1/players/{quote(id, safe='')}"
    assert (await app.ask("GET", f"{path}/export")).json()["id"] == id
    assert (await app.ask("DELETE", path)).json() == {"status": "deleted"}
    await refused(app, "GET", f"{path}/export")


async def test_a_pseudonym_can_be_neither_deleted_nor_taken(app: RestApp) -> None:
    await app.create(players=[ANN])
    assert (await app.ask("DELETE", "/v1/players/ann")).json() == {"status": "deleted"}
    await refused(app, "DELETE", "/v1/players/deleted%3A0")
    body = {"game": "checkers", "players": [{"id": "deleted:0", "displayName": "Ann"}]}
    assert (await app.ask("POST", "/v1/sessions", json=body)).json()["code"] == "malformed"
    stored = Erasure(f"{app.tenant.tenant.id}/live/deleted:0", app.tenant.tenant.id, 0)  # by a version that allowed it
    await app.server.store.commit(PutErasure(stored))
    assert await app.server.erasures.finish([stored])
    assert not await app.server.store.erasures(9)


async def test_an_erasure_that_takes_long_continues_after_the_answer(
    app: RestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    await finished(app)
    monkeypatch.setattr(erasure, "WAIT_SECONDS", 0)
    assert (await app.ask("DELETE", "/v1/players/ann")).json() == {"status": "deleting"}
    monkeypatch.setattr(erasure, "WAIT_SECONDS", 60)
    assert await app.server.erasures.finish(await app.server.store.erasures(9))
    assert "Ann" not in (await app.ask("GET", "/v1/tenant/export")).text


async def test_a_tenant_is_exported_without_secrets(tmp_path: Path) -> None:
    async with open_app(tmp_path, HOOK) as app:
        await finished(app)
        await app.create(key=app.tenant.test_key, mode="test")
        answer = await app.ask("GET", "/v1/tenant/export")
        found = answer.json()
        TenantExport.model_validate(found)
        assert [len(found[name]) for name in ("keys", "sessions", "games")] == [2, 2, 1]
        assert {each["player"] for each in found["ratings"]} <= {"ann", "ben"}
        assert found["games"][0]["players"][0]["name"] in ("Ann", "Ben") and prove(found["games"][0]).is_good
        assert len(found["webhooks"]) == len(await app.deliveries()) > 50
        for secret in (app.tenant.live_key, app.tenant.test_key, app.tenant.webhook_secret):
            assert secret not in answer.text
        other = await app.server.tenants.create("Other")
        empty = (await app.ask("GET", "/v1/tenant/export", key=other.live_key)).json()
        assert [empty[name] for name in ("sessions", "games", "ratings", "webhooks")] == [[], [], [], []]


async def test_a_tenant_deletes_itself_and_its_keys_stop_working_at_once(tmp_path: Path) -> None:
    async with open_app(tmp_path, HOOK) as app:
        await finished(app)
        other = await app.server.tenants.create("Other")
        assert (await app.ask("GET", "/v1/tenant")).status_code == 200  # cached from here on
        answer = await app.ask("DELETE", "/v1/tenant")
        assert (answer.status_code, answer.json()) == (200, {"status": "deleted"})
        for key in (app.tenant.live_key, app.tenant.test_key):
            assert (await app.ask("GET", "/v1/tenant", key=key)).status_code == 401
        assert await app.deliveries() == []
        assert [each.name for each in await app.server.store.tenants()] == ["Other"]
        assert (await app.ask("GET", "/v1/tenant", key=other.live_key)).status_code == 200


@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/tenant/export"), ("DELETE", "/v1/tenant")])
async def test_the_whole_tenant_needs_the_live_key(app: RestApp, method: str, path: str) -> None:
    assert (await app.ask(method, path, key=app.tenant.test_key)).status_code == 403
    assert (await app.ask(method, path, key="")).status_code == 401
