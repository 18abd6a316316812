"""Answers in one form, whatever is asked and whatever goes wrong."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.arena.stage import Stage, on_stage


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
@on_stage
async def test_what_is_not_there_is_told_in_the_same_form(
    stage: Stage, method: str, path: str, status: int, error: str
) -> None:
    answer = await stage.ask(method, path)
    assert (answer.status_code, answer.json()) == (status, {"error": error})
    assert "X-RateLimit-Remaining" in answer.headers


@on_stage
async def test_a_wrong_method_is_told_the_right_ones(stage: Stage) -> None:
    assert (await stage.ask("GET", "/api/matchmaking/queue")).headers["Allow"] == "DELETE, POST"
    assert (await stage.ask("PUT", "/api/agents/me")).headers["Allow"] == "GET, HEAD, PATCH"


@on_stage
async def test_nobody_keeps_an_answer(stage: Stage) -> None:
    match, one, _ = await stage.pair()
    paths = [f"/api/matches/{match}/state", f"/api/matches/{match}", f"/api/matches/{match}/replay.md", "/api/games"]
    for path in [*paths, "/api/nowhere", "/api/guide"]:
        assert (await one.ask("GET", path)).headers["Cache-Control"] == "no-store"


@on_stage
async def test_a_fault_of_ours_is_told_without_its_reason(stage: Stage, monkeypatch: Any, capsys: Any) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("password=hunter2")

    agent = await stage.agent()
    monkeypatch.setattr(stage.arena.matches, "queue", fail)
    answer = await agent.ask("POST", "/api/matchmaking/queue", {"gameId": "checkers"})
    assert (answer.status_code, answer.json()) == (500, {"error": "internal"})
    assert "X-RateLimit-Limit" in answer.headers and "hunter2" not in str(answer.headers)
    assert "hunter2" in capsys.readouterr().out, "it is logged"


@on_stage
async def test_a_body_that_is_too_long_is_refused(stage: Stage) -> None:
    agent = await stage.agent()
    answer = await agent.ask("POST", "/api/matchmaking/queue", b" " * 70_000)
    assert answer.status_code == 413


@on_stage
async def test_a_body_is_json_whatever_it_is_called(stage: Stage) -> None:
    agent = await stage.agent()
    headers = {"Authorization": f"Bearer {agent.key}", "Content-Type": "application/x-www-form-urlencoded"}
    answer = await stage.client.post("/api/matchmaking/queue", content=b'{"gameId": "checkers"}', headers=headers)
    assert answer.json()["status"] == "queued"


@on_stage
async def test_requests_are_measured_by_the_template_of_their_path(stage: Stage) -> None:
    match, one, _ = await stage.pair()
    await one.state(match)
    text = stage.arena.metrics.render()[0].decode()
    assert 'route="/api/matches/{id}/state"' in text and match not in text
