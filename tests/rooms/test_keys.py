"""API keys: modes and origins."""

from __future__ import annotations

import pytest

from ..server_process import ServerProcess, Tenant
from .test_sessions import CHECKERS, error


def test_keys_show_their_kind(tenant: Tenant) -> None:
    assert "_live_" in tenant.live
    assert "_test_" in tenant.test


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/sessions"),
        ("POST", "/v1/sessions/join"),
        ("GET", "/v1/sessions/00000000-0000-4000-8000-000000000000?game=checkers"),
    ],
)
def test_a_valid_key_is_required(server: ServerProcess, method: str, path: str) -> None:
    assert error(server, method, path, None, 401) == "Missing Authorization header"
    assert error(server, method, path, "ludus_live_nonsense", 401) == "Invalid or inactive API key"


def test_the_test_key_creates_test_sessions_only(server: ServerProcess, tenant: Tenant) -> None:
    assert server.post("/v1/sessions", tenant.test, {**CHECKERS, "mode": "test"})["mode"] == "test"
    for body in (CHECKERS, {**CHECKERS, "mode": "live"}):
        text = error(server, "POST", "/v1/sessions", tenant.test, 403, json=body)
        assert text == "Test API key cannot create live sessions"
    error(server, "POST", "/v1/sessions", tenant.test, 403, json={**CHECKERS, "mode": "training"})


def test_the_live_key_creates_no_test_sessions(server: ServerProcess, tenant: Tenant) -> None:
    assert error(server, "POST", "/v1/sessions", tenant.live, 403, json={**CHECKERS, "mode": "test"})


def test_a_key_is_valid_for_its_origins(server: ServerProcess) -> None:
    tenant = server.tenant("site", origins=["https://app.example", "https://www.example"])
    for origin in ("", "https://app.example", "https://www.example"):
        answer = server.request("POST", "/v1/sessions", tenant.live, origin, json=CHECKERS)
        assert answer.status_code in (200, 201), answer.text
    for origin in ("https://evil.example", "http://app.example", "https://app.example.evil.example", "null"):
        text = error(server, "POST", "/v1/sessions", tenant.live, 403, json=CHECKERS, origin=origin)
        assert text == "Origin not allowed for this API key"


def test_a_star_allows_every_origin(server: ServerProcess) -> None:
    tenant = server.tenant("open site", origins=["*"])
    answer = server.request("POST", "/v1/sessions", tenant.live, "https://anything.example", json=CHECKERS)
    assert answer.status_code in (200, 201), answer.text
