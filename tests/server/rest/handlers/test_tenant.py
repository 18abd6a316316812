"""A tenant's own affairs over REST."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.rest.rest_app import ANN, BEN, HOOK, RestApp, open_app

from ludus.service.ports.writes import PutDelivery

pytestmark = pytest.mark.anyio


async def get(app: RestApp, path: str, key: str | None = None, status: int = 200) -> Any:
    answer = await app.ask("GET", path, key=key)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_a_tenant_sees_its_keys_by_their_beginnings_and_its_usage(app: RestApp) -> None:
    await app.create()
    shown = await get(app, "/v1/tenant")
    assert (shown["name"], shown["kind"], shown["webhookUrl"]) == ("App", "live", None)
    assert shown["usage"] == {"pending": 1, "active": 0, "ended": 0, "lastDay": 1, "isCut": False}
    assert [key["isThis"] for key in sorted(shown["keys"], key=lambda key: key["kind"])] == [True, False]
    assert app.tenant.live_key not in str(shown) and app.tenant.test_key not in str(shown)
    assert (await get(app, "/v1/tenant", app.tenant.test_key))["usage"]["pending"] == 0


async def test_sessions_are_listed_newest_first_and_only_ones_own(app: RestApp) -> None:
    first = await app.create(matchType="private", players=[ANN, BEN])
    app.clock.ms += 1000
    second = await app.create(game="backgammon")
    await app.create(key=app.tenant.test_key, mode="test")
    listed = (await get(app, "/v1/tenant/sessions"))["sessions"]
    assert [each["id"] for each in listed] == [second["sessionId"], first["sessionId"]]
    assert listed[1]["roomCode"] == first["roomCode"] and listed[1]["reason"] is None
    assert len((await get(app, "/v1/tenant/sessions?limit=1"))["sessions"]) == 1
    assert len((await get(app, "/v1/tenant/sessions", app.tenant.test_key))["sessions"]) == 1
    other = await app.server.tenants.create("Other")
    assert (await get(app, "/v1/tenant/sessions", other.live_key))["sessions"] == []
    assert (await get(app, "/v1/tenant/sessions?limit=0", status=400))["code"] == "malformed"


async def test_a_finished_game_is_marked_in_the_list(app: RestApp) -> None:
    made = await app.create(matchType="private", players=[ANN, BEN])
    table = await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])
    (active,) = (await get(app, "/v1/tenant/sessions"))["sessions"]
    assert (active["status"], active["roomId"]) == ("active", table.id)
    await app.play(table)
    (ended,) = (await get(app, "/v1/tenant/sessions"))["sessions"]
    assert ended["status"] == "ended" and ended["reason"] in ("victory", "draw")


async def test_webhooks_are_listed_and_dead_ones_sent_again(tmp_path: Any) -> None:
    async with open_app(tmp_path, HOOK) as app:
        await app.create()
        (delivery,) = (await get(app, "/v1/tenant/deliveries"))["deliveries"]
        assert (delivery["event"], delivery["state"], delivery["url"]) == ("session.created", "waiting", HOOK)
        path = f"/v1/tenant/deliveries/{delivery['id']}/replay"
        assert (await app.ask("POST", path)).status_code == 409
        (stored,) = await app.deliveries()
        tried = stored._replace(state="dead", attempts=1, due=None, problem="status 500")
        await app.server.store.commit(PutDelivery(tried))
        assert (await get(app, "/v1/tenant/deliveries?state=waiting"))["deliveries"] == []
        (dead,) = (await get(app, "/v1/tenant/deliveries?state=dead"))["deliveries"]
        assert (dead["problem"], dead["dueAt"]) == ("status 500", None)
        again = await app.ask("POST", path)
        assert again.status_code == 200 and again.json()["state"] == "waiting"
        assert [each.id for each in await app.deliveries()] == [delivery["id"]]


async def test_webhooks_of_others_are_not_found(tmp_path: Any) -> None:
    async with open_app(tmp_path, HOOK) as app:
        await app.create()
        (delivery,) = await app.deliveries()
        other = await app.server.tenants.create("Other")
        assert (await get(app, "/v1/tenant/deliveries", other.live_key))["deliveries"] == []
        answer = await app.ask("POST", f"/v1/tenant/deliveries/{delivery.id}/replay", key=other.live_key)
        assert answer.status_code == 404


async def test_a_new_key_ends_the_old_one_unless_it_is_kept(app: RestApp) -> None:
    kept = await app.ask("POST", "/v1/tenant/keys", json={"kind": "live", "keep": True})
    assert kept.status_code == 201 and kept.json()["key"].startswith("ludus_live_")
    await get(app, "/v1/tenant")
    made = await app.ask("POST", "/v1/tenant/keys", json={"kind": "live"})
    await get(app, "/v1/tenant", status=401)
    await get(app, "/v1/tenant", kept.json()["key"], status=401)
    await get(app, "/v1/tenant", made.json()["key"])
    assert (await app.ask("POST", "/v1/tenant/keys", key=made.json()["key"], json={"kind": "x"})).status_code == 400


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/tenant/deliveries"), ("POST", "/v1/tenant/deliveries/x/replay"), ("POST", "/v1/tenant/keys")],
)
async def test_a_test_key_cannot_do_what_concerns_live_games(app: RestApp, method: str, path: str) -> None:
    answer = await app.ask(method, path, key=app.tenant.test_key, json={"kind": "test"})
    assert answer.status_code == 403 and answer.json()["code"] == "forbidden"
