"""Every refusal has one form, and what goes wrong inside stays inside."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs
from tests.server.rest.rest_app import ANN, RestApp
from tests.service.faults import read_only, unreachable

from ludus.core.errors import LudusError
from ludus.service.lobby import Stopping

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("method", "path", "status", "code"), [
    ("GET", "/v1/nothing", 404, "not_found"),
    ("GET", "/v1/", 404, "not_found"),
    ("GET", "/v1", 404, "not_found"),
    ("GET", "/nothing", 404, "not_found"),
    ("GET", "/v1/sessions/", 404, "not_found"),
    ("GET", "/v1/sessions/join/now", 404, "not_found"),
    ("DELETE", "/v1/sessions", 405, "method_not_allowed"),
    ("POST", "/v1/rooms", 405, "method_not_allowed"),
    ("TRACE", "/v1/rooms", 405, "method_not_allowed"),
])  # fmt: skip
async def test_what_is_not_there_is_refused_in_the_same_form(
    app: RestApp, method: str, path: str, status: int, code: str
) -> None:
    answer = await app.ask(method, path, key="")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert set(answer.json()) == {"error", "code"}


async def test_a_wrong_method_is_refused_with_the_allowed_ones(app: RestApp) -> None:
    assert (await app.ask("PUT", "/v1/rooms", key="")).headers["Allow"] == "GET"


class Broken:
    """Stands in for a part of the platform that fails."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def __call__(self, *_words: Any, **_more: Any) -> Any:
        raise self._error


@pytest.mark.parametrize("error", [RuntimeError("password=hunter2"), LudusError("hunter2"), KeyError("hunter2")])
async def test_internal_errors_hide_their_cause(
    app: RestApp, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.platform.sessions, "create", Broken(error))
    with capture_logs([merge_contextvars]) as lines:
        answer = await app.ask("POST", "/v1/sessions", json={"game": "checkers", "players": [ANN]})
    assert answer.status_code == 500
    assert answer.json() == {"error": "Something went wrong on our side.", "code": "internal"}
    assert "X-RateLimit-Remaining" in answer.headers
    (line,) = lines
    assert (line["event"], line["path"], line["log_level"]) == ("request failed", "/v1/sessions", "error")
    assert line["request"] == answer.headers["X-Request-Id"]
    assert line["exc_info"]


async def test_every_error_has_its_status(app: RestApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app.platform.sessions, "create", Broken(Stopping("soon")))
    answer = await app.ask("POST", "/v1/sessions", json={"game": "checkers", "players": [ANN]})
    assert (answer.status_code, answer.json()["code"]) == (503, "stopping")


async def test_a_store_that_fails_is_unavailable_for_a_second_or_more(app: RestApp) -> None:
    body = {"game": "checkers", "players": [ANN]}
    for fault in (read_only, unreachable):
        with capture_logs() as lines, fault(app.platform):
            answer = await app.ask("POST", "/v1/sessions", json=body)
        text = "The server can't save anything right now. Try again in a moment."
        assert (answer.status_code, answer.json()) == (503, {"error": text, "code": "unavailable"})
        assert answer.headers["Retry-After"] == "1"
        assert not lines
    assert (await app.ask("POST", "/v1/sessions", json=body)).status_code == 201
