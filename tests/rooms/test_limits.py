"""Limits on requests, events and sessions."""

from __future__ import annotations

import time

import pytest

from ..server_process import ServerProcess, Tenant
from .app import App, Clients
from .player import CLIENT_KINDS, WAIT, ClientKind, Player
from .test_sessions import ANN, CHECKERS, error
from .webhook_receiver import WebhookReceiver


def test_every_answer_counts_down_to_the_limit(strict_server: ServerProcess) -> None:
    tenant = strict_server.tenant("counting")
    left = []
    for _ in range(5):
        answer = strict_server.request("POST", "/v1/sessions", tenant.live, json=CHECKERS)
        assert answer.status_code in (200, 201)
        assert answer.headers["X-RateLimit-Limit"] == "5"
        left.append(int(answer.headers["X-RateLimit-Remaining"]))
        assert time.time() - 1 <= int(answer.headers["X-RateLimit-Reset"]) <= time.time() + 61
    assert left == [4, 3, 2, 1, 0]
    refusal = strict_server.request("POST", "/v1/sessions", tenant.live, json=CHECKERS)
    assert refusal.status_code == 429
    assert isinstance(refusal.json()["error"], str)
    assert refusal.headers["X-RateLimit-Remaining"] == "0"
    assert 0 <= int(refusal.headers["Retry-After"]) <= 60


def test_one_key_does_not_use_up_anothers_limit(strict_server: ServerProcess) -> None:
    busy, idle = strict_server.tenant("busy"), strict_server.tenant("idle")
    for _ in range(6):
        answer = strict_server.request("POST", "/v1/sessions", busy.live, json=CHECKERS)
    assert answer.status_code == 429
    strict_server.post("/v1/sessions", idle.live, CHECKERS)


def test_a_session_that_no_one_joins_expires(
    strict_server: ServerProcess, clients: Clients, receiver: WebhookReceiver
) -> None:
    tenant = strict_server.tenant("patient", webhook=receiver.url("/patient"))
    app = App(strict_server, tenant, clients)
    session = app.session("Ann", matchType="private")
    delivery = receiver.wait("/patient", "session.expired", session["sessionId"])
    assert (delivery.body["game"], delivery.body["mode"]) == ("checkers", "live")
    assert delivery.headers["x-acme-event"] == "session.expired"  # the prefix is a setting
    assert "x-acme-signature" in delivery.headers
    found = app.status(session)
    assert (found["status"], found["result"]) == ("ended", None)
    friend = {"roomCode": session["roomCode"], "game": "checkers", "player": {**ANN, "id": "late"}}
    assert error(strict_server, "POST", "/v1/sessions/join", tenant.live, 404, json=friend)
    assert app.is_refused(session["sessionToken"])


@pytest.fixture
def strict_app(strict_server: ServerProcess, strict_tenant: Tenant, clients: Clients) -> App:
    return App(strict_server, strict_tenant, clients)


@pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
def test_guests_can_be_disabled(strict_app: App, kind: ClientKind) -> None:
    assert strict_app.is_refused("", kind)


@pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
def test_a_client_that_sends_too_fast_gets_an_error_and_is_disconnected(strict_app: App, kind: ClientKind) -> None:
    player = strict_app.connect("Hasty", kind)
    flood(player)
    player.wait_for_the_end()
    assert "too_fast" in [error["code"] for error in player.heard("game:error")]


def flood(player: Player) -> None:
    """Exceeds the limit as often as it takes: a busy machine may receive the events too slowly."""
    until = time.monotonic() + WAIT
    while player.is_connected and time.monotonic() < until:
        burst(player)


def burst(player: Player) -> None:
    """Fifteen events, because stock Engine.IO takes no more than sixteen packets in one poll, and their answers."""
    answers = len(player.heard("game:error")) + 15
    for _ in range(15):
        player.send("afk:check", {"roomId": "none"})
    player.until(lambda: not player.is_connected or len(player.heard("game:error")) >= answers, "the answers")
