"""Every request is authenticated, counted and answered in one form, whatever goes wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.server.arena.arena_app import HOST, ArenaApp, open_app, with_app, with_strict_app
from tests.service.parts import START, FakeClock
from tests.service.platforms import run_in

NOBODY = "00000000-0000-4000-8000-000000000000"
WITH_KEY = [
    ("GET", f"/api/matches/{NOBODY}/state"),
    ("POST", f"/api/matches/{NOBODY}/action"),
    ("POST", "/api/matchmaking/queue"),
    ("GET", "/api/matchmaking/status"),
    ("DELETE", "/api/matchmaking/queue"),
    ("GET", "/api/agents/me"),
    ("PATCH", "/api/agents/me"),
    ("DELETE", "/api/agents/me"),
    ("GET", "/api/agents/me/export"),
]
COUNTS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


@pytest.mark.parametrize(("method", "path", "status", "error"), [
    ("GET", "/api", 404, "not_found"),
    ("GET", "/api/", 404, "not_found"),
    ("GET", "/api/nowhere", 404, "not_found"),
    ("GET", "/api/games/", 404, "not_found"),
    ("GET", "/api/agents/x/y/z", 404, "not_found"),
    ("POST", "/api/games", 405, "method_not_allowed"),
    ("PUT", "/api/agents/me", 405, "method_not_allowed"),
    ("TRACE", "/api/matchmaking/queue", 405, "method_not_allowed"),
    ("BREW", "/api/guide", 405, "method_not_allowed"),
])  # fmt: skip
@with_app
async def test_unknown_addresses_are_refused_in_the_same_form(
    app: ArenaApp, method: str, path: str, status: int, error: str
) -> None:
    answer = await app.ask(method, path)
    assert (answer.status_code, answer.json()) == (status, {"error": error})
    assert "X-RateLimit-Remaining" in answer.headers


@with_app
async def test_a_wrong_method_is_refused_with_the_allowed_ones(app: ArenaApp) -> None:
    assert (await app.ask("GET", "/api/matchmaking/queue")).headers["Allow"] == "DELETE, POST"
    assert (await app.ask("PUT", "/api/agents/me")).headers["Allow"] == "DELETE, GET, HEAD, PATCH"


@with_app
async def test_responses_are_not_cached(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    paths = [f"/api/matches/{match}/state", f"/api/matches/{match}", f"/api/matches/{match}/replay.md"]
    for path in [*paths, "/api/nowhere", "/api/guide"]:
        assert (await one.ask("GET", path)).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/api/games",
        "/api/games/checkers",
        "/api/games/checkers/rules",
        "/api/games/checkers/validator",
        "/api/matches?gameId=checkers",
        "/api/leaderboard?gameId=checkers",
        "/api/explorer?gameId=checkers",
        "/api/stats",
        "/api/agents/house:easy",
        "/api/agents/house:easy/matches",
        "/api/docs/json",
    ],
)
@with_app
async def test_what_many_ask_for_need_not_be_sent_again(app: ArenaApp, path: str) -> None:
    first = await app.ask("GET", path)
    assert (first.status_code, first.headers["Cache-Control"]) == (200, "no-cache")
    same = await app.ask("GET", path, **{"If-None-Match": first.headers["ETag"]})
    assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", first.headers["ETag"])
    other = await app.ask("GET", path, **{"If-None-Match": '"another"'})
    assert (other.status_code, other.content) == (200, first.content)


@with_app
async def test_an_internal_error_hides_its_cause(app: ArenaApp, monkeypatch: Any, capsys: Any) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("password=hunter2")

    agent = await app.agent()
    monkeypatch.setattr(app.arena.matches, "queue", fail)
    answer = await agent.ask("POST", "/api/matchmaking/queue", {"gameId": "checkers"})
    assert (answer.status_code, answer.json()) == (500, {"error": "internal"})
    assert "X-RateLimit-Limit" in answer.headers and "hunter2" not in str(answer.headers)
    assert "hunter2" in capsys.readouterr().out, "it is logged"


@with_app
async def test_a_body_that_is_too_long_is_refused(app: ArenaApp) -> None:
    agent = await app.agent()
    answer = await agent.ask("POST", "/api/matchmaking/queue", b" " * 70_000)
    assert answer.status_code == 413


@with_app
async def test_a_body_is_json_whatever_it_is_called(app: ArenaApp) -> None:
    agent = await app.agent()
    headers = {"Authorization": f"Bearer {agent.key}", "Content-Type": "application/x-www-form-urlencoded"}
    answer = await app.client.post("/api/matchmaking/queue", content=b'{"gameId": "checkers"}', headers=headers)
    assert answer.json()["status"] == "queued"


@with_app
async def test_requests_are_measured_by_the_template_of_their_path(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    await one.state(match)
    text = app.arena.metrics.render()[0].decode()
    assert 'route="/api/matches/{id}/state"' in text and match not in text


@pytest.mark.parametrize(("method", "path"), WITH_KEY)
@with_app
async def test_without_a_good_key_even_a_broken_body_gets_401(app: ArenaApp, method: str, path: str) -> None:
    for key in ("", "ludus_agent_wrong", "x" * 5000):
        answer = await app.ask(method, path, b"{", key=key)
        assert (answer.status_code, answer.json()) == (401, {"error": "unauthorized"})
        assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic {key}", "{key}", "Bearer {key}x", "Bearer é"])
@with_app
async def test_another_kind_of_authorization_is_no_key(app: ArenaApp, header: str) -> None:
    agent = await app.agent()
    raw = {b"Authorization": header.format(key=agent.key).encode("latin-1")}
    answer = await app.client.get("/api/agents/me", headers=raw)
    assert answer.status_code == 401


@with_app
async def test_the_scheme_is_known_in_any_case(app: ArenaApp) -> None:
    agent = await app.agent()
    for scheme in ("bearer", "BEARER"):
        answer = await app.ask("GET", "/api/agents/me", Authorization=f"{scheme} {agent.key}")
        assert answer.json()["id"] == agent.id


@with_strict_app
async def test_every_answer_tells_how_many_requests_are_left(app: ArenaApp) -> None:
    agent = await app.agent()
    for left in (4, 3, 2, 1, 0):
        answer = await agent.ask("GET", "/api/agents/me" if left else "/api/matches/x/state")
        assert answer.status_code == (200 if left else 404)
        reset = str(START // 1000 + 60)
        assert [answer.headers[name] for name in COUNTS] == ["5", str(left), reset]
    answer = await agent.ask("GET", "/api/agents/me")
    assert (answer.status_code, answer.json()) == (429, {"error": "rate_limited"})
    assert answer.headers["Retry-After"] == "60"
    app.clock.wait(60)
    assert (await agent.ask("GET", "/api/agents/me")).status_code == 200


@with_strict_app
async def test_agents_are_counted_apart_and_others_by_address(app: ArenaApp) -> None:
    one, two = await app.agent(), await app.agent()
    for _ in range(5):
        await one.ask("GET", "/api/agents/me")
    assert (await two.ask("GET", "/api/agents/me")).status_code == 200
    for _ in range(3):  # two requests were registrations
        assert (await app.ask("GET", "/api/games")).status_code == 200
    assert (await app.ask("GET", "/api/games")).status_code == 429
    assert (await app.ask("GET", "/api/agents/me", key="wrong")).status_code == 429
    assert (await two.ask("GET", "/api/agents/me")).status_code == 200


@with_strict_app
async def test_a_name_that_is_taken_uses_up_no_registration(app: ArenaApp) -> None:
    await app.agent("Ada")
    for _ in range(2):
        assert (await app.ask("POST", "/api/agents", {"name": "Ada"})).status_code == 409
    for name, status in (("Bob", 201), ("Cid", 201)):
        assert (await app.ask("POST", "/api/agents", {"name": name})).status_code == status
    app.clock.wait(60)
    assert (await app.ask("POST", "/api/agents", {"name": "Dee"})).status_code == 429


@with_strict_app
async def test_guessing_keys_is_counted(app: ArenaApp) -> None:
    statuses = [(await app.ask("GET", "/api/agents/me", key=f"ludus_agent_{n}")).status_code for n in range(7)]
    assert statuses == [401] * 5 + [429] * 2


@with_strict_app
async def test_asking_for_what_is_not_there_is_counted(app: ArenaApp) -> None:
    statuses = [(await app.ask("GET", "/api/nowhere")).status_code for _ in range(7)]
    assert statuses == [404] * 5 + [429] * 2


def in_public(folder: Path, clock: FakeClock) -> object:
    return open_app(folder, clock, public_url="https://ludus.example")


@run_in(in_public)  # type: ignore[arg-type]  # it is a place
async def test_all_links_begin_with_the_public_url(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    end = (await one.act(match, 1, {"type": "resign"})).json()["state"]
    assert end["replayUrl"] == f"https://ludus.example/api/matches/{match}"
    assert one.registration["claim_url"].startswith("https://ludus.example/claim?agent=")
    assert HOST not in (await app.ask("GET", "/api/guide")).text
