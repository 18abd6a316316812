"""Webhooks: what they report, their signatures, and receivers that fail."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook

from ..server_process import ServerProcess, Tenant
from . import backgammon, checkers
from .app import App, Clients
from .shapes import fits
from .webhook_receiver import Delivery, WebhookReceiver

PATH = "/live"
TEXTS = ("event", "deliveryId", "sessionId", "game", "timestamp")
BODY = {**dict.fromkeys(TEXTS, str), "mode": {"live"}, "data": dict}


@pytest.fixture(scope="session")
def notified_tenant(server: ServerProcess, receiver: WebhookReceiver) -> Tenant:
    return server.tenant("notified", webhook=receiver.url(PATH))


@pytest.fixture
def notified_app(server: ServerProcess, notified_tenant: Tenant, clients: Clients) -> App:
    return App(server, notified_tenant, clients)


def check(delivery: Delivery, secret: str) -> None:
    """Signed twice over the raw body: as documented, and by the Standard Webhooks library."""
    seal = hmac.new(secret.encode(), delivery.raw, hashlib.sha256).hexdigest()
    assert delivery.headers["x-ludus-signature"] == f"sha256={seal}"
    Webhook(secret).verify(delivery.raw, delivery.headers)
    body = delivery.body
    fits(body, BODY)
    assert delivery.headers["x-ludus-event"] == body["event"]
    assert delivery.headers["x-ludus-delivery"] == body["deliveryId"]
    assert delivery.headers["content-type"].startswith("application/json")
    assert datetime.fromisoformat(body["timestamp"]).utcoffset() == timedelta(0)


def test_a_whole_game_of_checkers_is_reported_in_order(
    notified_app: App, notified_tenant: Tenant, receiver: WebhookReceiver
) -> None:
    session = notified_app.session("Ann", matchType="bot", botDifficulty="easy")
    assert session["webhooksEnabled"] is True
    player = notified_app.enter(session)
    player.begin()
    checkers.play_a_bot(player, seed=3, most=500)
    over = player.only("game:over")
    moves_made = player.heard("game:move:made")
    receiver.wait(PATH, "game.ended", session["sessionId"])
    deliveries = receiver.of(PATH, session["sessionId"])
    for delivery in deliveries:
        check(delivery, notified_tenant.secret)
        assert delivery.body["game"] == "checkers"
    bodies = [delivery.body for delivery in deliveries]
    assert len({body["deliveryId"] for body in bodies}) == len(bodies)

    events = [body["event"] for body in bodies if body["event"] not in ("checkers.king", "checkers.capture")]
    assert events == ["session.created", "session.started", *["game.move"] * len(moves_made), "game.ended"]
    assert [body["timestamp"] for body in bodies] == sorted(body["timestamp"] for body in bodies)
    captures = [body["data"] for body in bodies if body["event"] == "checkers.capture"]
    assert captures == [
        {"playerId": made["playerId"], **made["move"]} for made in moves_made if made["move"]["captures"]
    ]
    kings = [body["data"] for body in bodies if body["event"] == "checkers.king"]
    assert kings == [{"playerId": m["playerId"], "square": m["move"]["to"]} for m in moves_made if m["becameKing"]]
    ended = bodies[-1]["data"]
    result = notified_app.status(session)["result"]
    assert ended == {**ended, **{name: result[name] for name in ("winner", "reason", "duration", "moveCount")}}
    assert (ended["winner"], ended["reason"], ended["moveCount"]) == (over["winner"], over["reason"], len(moves_made))


def test_both_sessions_of_a_game_between_people_are_reported(
    notified_app: App, notified_tenant: Tenant, receiver: WebhookReceiver
) -> None:
    sessions = [notified_app.session(name, "backgammon") for name in ("Ann", "Ben")]
    players = [notified_app.enter(session) for session in sessions]
    for player in players:
        player.begin()
    backgammon.play_out(players, [], seed=1, most=4)
    players[0].act("game:resign")
    players[1].wait("game:over")
    for session in sessions:
        ended = receiver.wait(PATH, "game.ended", session["sessionId"])
        check(ended, notified_tenant.secret)
        data = ended.body["data"]
        assert (data["winner"], data["reason"]) == (players[1].id, "resignation")
        events = [delivery.body["event"] for delivery in receiver.of(PATH, session["sessionId"])]
        assert events[:2] == ["session.created", "session.started"]
        assert events[-1] == "game.ended"


def test_test_mode_and_training_have_no_webhooks(notified_app: App, receiver: WebhookReceiver) -> None:
    quiet = []
    for mode in ("test", "training"):
        session = notified_app.session("Ann", mode=mode, matchType="bot")
        assert session["webhooksEnabled"] is False
        player = notified_app.enter(session)
        player.begin()
        player.act("game:resign")
        player.wait("game:over")
        quiet.append(session["sessionId"])
    # Deliveries of one tenant come in order: others would have arrived before this one.
    receiver.wait(PATH, "session.created", notified_app.session("Ann")["sessionId"])
    assert not [delivery for session in quiet for delivery in receiver.of(PATH, session)]


def test_without_a_webhook_url_webhooks_are_disabled(app: App) -> None:
    assert app.session("Ann")["webhooksEnabled"] is False


def test_a_failed_delivery_is_repeated_unchanged(
    server: ServerProcess, receiver: WebhookReceiver, clients: Clients
) -> None:
    tenant = server.tenant("flaky", webhook=receiver.url("/flaky"))
    receiver.fail("/flaky", times=2)
    session = App(server, tenant, clients).session("Ann")
    deliveries = receiver.wait_for("/flaky", 3)
    assert {delivery.body["sessionId"] for delivery in deliveries} == {session["sessionId"]}
    assert len({delivery.raw for delivery in deliveries}) == 1
    for delivery in deliveries:
        check(delivery, tenant.secret)


def test_a_dead_receiver_does_not_delay_others(notified_app: App, receiver: WebhookReceiver) -> None:
    tenant = notified_app.server.tenant("dead", webhook=receiver.url("/dead"))
    receiver.fail("/dead", times=1000)
    notified_app.for_tenant(tenant).session("Ann")
    session = notified_app.session("Ann")
    receiver.wait(PATH, "session.created", session["sessionId"])


def test_a_private_receiver_is_refused_by_default(server: ServerProcess, receiver: WebhookReceiver) -> None:
    refusal = server.run_cli("tenant", "create", "inside", "--webhook", receiver.url("/inside"), webhook_private=0)
    assert refusal.returncode == 2
    assert refusal.stderr.count("\n") == 1
