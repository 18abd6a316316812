"""Who a request comes from, and what people can change about themselves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.server.rest.rest_app import ADDRESS, RestApp, open_app

from ludus.server.web.people import COOKIE, COOKIE_SECONDS
from ludus.service.export import Exports
from ludus.service.people import CODE_MS, DAY
from ludus.service.player_keys import person_key
from ludus.service.ports.writes import PutRating, PutTenant
from ludus.service.ratings import fresh
from ludus.service.records import Tenant
from ludus.service.sessions import PAGE_TENANT, NewSession
from ludus.service.table import Table

pytestmark = pytest.mark.anyio

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1"


@asynccontextmanager
async def browser(
    app: RestApp, base_url: str = "http://ludus", address: str = ADDRESS, **headers: str
) -> AsyncIterator[httpx2.AsyncClient]:
    """Has cookies of its own."""
    transport = httpx2.ASGITransport(app.server, raise_app_exceptions=False, client=(address, 1))
    sent = {"User-Agent": FIREFOX, "Origin": base_url, **headers}
    async with httpx2.AsyncClient(transport=transport, base_url=base_url, headers=sent) as client:
        yield client


async def change(client: httpx2.AsyncClient, status: int = 200, **fields: Any) -> Any:
    answer = await client.patch("/web/me", json=fields)
    assert answer.status_code == status, answer.text
    return answer.json()["person"] if status == 200 else answer.json()


async def ask(client: httpx2.AsyncClient, path: str, body: Any = None, status: int = 200, method: str = "POST") -> Any:
    answer = await client.request(method, path, json=body or {} if method == "POST" else None)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


async def me(client: httpx2.AsyncClient) -> Any:
    answer = await client.get("/web/me")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    return answer.json()["person"]


async def test_looking_makes_nobody(app: RestApp) -> None:
    async with browser(app) as client:
        answer = await client.get("/web/me")
        assert answer.json() == {"person": None}
        assert "set-cookie" not in answer.headers


async def test_the_first_change_makes_a_person_who_stays(app: RestApp) -> None:
    async with browser(app) as client:
        made = await change(client, name="  Ann ", color="teal", preferences={"sound": False, "boardTheme": "wood"})
        assert (made["name"], made["color"], made["devices"], made["passkeys"]) == ("Ann", "teal", 1, 0)
        assert made["preferences"] == {"sound": False, "boardTheme": "wood"}
        assert await me(client) == made
        later = await change(client, preferences={"sound": True})
        assert later == {**made, "preferences": {"sound": True, "boardTheme": "wood"}}
    async with browser(app) as stranger:
        assert await me(stranger) is None


async def test_the_cookie_is_for_this_server_and_no_script(app: RestApp) -> None:
    async with browser(app) as client:
        answer = await client.patch("/web/me", json={})
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(f"{COOKIE}=")
        assert {"HttpOnly", f"Max-Age={COOKIE_SECONDS}", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
        assert "Secure" not in cookie
        assert "set-cookie" not in (await client.patch("/web/me", json={})).headers
    async with browser(app, "https://ludus") as client:
        assert "Secure" in (await client.patch("/web/me", json={})).headers["set-cookie"].split("; ")


async def test_the_cookie_of_a_mounted_server_stays_under_its_path(tmp_path: Path) -> None:
    async with open_app(tmp_path, public_url="https://ludus/games") as app, browser(app) as client:
        cookie = (await client.patch("/games/web/me", json={})).headers["set-cookie"]
        assert "Path=/games" in cookie.split("; ")


async def test_the_cookie_is_renewed_once_a_day(app: RestApp) -> None:
    async with browser(app) as client:
        await change(client)
        assert "set-cookie" not in (await client.get("/web/me")).headers
        app.clock.ms += DAY
        assert "set-cookie" in (await client.get("/web/me")).headers
        assert "set-cookie" not in (await client.get("/web/me")).headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://ludus:8000"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://behind.proxy.example"}, 200),
        ({}, 200),
    ],
)
async def test_no_other_page_can_act_with_the_cookie(app: RestApp, headers: dict[str, str], status: int) -> None:
    async with browser(app) as client:
        await change(client, name="Ann")
        answer = await client.patch("/web/me", json={"name": "Eve"}, headers=headers)
        assert answer.status_code == status
        assert (await me(client))["name"] == ("Eve" if status == 200 else "Ann")


async def test_a_form_of_another_page_is_no_json(app: RestApp) -> None:
    async with browser(app) as client:
        for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
            answer = await client.patch("/web/me", content=b'{"name": "Eve"}', headers={"Content-Type": kind})
            assert (answer.status_code, answer.json()["code"]) == (400, "malformed")


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "  "},
        {"name": "\u202e"},
        {"name": "x" * 41},
        {"color": "#00ff00"},
        {"preferences": {"sound": 1}},
        {"preferences": {"sounds": True}},
        {"preferences": {"boardTheme": "x" * 40}},
        {"preferences": {"theme": "sepia"}},
        {"id": "other"},
    ],
)
async def test_what_is_out_of_bounds_is_refused_and_makes_nobody(app: RestApp, fields: dict[str, Any]) -> None:
    async with browser(app) as client:
        assert (await change(client, 400, **fields))["code"] == "invalid_input"
        assert await me(client) is None


async def test_a_stolen_or_invented_cookie_is_nobody_s(app: RestApp) -> None:
    async with browser(app) as client:
        for secret in ("", "x", "x" * 5000, "%00"):
            answer = await client.get("/web/me", headers={"Cookie": f"{COOKIE}={secret}"})
            assert answer.json() == {"person": None}
            assert "Max-Age=0" in answer.headers["set-cookie"]


async def test_one_address_cannot_make_people_without_end(tmp_path: Path) -> None:
    async with open_app(tmp_path, guest_games=2) as app:
        for status in (200, 200, 429):
            async with browser(app) as client:
                await change(client, status)
        async with browser(app, address="203.0.113.8") as client:
            await change(client)
        app.clock.ms += 3_600_000
        async with browser(app) as client:
            await change(client)


async def test_a_server_without_guests_makes_no_people(tmp_path: Path) -> None:
    async with open_app(tmp_path, guests=False) as app, browser(app) as client:
        assert (await change(client, 401))["code"] == "unauthorized"


async def test_ratings_are_shown(app: RestApp) -> None:
    async with browser(app) as client:
        made = await change(client)
        new = fresh(person_key(made["id"]), "checkers", app.clock.ms)._replace(games=1, rating=1512.6)
        await app.platform.store.commit(PutRating(new))
        (shown,) = (await me(client))["ratings"]
        assert shown == {"game": "checkers", "rating": 1513, "deviation": 350, "games": 1, "provisional": True}


async def test_a_code_makes_another_browser_the_same_person(app: RestApp) -> None:
    async with browser(app) as laptop, browser(app, **{"User-Agent": SAFARI}) as phone:
        ann = await change(laptop, name="Ann")
        made = await ask(laptop, "/web/me/codes", status=201)
        assert made["expiresAt"] == "2023-11-14T22:23:20.000Z"
        answer = await phone.post("/web/me/devices", json={"code": f"{made['code'][:4]}-{made['code'][4:].lower()} "})
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert answer.json()["person"] == {**ann, "devices": 2} == await me(phone)
        devices = (await ask(phone, "/web/me/devices", method="GET"))["devices"]
        assert {(each["label"], each["isThis"]) for each in devices} == {
            ("Firefox on Linux", False),
            ("Safari on iPhone", True),
        }
        await ask(phone, "/web/me/devices", {"code": made["code"]}, 403)


@pytest.mark.parametrize("code", ["", "ABCDEFGH", "x" * 21, "\0", "ÄÖÜ", 5, None])
async def test_a_wrong_code_makes_nobody(app: RestApp, code: Any) -> None:
    async with browser(app) as client:
        answer = await client.post("/web/me/devices", json={"code": code})
        assert answer.status_code in (400, 403)
        assert answer.json()["code"] in ("invalid_input", "wrong_code")
        assert await me(client) is None


async def test_codes_expire_and_need_a_person(app: RestApp) -> None:
    async with browser(app) as client, browser(app) as other:
        await ask(client, "/web/me/codes", status=401)
        await change(client)
        made = await ask(client, "/web/me/codes", status=201)
        app.clock.ms += CODE_MS
        assert (await ask(other, "/web/me/devices", made | {"expiresAt": ""}, 400))["code"] == "invalid_input"
        assert (await ask(other, "/web/me/devices", {"code": made["code"]}, 403))["code"] == "wrong_code"


async def test_codes_cannot_be_guessed_from_one_address(tmp_path: Path) -> None:
    async with open_app(tmp_path, sign_ins=3) as app, browser(app) as ann, browser(app) as eve:
        await change(ann)
        code = (await ask(ann, "/web/me/codes", status=201))["code"]
        for status in (403, 403, 429, 429):
            await ask(eve, "/web/me/devices", {"code": "ABCDEFGH"}, status)
        for path in ("/web/me/codes", "/web/passkeys/options", "/web/passkeys/login/options", "/web/passkeys/login"):
            await ask(ann, path, status=429)
        async with browser(app, address="203.0.113.9") as elsewhere:
            await ask(elsewhere, "/web/me/devices", {"code": code})


async def test_a_browser_that_uses_a_code_is_no_longer_who_it_was(app: RestApp) -> None:
    async with browser(app) as laptop, browser(app) as phone:
        await change(laptop, name="Ann")
        before = await change(phone, name="Somebody")
        code = (await ask(laptop, "/web/me/codes", status=201))["code"]
        assert (await ask(phone, "/web/me/devices", {"code": code}))["person"]["name"] == "Ann"
        assert await app.platform.store.person(before["id"]) is None  # never played


async def test_a_device_can_be_removed_from_any_other(app: RestApp) -> None:
    async with browser(app) as laptop, browser(app) as phone, browser(app) as stranger:
        await change(laptop, name="Ann")
        code = (await ask(laptop, "/web/me/codes", status=201))["code"]
        await ask(phone, "/web/me/devices", {"code": code})
        devices = (await ask(laptop, "/web/me/devices", method="GET"))["devices"]
        own, other = (next(each["id"] for each in devices if each["isThis"] == is_this) for is_this in (True, False))
        await ask(stranger, f"/web/me/devices/{other}", method="DELETE", status=401)
        await change(stranger)
        await ask(stranger, f"/web/me/devices/{other}", method="DELETE", status=404)
        await ask(laptop, f"/web/me/devices/{other}", method="DELETE", status=204)
        assert await me(phone) is None
        answer = await laptop.delete(f"/web/me/devices/{own}")
        assert "Max-Age=0" in answer.headers["set-cookie"]
        assert COOKIE not in laptop.cookies
        await ask(laptop, "/web/me/devices", method="GET", status=401)


async def seated(app: RestApp, *people: dict[str, Any], mode: str = "live", match_type: str = "private") -> Table:
    """A game of the page between these people, or of one against a bot."""
    players = tuple({"id": each["id"], "displayName": each["name"]} for each in people)
    await app.platform.store.commit(PutTenant(Tenant(PAGE_TENANT, "The page itself", 0)))
    wanted = NewSession(PAGE_TENANT, "checkers", mode, match_type, players[:1], "easy", True, None)
    one = await app.platform.sessions.create(wanted)
    if match_type == "bot":
        return await app.seat(one.token)
    two = await app.platform.sessions.join(PAGE_TENANT, "checkers", one.session.room_code or "", players[1])
    return await app.seat(one.token, two.token)


async def test_everything_about_a_person_can_be_downloaded(app: RestApp) -> None:
    async with browser(app) as client, browser(app) as other:
        await ask(client, "/web/me/export", method="GET", status=401)
        ann, ben = await change(client, name="Ann"), await change(other, name="Ben Quartz")
        table = await app.play(await seated(app, ann, ben))
        answer = await client.get("/web/me/export")
        assert answer.headers["content-disposition"] == 'attachment; filename="ludus-person.json"'
        found = answer.json()
        assert (found["kind"], found["person"]["name"], len(found["devices"])) == ("person", "Ann", 1)
        (game,) = found["games"]
        assert (game["table"], len(game["moves"])) == (table.id, table.moves)
        assert [each["id"] for each in found["sessions"]] == [table.seats[0].session]
        assert ann["id"] in answer.text
        by_operator = await Exports(app.platform.store, lambda: app.clock.ms).player(PAGE_TENANT, ann["id"], ("live",))
        assert b"".join([part async for part in by_operator]) == answer.content
        assert not any(text in answer.text for text in (ben["id"], "Ben Quartz", *client.cookies.values()))


async def test_a_deleted_person_leaves_a_pseudonym_and_no_live_game(app: RestApp) -> None:
    async with browser(app) as client, browser(app) as other, browser(app) as phone:
        ann, ben = await change(client, name="Ann"), await change(other, name="Ben")
        await ask(phone, "/web/me/devices", {"code": (await ask(client, "/web/me/codes", status=201))["code"]})
        over, live = await app.play(await seated(app, ann, ben)), await seated(app, ann, ben)
        against_bot = await seated(app, ann, mode="training", match_type="bot")
        answer = await client.delete("/web/me")
        assert answer.json() == {"status": "deleted"}
        assert COOKIE not in client.cookies
        for each in (client, phone):
            assert await me(each) is None
        for id in (over.id, live.id, against_bot.id):
            table = (await app.platform.tables.load(id)).table
            assert table.outcome is not None
            assert "Deleted player" in [seat.name for seat in table.seats]
        ended = (await app.platform.tables.load(live.id)).table
        assert ended.outcome is not None and ended.seats[ended.outcome.winner or 0].id == ben["id"]
        assert await app.platform.store.tables_of(person_key(ann["id"]), 9) == []
        assert len(await app.platform.store.tables_of(person_key(ben["id"]), 9)) == 2
        await ask(client, "/web/me", method="DELETE", status=401)


async def test_a_person_can_be_deleted_as_a_player_of_the_pages_tenant(app: RestApp) -> None:
    async with browser(app) as client:
        ann = await change(client, name="Ann")
        erasures = app.server.erasures
        assert await erasures.finish(await erasures.request_player(PAGE_TENANT, ann["id"], ("live", "training")))
        assert await me(client) is None


async def test_people_who_stay_away_are_deleted_if_the_operator_wants_it(tmp_path: Path) -> None:
    async with open_app(tmp_path, retention_people_days=3) as app, browser(app) as away, browser(app) as here:
        ann, ben = await change(away, name="Ann"), await change(here, name="Ben")
        table = await app.play(await seated(app, ann, ben))
        found = []
        for _ in range(3):
            app.clock.ms += DAY
            assert (await me(here))["id"] == ben["id"]
            await app.server.retention.delete_old()
            found.append(await app.platform.store.person(ann["id"]) is not None)
        assert found == [True, True, False]
        assert await me(away) is None
        assert "Deleted player" in [seat.name for seat in (await app.platform.tables.load(table.id)).table.seats]
