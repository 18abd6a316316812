"""Who gets in: keys, origins and counts, all before the body is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.rest.rest_app import ANN, NOW, RestApp, open_app

pytestmark = pytest.mark.anyio

WITH_KEY = [
    ("POST", "/v1/sessions"),
    ("POST", "/v1/sessions/join"),
    ("GET", "/v1/sessions/00000000-0000-4000-8000-000000000000"),
    ("GET", "/v1/sessions/00000000-0000-4000-8000-000000000000/proof"),
]
CHECKERS = {"game": "checkers", "players": [ANN]}


@pytest.mark.parametrize(("method", "path"), WITH_KEY)
async def test_without_a_good_key_even_a_broken_body_gets_401(app: RestApp, method: str, path: str) -> None:
    for key, text in (("", "Missing Authorization header"), ("ludus_live_x", "Invalid or inactive API key")):
        answer = await app.ask(method, path, key=key, content=b"{")
        assert answer.status_code == 401
        assert answer.json() == {"error": text, "code": "unauthorized"}
        assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "header", ["", "Basic abc", "Bearer", "Bearer ", "ludus_live_x", "Bearer é", "Bearer " + "x" * 9000]
)
async def test_another_kind_of_authorization_is_no_key(app: RestApp, header: str) -> None:
    headers = {b"Authorization": header.encode("latin-1")}
    answer = await app.client.request("POST", "/v1/sessions", headers=headers, json=CHECKERS)
    assert (answer.status_code, answer.json()["error"]) == (401, "Invalid or inactive API key")


async def test_the_scheme_of_the_key_is_known_in_any_case(app: RestApp) -> None:
    headers = {"Authorization": f"bEARER {app.tenant.live_key}"}
    assert (await app.client.request("POST", "/v1/sessions", headers=headers, json=CHECKERS)).status_code == 201


async def test_a_revoked_key_opens_nothing(app: RestApp) -> None:
    await app.create()
    await app.server.tenants.revoke(app.tenant.live_key)
    answer = await app.ask("POST", "/v1/sessions", json=CHECKERS)
    assert (answer.status_code, answer.json()["error"]) == (401, "Invalid or inactive API key")


async def test_public_addresses_need_no_key(app: RestApp) -> None:
    made = await app.create()
    paths = ("/v1/rooms?game=checkers", f"/v1/sessions/validate?token={made['sessionToken']}")
    assert [(await app.ask("GET", path, key="")).status_code for path in paths] == [200, 200]


async def test_a_key_is_counted_down_on_every_answer_good_or_bad(tmp_path: Path) -> None:
    async with open_app(tmp_path, rate_limit=3) as app:
        bodies = [CHECKERS, {}, CHECKERS, CHECKERS]
        answers = [await app.ask("POST", "/v1/sessions", json=body) for body in bodies]
        assert [answer.status_code for answer in answers] == [201, 400, 201, 429]
        assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["2", "1", "0", "0"]
        assert {answer.headers["X-RateLimit-Limit"] for answer in answers} == {"3"}
        assert {answer.headers["X-RateLimit-Reset"] for answer in answers} == {str(NOW // 1000 + 60)}
        assert "Retry-After" not in answers[2].headers
        assert answers[3].headers["Retry-After"] == "60"
        assert answers[3].json() == {"error": "Too many requests; try again in 60 s", "code": "too_fast"}


async def test_the_count_starts_again_after_a_minute(tmp_path: Path) -> None:
    async with open_app(tmp_path, rate_limit=1) as app:
        for wait, status in ((0, 201), (59_999, 429), (1, 201)):
            app.clock.ms += wait
            assert (await app.ask("POST", "/v1/sessions", json=CHECKERS)).status_code == status


async def test_keys_and_strangers_are_counted_apart(tmp_path: Path) -> None:
    async with open_app(tmp_path, rate_limit=2) as app:
        other = await app.server.tenants.create("Other")
        for key in (app.tenant.live_key, app.tenant.test_key, other.live_key, ""):
            path = "/v1/rooms?game=checkers" if not key else "/v1/sessions/join"
            method = "POST" if key else "GET"
            answers = [await app.ask(method, path, key=key, content=b"") for _ in range(3)]
            assert [answer.status_code == 429 for answer in answers] == [False, False, True]


async def test_bad_keys_and_unknown_addresses_use_up_the_senders_count(tmp_path: Path) -> None:
    async with open_app(tmp_path, rate_limit=4) as app:
        answers = [
            await app.ask("POST", "/v1/sessions", key="ludus_live_x", json=CHECKERS),
            await app.ask("POST", "/v1/sessions", key="", json=CHECKERS),
            await app.ask("GET", "/v1/nothing", key=""),
            await app.ask("DELETE", "/v1/rooms", key=""),
            await app.ask("POST", "/v1/sessions", key="ludus_live_y", json=CHECKERS),
        ]
        assert [answer.status_code for answer in answers] == [401, 401, 404, 405, 429]
        assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["3", "2", "1", "0", "0"]
        assert await app.create()


async def test_a_page_may_use_a_key_of_its_origin_only(app: RestApp) -> None:
    key = (await app.server.tenants.create("Site", None, ["https://app.example"])).live_key
    good = await app.ask("POST", "/v1/sessions", key=key, origin="https://app.example", json=CHECKERS)
    assert good.status_code == 201
    assert good.headers["Access-Control-Allow-Origin"] == "https://app.example"
    for origin in ("https://evil.example", "http://app.example", "null"):
        answer = await app.ask("POST", "/v1/sessions", key=key, origin=origin, content=b"{")
        assert answer.status_code == 403
        assert answer.json() == {"error": "Origin not allowed for this API key", "code": "forbidden"}
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert "X-RateLimit-Remaining" in answer.headers


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_our_own_page_may_use_a_key_of_any_origin(app: RestApp, scheme: str) -> None:
    """The dashboard's own requests say where it comes from; a proxy may have taken the encryption off."""
    key = (await app.server.tenants.create("Site", None, ["https://app.example"])).live_key
    host = app.client.base_url.netloc.decode()
    answer = await app.ask("POST", "/v1/sessions", key=key, origin=f"{scheme}://{host}", json=CHECKERS)
    assert answer.status_code == 201
    near = await app.ask("POST", "/v1/sessions", key=key, origin=f"{scheme}://{host}.example", json=CHECKERS)
    assert near.status_code == 403


async def test_what_is_public_may_be_read_by_any_page(app: RestApp) -> None:
    answer = await app.ask("GET", "/v1/rooms?game=checkers", key="", origin="https://anything.example")
    assert answer.headers["Access-Control-Allow-Origin"] == "https://anything.example"
    assert "Origin" in answer.headers["Vary"]


async def test_a_page_without_a_key_reads_nothing(app: RestApp) -> None:
    answer = await app.ask("POST", "/v1/sessions", key="", origin="https://app.example", json=CHECKERS)
    assert answer.status_code == 401
    assert "Access-Control-Allow-Origin" not in answer.headers
