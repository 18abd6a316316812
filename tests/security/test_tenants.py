"""A tenant can access only its own data, and its webhooks only public addresses."""

from __future__ import annotations

import httpx2
import pytest
from typer.testing import CliRunner

from ludus.cli.tenant import app
from ludus.core.errors import LudusError

from ..rooms.raw_client import RawClient
from ..server_process import ServerProcess, Tenant
from .test_identity import ANN, EVE, session

BEN = {"id": "ben", "displayName": "Ben"}


def test_another_tenants_session_is_not_found(server: ServerProcess, tenant: Tenant, neighbour: Tenant) -> None:
    made = session(server, tenant.live, matchType="private")
    for path in (f"/v1/sessions/{made['sessionId']}", f"/v1/sessions/{made['sessionId']}/proof"):
        unknown = server.request("GET", path.replace(made["sessionId"][:8], "00000000"), neighbour.live)
        for key in (neighbour.live, neighbour.test, tenant.test):
            answer = server.request("GET", path, key)
            assert (answer.status_code, answer.json()) == (404, unknown.json())
    friend = {"roomCode": made["roomCode"], "game": "checkers", "player": EVE}
    for key in (neighbour.live, neighbour.test, tenant.test):
        assert server.request("POST", "/v1/sessions/join", key, json=friend).status_code == 404
    assert server.get(f"/v1/sessions/{made['sessionId']}", tenant.live)["players"] == [ANN]


def test_each_kind_of_key_creates_its_own_kind_of_session(server: ServerProcess, tenant: Tenant) -> None:
    body = {"game": "checkers", "players": [ANN]}
    for key, mode in ((tenant.test, "live"), (tenant.test, "training"), (tenant.live, "test")):
        answer = server.request("POST", "/v1/sessions", key, json={**body, "mode": mode})
        assert answer.status_code == 403, mode


def test_players_of_two_tenants_with_the_same_id_are_two_players(
    server: ServerProcess, tenant: Tenant, neighbour: Tenant
) -> None:
    """Each waits alone: they are neither paired nor mistaken for each other."""
    clients = []
    for key in (tenant.live, neighbour.live):
        made = session(server, key)
        client = RawClient(server.url, auth={"token": made["sessionToken"]})
        assert client.must("matchmaking:join", {"username": "Ann"})["position"] == 1
        clients.append(client)
    for client in clients:
        client.must("matchmaking:leave", {"playerId": "ann"})
        client.close()


@pytest.mark.parametrize(
    "key",
    ["", "Bearer", "none", "ludus_live_", "ludus_live_" + "A" * 43, "ludus_test_" + "A" * 5000, "' OR 1=1 --", "\x00"],
)
def test_an_invalid_key_is_refused(server: ServerProcess, key: str) -> None:
    try:
        answer = server.request("POST", "/v1/sessions", key, json={"game": "checkers", "players": [BEN]})
    except httpx2.LocalProtocolError:
        return  # even the HTTP library refuses to send it
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
def test_webhooks_go_to_public_addresses_only(server: ServerProcess, url: str) -> None:
    """Which those are is tested in tests/service/webhooks/test_addresses.py."""
    run = CliRunner().invoke(app, ["create", "sly", "--webhook", url, "--data", str(server.data)])
    assert run.exit_code != 0
    assert isinstance(run.exception, LudusError)  # which the command line prints in one line
    assert "sly" not in run.output
