"""No secrets and no internals leak into answers or the log."""

from __future__ import annotations

import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ludus.service.webhooks.delivery import webhook_secret

from ..rooms import frames
from ..rooms.raw_client import RawClient, Refused
from ..server_process import ServerProcess, Tenant
from .tables import Table
from .test_identity import session
from .test_polling import POLLING

INSIDES = (
    "Traceback",
    'File "',
    ".py",
    "sqlite",
    "pydantic",
    "ludus.",
    "Exception",
    "object at 0x",
    "/tmp/",
    "errors.",
)
HALF_A_CHARACTER = b'{"game": "checkers", "players": [{"id": "\\ud800", "displayName": "x"}]}'


def spill(server: ServerProcess, tenant: Tenant, token: str) -> None:
    """Sends secrets wherever a client can."""
    logins: tuple[tuple[Any, dict[str, str]], ...] = (
        ({"token": token}, {}),
        (None, {"token": token}),
        ({"token": token + "x"}, {"token": token}),
    )
    for (auth, query), bad_frame in product(logins, (f"42/checkers,token {token}", token)):
        try:
            with RawClient(server.url, auth=auth, **query) as client:
                client.ask("game:reconnect", {"token": token, "playerId": token[:100]})
                client.ask(f"token={token}", {"token": token})
                client.ask("game:move", {"roomId": token, "authorization": f"Bearer {tenant.live}"})
                client.send_frame(bad_frame)  # ends the connection
        except Refused:
            pass
    server.request("GET", f"{POLLING}&token={token}")
    server.request("GET", f"{POLLING}&sid={token}")
    server.request("GET", f"/v1/sessions/validate?token={token}")
    server.request("GET", f"/v1/sessions/validate?token={token}x")
    server.request("GET", f"/v1/sessions/{token}?key={tenant.live}", tenant.live)
    server.request("GET", f"/nowhere/{tenant.live}?token={token}", tenant.live)
    server.request("POST", "/v1/sessions", tenant.live, content=f'{{"key": "{tenant.live}", "token": "{token}"')
    server.request("POST", "/v1/sessions", f"{tenant.live}x", json={"game": tenant.test})
    server.request("POST", "/v1/sessions", tenant.test, json={"game": "checkers", "theme": {"secret": token}})


def test_no_secret_is_logged(server: ServerProcess, server_data: Path, tenant: Tenant, table: Table) -> None:
    made = session(server, tenant.live)
    spill(server, tenant, made["sessionToken"])
    spill(server, tenant, table.tokens[0])
    time.sleep(0.2)  # some lines are logged after the answer
    log = server.log
    assert log
    signing = (server_data / "secret").read_text().strip()
    for secret in (
        *made["sessionToken"].split("."),
        *table.tokens[0].split(".")[1:],
        tenant.live.removeprefix("ludus_live_"),
        tenant.test.removeprefix("ludus_test_"),
        tenant.secret.removeprefix("whsec_"),
        signing,
    ):
        assert secret not in log


def test_the_secret_is_kept_from_others_on_the_machine(server: ServerProcess, server_data: Path) -> None:
    assert (server_data / "secret").stat().st_mode & 0o077 == 0


def test_a_tenants_webhook_secret_does_not_reveal_the_servers(tenant: Tenant, server_data: Path) -> None:
    assert (server_data / "secret").read_text().strip() not in tenant.secret
    assert webhook_secret(b"another", tenant.id) != tenant.secret


@pytest.mark.parametrize(
    ("method", "path", "more"),
    [
        ("GET", "/v1/sessions/none", {}),
        ("GET", "/v1/sessions/%00", {}),
        ("GET", "/v1/sessions/" + "x" * 5000, {}),
        ("GET", "/v1/sessions/validate", {}),
        ("GET", "/v1/sessions/validate?token=" + "x" * 5000, {}),
        ("GET", "/v1/rooms?game=chess", {}),
        ("GET", "/v1/rooms?game=%00", {}),
        ("GET", "/v1/nowhere", {}),
        ("PATCH", "/v1/sessions", {}),
        ("POST", "/v1/sessions", {"content": b"\xff"}),
        ("POST", "/v1/sessions", {"content": b"[" * 5000}),
        ("POST", "/v1/sessions", {"content": HALF_A_CHARACTER}),
        ("POST", "/v1/sessions", {"json": {"game": "checkers", "players": [{"id": "\x00", "displayName": "\x00"}]}}),
        ("POST", "/v1/sessions", {"json": []}),
        ("POST", "/v1/sessions", {"json": {"game": ["checkers"], "players": 7, "theme": 7}}),
        ("POST", "/v1/sessions/join", {"json": {"roomCode": "'; DROP TABLE sessions", "game": "checkers"}}),
    ],
)  # fmt: skip
def test_an_error_reveals_no_internals(
    server: ServerProcess, tenant: Tenant, method: str, path: str, more: dict[str, Any]
) -> None:
    answer = server.request(method, path, tenant.live, **more)
    assert 400 <= answer.status_code < 500
    assert isinstance(answer.json()["error"], str)
    assert not [inside for inside in INSIDES if inside in answer.text], answer.text


def test_a_client_cannot_inject_lines_into_the_log(server: ServerProcess) -> None:
    forged = "2026-01-01T00:00:00Z [info] forged"
    text = f"x\n{forged}"
    with RawClient(server.url) as client:
        client.ask(text, {})
        client.ask("game:move", {"roomId": text, "move": text})
        client.send_frame(frames.event("/checkers", text, {text: text}))
        assert client.is_alive()
    server.request("GET", f"{POLLING}&sid=x%0A{forged}")
    server.request("GET", f"/nowhere%0A{forged}")
    assert not [written for written in server.log.splitlines() if written.startswith(forged)]
