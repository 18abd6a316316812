"""Who may use which key from where."""

from __future__ import annotations

import pytest

from .house import House, Tenant
from .test_sessions import CHECKERS, error


def test_the_keys_tell_what_they_are(tenant: Tenant) -> None:
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
def test_without_a_valid_key_nothing_goes(house: House, method: str, path: str) -> None:
    assert error(house, method, path, None, 401) == "Missing Authorization header"
    assert error(house, method, path, "ludus_live_nonsense", 401) == "Invalid or inactive API key"


def test_the_test_key_makes_test_sessions_only(house: House, tenant: Tenant) -> None:
    assert house.post("/v1/sessions", tenant.test, {**CHECKERS, "mode": "test"})["mode"] == "test"
    for body in (CHECKERS, {**CHECKERS, "mode": "live"}):
        text = error(house, "POST", "/v1/sessions", tenant.test, 403, json=body)
        assert text == "Test API key cannot create live sessions"
    error(house, "POST", "/v1/sessions", tenant.test, 403, json={**CHECKERS, "mode": "training"})


def test_the_live_key_makes_no_test_sessions(house: House, tenant: Tenant) -> None:
    assert error(house, "POST", "/v1/sessions", tenant.live, 403, json={**CHECKERS, "mode": "test"})


def test_a_key_is_good_for_its_origins(house: House) -> None:
    tenant = house.tenant("site", "--origin", "https://app.example", "--origin", "https://www.example")
    for origin in ("", "https://app.example", "https://www.example"):
        answer = house.request("POST", "/v1/sessions", tenant.live, origin, json=CHECKERS)
        assert answer.status_code in (200, 201), answer.text
    for origin in ("https://evil.example", "http://app.example", "https://app.example.evil.example", "null"):
        text = error(house, "POST", "/v1/sessions", tenant.live, 403, json=CHECKERS, origin=origin)
        assert text == "Origin not allowed for this API key"


def test_a_star_stands_for_every_origin(house: House) -> None:
    tenant = house.tenant("open site", "--origin", "*")
    answer = house.request("POST", "/v1/sessions", tenant.live, "https://anything.example", json=CHECKERS)
    assert answer.status_code in (200, 201), answer.text
