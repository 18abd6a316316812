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
from ludus.service.people import DAY

pytestmark = pytest.mark.anyio

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[RestApp]:
    async with open_app(tmp_path) as app:
        yield app


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
            client.cookies.set(COOKIE, secret)
            assert await me(client) is None


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
