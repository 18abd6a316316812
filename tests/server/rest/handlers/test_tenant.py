"""A tenant's own affairs over REST."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.rest.office import ANN, BEN, HOOK, Office, opened

from ludus.service.ports import PutDelivery

pytestmark = pytest.mark.anyio


async def get(office: Office, path: str, key: str | None = None, status: int = 200) -> Any:
    answer = await office.ask("GET", path, key=key)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_a_tenant_sees_its_keys_by_their_beginnings_and_its_usage(office: Office) -> None:
    await office.create()
    shown = await get(office, "/v1/tenant")
    assert (shown["name"], shown["kind"], shown["webhookUrl"]) == ("App", "live", None)
    assert shown["usage"] == {"pending": 1, "active": 0, "ended": 0, "lastDay": 1, "isCut": False}
    assert [key["isThis"] for key in sorted(shown["keys"], key=lambda key: key["kind"])] == [True, False]
    assert office.tenant.live_key not in str(shown) and office.tenant.test_key not in str(shown)
    assert (await get(office, "/v1/tenant", office.tenant.test_key))["usage"]["pending"] == 0


async def test_sessions_are_listed_newest_first_and_only_ones_own(office: Office) -> None:
    first = await office.create(matchType="private", players=[ANN, BEN])
    office.clock.ms += 1000
    second = await office.create(game="backgammon")
    await office.create(key=office.tenant.test_key, mode="test")
    listed = (await get(office, "/v1/tenant/sessions"))["sessions"]
    assert [each["id"] for each in listed] == [second["sessionId"], first["sessionId"]]
    assert listed[1]["roomCode"] == first["roomCode"] and listed[1]["reason"] is None
    assert len((await get(office, "/v1/tenant/sessions?limit=1"))["sessions"]) == 1
    assert len((await get(office, "/v1/tenant/sessions", office.tenant.test_key))["sessions"]) == 1
    other = await office.server.tenants.create("Other")
    assert (await get(office, "/v1/tenant/sessions", other.live_key))["sessions"] == []
    assert (await get(office, "/v1/tenant/sessions?limit=0", status=400))["code"] == "malformed"


async def test_a_finished_game_is_told_in_the_list(office: Office) -> None:
    made = await office.create(matchType="private", players=[ANN, BEN])
    table = await office.seat(made["sessionToken"], (await office.join(made))["sessionToken"])
    (active,) = (await get(office, "/v1/tenant/sessions"))["sessions"]
    assert (active["status"], active["roomId"]) == ("active", table.id)
    await office.play(table)
    (ended,) = (await get(office, "/v1/tenant/sessions"))["sessions"]
    assert ended["status"] == "ended" and ended["reason"] in ("victory", "draw")


async def test_webhooks_are_listed_and_dead_ones_sent_again(tmp_path: Any) -> None:
    async with opened(tmp_path, HOOK) as office:
        await office.create()
        (letter,) = (await get(office, "/v1/tenant/deliveries"))["deliveries"]
        assert (letter["event"], letter["state"], letter["url"]) == ("session.created", "waiting", HOOK)
        path = f"/v1/tenant/deliveries/{letter['id']}/replay"
        assert (await office.ask("POST", path)).status_code == 409
        (stored,) = await office.letters()
        tried = stored._replace(state="dead", attempts=1, due=None, problem="status 500")
        await office.server.store.commit(PutDelivery(tried))
        assert (await get(office, "/v1/tenant/deliveries?state=waiting"))["deliveries"] == []
        (dead,) = (await get(office, "/v1/tenant/deliveries?state=dead"))["deliveries"]
        assert (dead["problem"], dead["dueAt"]) == ("status 500", None)
        again = await office.ask("POST", path)
        assert again.status_code == 200 and again.json()["state"] == "waiting"
        assert [each.id for each in await office.letters()] == [letter["id"]]


async def test_webhooks_of_others_are_not_found(tmp_path: Any) -> None:
    async with opened(tmp_path, HOOK) as office:
        await office.create()
        (letter,) = await office.letters()
        other = await office.server.tenants.create("Other")
        assert (await get(office, "/v1/tenant/deliveries", other.live_key))["deliveries"] == []
        answer = await office.ask("POST", f"/v1/tenant/deliveries/{letter.id}/replay", key=other.live_key)
        assert answer.status_code == 404


async def test_a_new_key_ends_the_old_one_unless_it_is_kept(office: Office) -> None:
    kept = await office.ask("POST", "/v1/tenant/keys", json={"kind": "live", "keep": True})
    assert kept.status_code == 201 and kept.json()["key"].startswith("ludus_live_")
    await get(office, "/v1/tenant")
    made = await office.ask("POST", "/v1/tenant/keys", json={"kind": "live"})
    await get(office, "/v1/tenant", status=401)
    await get(office, "/v1/tenant", kept.json()["key"], status=401)
    await get(office, "/v1/tenant", made.json()["key"])
    assert (await office.ask("POST", "/v1/tenant/keys", key=made.json()["key"], json={"kind": "x"})).status_code == 400


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/tenant/deliveries"), ("POST", "/v1/tenant/deliveries/x/replay"), ("POST", "/v1/tenant/keys")],
)
async def test_a_test_key_cannot_do_what_concerns_live_games(office: Office, method: str, path: str) -> None:
    answer = await office.ask(method, path, key=office.tenant.test_key, json={"kind": "test"})
    assert answer.status_code == 403 and answer.json()["code"] == "forbidden"
