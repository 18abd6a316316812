"""A tenant sees and does only what is its own, and calls only where anybody could."""

from __future__ import annotations

import httpx2
import pytest

from ..rooms.house import House, Tenant
from .line import Line
from .test_identity import ANN, EVE, session

BEN = {"id": "ben", "displayName": "Ben"}


def test_another_tenants_session_is_as_good_as_none(guarded_house: House, tenant: Tenant, neighbour: Tenant) -> None:
    made = session(guarded_house, tenant.live, matchType="private")
    for path in (f"/v1/sessions/{made['sessionId']}", f"/v1/sessions/{made['sessionId']}/proof"):
        unknown = guarded_house.request("GET", path.replace(made["sessionId"][:8], "00000000"), neighbour.live)
        for key in (neighbour.live, neighbour.test, tenant.test):
            answer = guarded_house.request("GET", path, key)
            assert (answer.status_code, answer.json()) == (404, unknown.json())
    friend = {"roomCode": made["roomCode"], "game": "checkers", "player": EVE}
    for key in (neighbour.live, neighbour.test, tenant.test):
        assert guarded_house.request("POST", "/v1/sessions/join", key, json=friend).status_code == 404
    assert guarded_house.get(f"/v1/sessions/{made['sessionId']}", tenant.live)["players"] == [ANN]


def test_each_kind_of_key_makes_its_own_kind_of_session(guarded_house: House, tenant: Tenant) -> None:
    body = {"game": "checkers", "players": [ANN]}
    for key, mode in ((tenant.test, "live"), (tenant.test, "training"), (tenant.live, "test")):
        answer = guarded_house.request("POST", "/v1/sessions", key, json={**body, "mode": mode})
        assert answer.status_code == 403, mode


def test_players_of_two_tenants_with_one_id_are_two(guarded_house: House, tenant: Tenant, neighbour: Tenant) -> None:
    """Each waits alone: nobody is paired across tenants, and nobody is taken for the other."""
    lines = []
    for key in (tenant.live, neighbour.live):
        made = session(guarded_house, key)
        line = Line(guarded_house.url, auth={"token": made["sessionToken"]})
        assert line.must("matchmaking:join", {"username": "Ann"})["position"] == 1
        lines.append(line)
    for line in lines:
        line.must("matchmaking:leave", {"playerId": "ann"})
        line.close()


@pytest.mark.parametrize(
    "key",
    ["", "Bearer", "none", "ludus_live_", "ludus_live_" + "A" * 43, "ludus_test_" + "A" * 5000, "' OR 1=1 --", "\x00"],
)
def test_a_key_that_is_none_is_refused(guarded_house: House, key: str) -> None:
    try:
        answer = guarded_house.request("POST", "/v1/sessions", key, json={"game": "checkers", "players": [BEN]})
    except httpx2.LocalProtocolError:
        return  # not even the client's library sends it
    assert answer.status_code in (400, 401)
    assert "detail" not in answer.text


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/hook",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.1]/hook",
        "http://2130706433/hook",
        "http://user:secret@example.com/hook",
        "file:///etc/passwd",
    ],
)
def test_a_webhook_goes_to_public_addresses_only(guarded_house: House, url: str) -> None:
    """Which those are is tested beside `ludus.service.webhooks.addresses`."""
    run = guarded_house.try_tenant("sly", "--webhook", url)
    assert run.returncode != 0
    assert "Traceback" not in run.stderr
    assert "sly" not in run.stdout
