"""What the tenant's back end is told, how it is signed, and what comes of a receiver in trouble."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook

from . import backgammon, checkers
from .door import Clients, Door
from .house import House, Tenant
from .receiver import Delivery, Receiver
from .shapes import fits, wait_for_over

PATH = "/live"
TEXTS = ("event", "deliveryId", "sessionId", "game", "timestamp")
BODY = {**dict.fromkeys(TEXTS, str), "mode": {"live"}, "data": dict}


@pytest.fixture(scope="session")
def told(house: House, receiver: Receiver) -> Tenant:
    return house.tenant("told", "--webhook", receiver.url(PATH))


@pytest.fixture
def told_door(house: House, told: Tenant, clients: Clients) -> Door:
    return Door(house, told, clients)


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


def test_the_back_end_hears_a_whole_game_of_checkers_in_order(
    told_door: Door, told: Tenant, receiver: Receiver
) -> None:
    session = told_door.session("Ann", matchType="bot", botDifficulty="easy")
    assert session["webhooksEnabled"] is True
    player = told_door.enter(session)
    player.begin()
    checkers.play_a_bot(player, seed=3, most=500)
    over = player.only("game:over")
    story = player.heard("game:move:made")
    receiver.wait(PATH, "game.ended", session["sessionId"])
    deliveries = receiver.of(PATH, session["sessionId"])
    for delivery in deliveries:
        check(delivery, told.secret)
        assert delivery.body["game"] == "checkers"
    bodies = [delivery.body for delivery in deliveries]
    assert len({body["deliveryId"] for body in bodies}) == len(bodies)

    events = [body["event"] for body in bodies if body["event"] not in ("checkers.king", "checkers.capture")]
    assert events == ["session.created", "session.started", *["game.move"] * len(story), "game.ended"]
    assert [body["timestamp"] for body in bodies] == sorted(body["timestamp"] for body in bodies)
    captures = [body["data"] for body in bodies if body["event"] == "checkers.capture"]
    assert captures == [{"playerId": made["playerId"], **made["move"]} for made in story if made["move"]["captures"]]
    kings = [body["data"] for body in bodies if body["event"] == "checkers.king"]
    assert kings == [{"playerId": m["playerId"], "square": m["move"]["to"]} for m in story if m["becameKing"]]
    ended = bodies[-1]["data"]
    result = told_door.status(session)["result"]
    assert ended == {**ended, **{name: result[name] for name in ("winner", "reason", "duration", "moveCount")}}
    assert (ended["winner"], ended["reason"], ended["moveCount"]) == (over["winner"], over["reason"], len(story))


def test_both_sessions_of_a_game_between_people_are_told(told_door: Door, told: Tenant, receiver: Receiver) -> None:
    sessions = [told_door.session(name, "backgammon") for name in ("Ann", "Ben")]
    players = [told_door.enter(session) for session in sessions]
    for player in players:
        player.begin()
    backgammon.play_out(players, [], seed=1, most=4)
    players[0].act("game:resign")
    players[1].wait("game:over")
    for session in sessions:
        ended = receiver.wait(PATH, "game.ended", session["sessionId"])
        check(ended, told.secret)
        data = ended.body["data"]
        assert (data["winner"], data["reason"]) == (players[1].id, "resignation")
        events = [delivery.body["event"] for delivery in receiver.of(PATH, session["sessionId"])]
        assert events[:2] == ["session.created", "session.started"]
        assert events[-1] == "game.ended"


def test_test_mode_and_training_are_silent(told_door: Door, receiver: Receiver) -> None:
    quiet = []
    for mode in ("test", "training"):
        session = told_door.session("Ann", mode=mode, matchType="bot")
        assert session["webhooksEnabled"] is False
        player = told_door.enter(session)
        player.begin()
        player.act("game:resign")
        player.wait("game:over")
        quiet.append(session["sessionId"])
    # Deliveries of one tenant come in order: after this one the others would have been there.
    receiver.wait(PATH, "session.created", told_door.session("Ann")["sessionId"])
    assert not [delivery for session in quiet for delivery in receiver.of(PATH, session)]


def test_without_a_webhook_nothing_is_promised(door: Door) -> None:
    assert door.session("Ann")["webhooksEnabled"] is False


def test_a_failed_delivery_is_repeated_as_it_was(house: House, receiver: Receiver, clients: Clients) -> None:
    tenant = house.tenant("flaky", "--webhook", receiver.url("/flaky"))
    receiver.fail("/flaky", times=2)
    session = Door(house, tenant, clients).session("Ann")
    deliveries = receiver.wait_for("/flaky", 3)
    assert {delivery.body["sessionId"] for delivery in deliveries} == {session["sessionId"]}
    assert len({delivery.raw for delivery in deliveries}) == 1
    for delivery in deliveries:
        check(delivery, tenant.secret)


def test_a_dead_receiver_delays_nobody_else(told_door: Door, receiver: Receiver) -> None:
    tenant = told_door.house.tenant("dead", "--webhook", receiver.url("/dead"))
    receiver.fail("/dead", times=1000)
    told_door.beside(tenant).session("Ann")
    session = told_door.session("Ann")
    receiver.wait(PATH, "session.created", session["sessionId"])


def test_idling_is_reported(hasty_door: Door, hasty_tenant: Tenant, receiver: Receiver) -> None:
    sessions = [hasty_door.session(name) for name in ("Ann", "Ben")]
    players = [hasty_door.enter(session) for session in sessions]
    red, black = sorted(players, key=lambda player: player.begin()["color"], reverse=True)
    wait_for_over([red, black])
    warning = receiver.wait("/hasty", "checkers.afk_warning", sessions[0]["sessionId"])
    timeout = receiver.wait("/hasty", "checkers.afk_timeout", sessions[0]["sessionId"])
    check(warning, hasty_tenant.secret)
    assert warning.body["data"]["playerId"] == red.id
    assert 0 < warning.body["data"]["secondsRemaining"] <= 7  # 7, less what a busy machine was late
    assert timeout.body["data"] == {"forfeitedPlayerId": red.id, "winnerId": black.id}
    ended = receiver.wait("/hasty", "game.ended", sessions[0]["sessionId"])
    assert (ended.body["data"]["winner"], ended.body["data"]["reason"]) == (black.id, "afk_timeout")


def test_a_receiver_inside_the_network_is_not_accepted_by_default(house: House, receiver: Receiver) -> None:
    refusal = house.try_tenant("inside", "--webhook", receiver.url("/inside"), webhook_private=0)
    assert refusal.returncode == 2
    assert refusal.stderr.count("\n") == 1
