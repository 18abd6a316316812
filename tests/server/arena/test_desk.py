"""Who is let in, who is counted, and under which address we answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.arena.stage import HOST, Stage, on_a_strict_stage, on_stage, open_stage
from tests.service.parts import START, FakeClock
from tests.service.platforms import happening_in

from ludus.server.arena.desk import Desk
from ludus.server.settings import Settings

NOBODY = "00000000-0000-4000-8000-000000000000"
WITH_KEY = [
    ("GET", f"/api/matches/{NOBODY}/state"),
    ("POST", f"/api/matches/{NOBODY}/action"),
    ("POST", "/api/matchmaking/queue"),
    ("GET", "/api/matchmaking/status"),
    ("DELETE", "/api/matchmaking/queue"),
    ("GET", "/api/agents/me"),
    ("PATCH", "/api/agents/me"),
]
COUNTS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


def desk(public_url: str = "") -> Desk:
    return Desk(None, Settings(public_url=public_url), lambda: 0.0)  # type: ignore[arg-type]  # nobody asks for agents


@pytest.mark.parametrize(("method", "path"), WITH_KEY)
@on_stage
async def test_without_a_good_key_even_a_broken_body_gets_401(stage: Stage, method: str, path: str) -> None:
    for key in ("", "ludus_agent_wrong", "x" * 5000):
        answer = await stage.ask(method, path, b"{", key=key)
        assert (answer.status_code, answer.json()) == (401, {"error": "unauthorized"})
        assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic {key}", "{key}", "Bearer {key}x", "Bearer é"])
@on_stage
async def test_another_kind_of_authorization_is_no_key(stage: Stage, header: str) -> None:
    agent = await stage.agent()
    raw = {b"Authorization": header.format(key=agent.key).encode("latin-1")}
    answer = await stage.client.get("/api/agents/me", headers=raw)
    assert answer.status_code == 401


@on_stage
async def test_the_scheme_is_known_in_any_case(stage: Stage) -> None:
    agent = await stage.agent()
    for scheme in ("bearer", "BEARER"):
        answer = await stage.ask("GET", "/api/agents/me", Authorization=f"{scheme} {agent.key}")
        assert answer.json()["id"] == agent.id


@on_a_strict_stage
async def test_every_answer_tells_how_many_requests_are_left(stage: Stage) -> None:
    agent = await stage.agent()
    for left in (4, 3, 2, 1, 0):
        answer = await agent.ask("GET", "/api/agents/me" if left else "/api/matches/x/state")
        assert answer.status_code == (200 if left else 404)
        reset = str(START // 1000 + 60)
        assert [answer.headers[name] for name in COUNTS] == ["5", str(left), reset]
    answer = await agent.ask("GET", "/api/agents/me")
    assert (answer.status_code, answer.json()) == (429, {"error": "rate_limited"})
    assert answer.headers["Retry-After"] == "60"
    stage.clock.wait(60)
    assert (await agent.ask("GET", "/api/agents/me")).status_code == 200


@on_a_strict_stage
async def test_agents_are_counted_apart_and_others_by_address(stage: Stage) -> None:
    one, two = await stage.agent(), await stage.agent()
    for _ in range(5):
        await one.ask("GET", "/api/agents/me")
    assert (await two.ask("GET", "/api/agents/me")).status_code == 200
    for _ in range(3):  # two requests were registrations
        assert (await stage.ask("GET", "/api/games")).status_code == 200
    assert (await stage.ask("GET", "/api/games")).status_code == 429
    assert (await stage.ask("GET", "/api/agents/me", key="wrong")).status_code == 429
    assert (await two.ask("GET", "/api/agents/me")).status_code == 200


@on_a_strict_stage
async def test_a_name_that_is_taken_uses_up_no_registration(stage: Stage) -> None:
    await stage.agent("Ada")
    for _ in range(2):
        assert (await stage.ask("POST", "/api/agents", {"name": "Ada"})).status_code == 409
    for name, status in (("Bob", 201), ("Cid", 201)):
        assert (await stage.ask("POST", "/api/agents", {"name": name})).status_code == status
    stage.clock.wait(60)
    assert (await stage.ask("POST", "/api/agents", {"name": "Dee"})).status_code == 429


@on_a_strict_stage
async def test_guessing_keys_is_counted(stage: Stage) -> None:
    statuses = [(await stage.ask("GET", "/api/agents/me", key=f"ludus_agent_{n}")).status_code for n in range(7)]
    assert statuses == [401] * 5 + [429] * 2


@on_a_strict_stage
async def test_asking_for_what_is_not_there_is_counted(stage: Stage) -> None:
    statuses = [(await stage.ask("GET", "/api/nowhere")).status_code for _ in range(7)]
    assert statuses == [404] * 5 + [429] * 2


@pytest.mark.parametrize(("scheme", "host", "base"), [
    ("http", "arena.example", "http://arena.example"),
    ("https", "arena.example:8443", "https://arena.example:8443"),
    ("ws", "127.0.0.1:8000", "http://127.0.0.1:8000"),
    ("wss", "[::1]:8000", "https://[::1]:8000"),
    ("http", "", ""),
    ("http", "evil.example/x", ""),
    ("http", "user@evil.example", ""),
    ("http", 'x" onload="', ""),
    ("gopher", "arena.example", ""),
])  # fmt: skip
def test_links_begin_with_the_host_that_was_asked_if_it_is_one(scheme: str, host: str, base: str) -> None:
    assert desk().base(scheme, {"host": host}) == base


def test_a_public_url_goes_before_the_host() -> None:
    assert desk("https://ludus.example").base("http", {"host": "10.0.0.7:8000"}) == "https://ludus.example"
    assert desk("https://ludus.example").base("http", {}) == "https://ludus.example"


def in_public(folder: Path, clock: FakeClock) -> object:
    return open_stage(folder, clock, public_url="https://ludus.example")


@happening_in(in_public)  # type: ignore[arg-type]  # it is a place
async def test_all_links_begin_with_the_public_url(stage: Stage) -> None:
    match, one, _ = await stage.pair()
    end = (await one.act(match, 1, {"type": "resign"})).json()["state"]
    assert end["replayUrl"] == f"https://ludus.example/api/matches/{match}"
    assert one.told["claim_url"].startswith("https://ludus.example/claim?agent=")
    assert HOST not in (await stage.ask("GET", "/api/guide")).text
