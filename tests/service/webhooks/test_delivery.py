"""Letters are written once, signed so that anybody's library can check them, and go out in a fair order."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from ludus.service.ids import ordered_id
from ludus.service.records import Delivery, Tenant
from ludus.service.webhooks.delivery import (
    MAX_PAUSE,
    DeliveryQueue,
    WebhookEvent,
    attempted,
    deliveries,
    headers,
    next_attempt,
    replayed,
    webhook_secret,
)

NOW = 1_700_000_000_123
TENANT = Tenant("tenant_1", "App", NOW, "https://app.example/hooks")
ENDED = WebhookEvent("game.ended", {"winner": "ada", "reason": "victory", "duration": 61, "moveCount": 40})
SECRET = b"platform"


def made(*events: WebhookEvent, tenant: Tenant | None = TENANT, mode: str = "live", after: int = 0) -> list[Delivery]:
    return deliveries(tenant, events, session="s1", game="checkers", mode=mode, now=NOW, rng=Random(1), sequence=after)


def waiting(id: str, tenant: str = "a", session: str = "") -> Delivery:
    return Delivery(id, tenant, session or id, "game.move", "https://app.example/", "{}", "waiting", 0, NOW, NOW)


def test_a_delivery_says_what_happened_where_and_when() -> None:
    (delivery,) = made(ENDED)
    assert delivery.body == (
        f'{{"event":"game.ended","deliveryId":"{delivery.id}",'
        '"sessionId":"s1","game":"checkers","mode":"live",'
        '"timestamp":"2023-11-14T22:13:20.123Z",'
        '"data":{"winner":"ada","reason":"victory","duration":61,"moveCount":40}}'
    )
    assert UUID(delivery.id).version == 7
    assert delivery[1:5] == ("tenant_1", "s1", "game.ended", "https://app.example/hooks")
    assert (delivery.state, delivery.attempts, delivery.due, delivery.created_at) == ("waiting", 0, NOW, NOW)


def test_each_event_is_a_delivery_in_order() -> None:
    sent = made(WebhookEvent("game.move", {}), WebhookEvent("checkers.king", {}), ENDED)
    assert [json.loads(each.body)["deliveryId"] for each in sent] == [each.id for each in sent]
    assert [each.event for each in sent] == ["game.move", "checkers.king", "game.ended"]


@given(st.lists(st.tuples(st.integers(0, 1 << 47), st.integers(0, (1 << 32) - 1)), unique=True), st.integers())
def test_ids_are_uuids_and_sort_by_time_and_count(moments: list[tuple[int, int]], seed: int) -> None:
    rng = Random(seed)
    ids = [ordered_id(now, count, rng) for now, count in sorted(moments)]
    assert ids == sorted(set(ids))
    assert {UUID(id).version for id in ids} <= {7}


def test_what_happens_in_one_millisecond_is_sorted_by_its_sequence() -> None:
    ids = [each.id for sequence in (0, 1, 2, 70_000) for each in made(ENDED, ENDED, ENDED, after=sequence)]
    assert ids == sorted(set(ids))


@pytest.mark.parametrize("mode", ["test", "training"])
def test_only_live_games_have_deliveries(mode: str) -> None:
    assert made(ENDED, mode=mode) == []


def test_a_tenant_without_a_webhook_gets_no_deliveries() -> None:
    assert made(ENDED, tenant=TENANT._replace(webhook_url=None)) == made(ENDED, tenant=None) == []


def test_a_tenants_secret_is_its_own_and_always_the_same() -> None:
    made = [webhook_secret(secret, tenant) for secret in (b"house", b"other") for tenant in ("a", "b")]
    assert len(set(made)) == 4
    assert made[0] == webhook_secret(b"house", "a") == "whsec_w0WdvDGqCGmA3FO5assiQxQDvjWGqvrO8Ok6pV6e8mc="


def test_the_signature_of_the_body_can_be_checked_with_the_secret_as_it_is_printed() -> None:
    (delivery,), signing = made(ENDED), webhook_secret(SECRET, TENANT.id)
    sent = headers(delivery, signing, "Beta-Gamer", NOW)
    expected = hmac.new(signing.encode(), delivery.body.encode(), hashlib.sha256).hexdigest()
    assert sent["X-Beta-Gamer-Signature"] == f"sha256={expected}"
    assert (sent["X-Beta-Gamer-Event"], sent["X-Beta-Gamer-Delivery"]) == ("game.ended", delivery.id)


def test_the_standard_webhooks_library_accepts_the_delivery_and_no_other() -> None:
    (delivery,), signing = made(ENDED), webhook_secret(SECRET, TENANT.id)
    sent = headers(delivery, signing, "Ludus", time.time_ns() // 1_000_000)
    assert Webhook(signing).verify(delivery.body, sent) == json.loads(delivery.body)
    for body, secret in ((delivery.body + " ", signing), (delivery.body, webhook_secret(SECRET, "tenant_2"))):
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(body, sent)
    with pytest.raises(WebhookVerificationError, match="too old"):
        Webhook(signing).verify(delivery.body, headers(delivery, signing, "Ludus", NOW))


def test_only_a_traced_delivery_names_its_trace() -> None:
    (delivery,) = made(ENDED)
    assert "traceparent" not in headers(delivery, webhook_secret(SECRET, TENANT.id), "Ludus", NOW)
    traced = delivery._replace(traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    assert headers(traced, webhook_secret(SECRET, TENANT.id), "Ludus", NOW)["traceparent"] == traced.traceparent


@given(st.integers(0, 100), st.floats(0.001, 7 * 24 * 3600), st.integers())
def test_pauses_grow_within_their_jitter_up_to_a_day_and_end_after_the_last_retry(
    retries: int, pause: float, seed: int
) -> None:
    rng = Random(seed)
    for attempts in range(1, retries + 1):
        wait, wanted = next_attempt(attempts, retries, pause, rng), 1000 * min(pause * 5.0 ** (attempts - 1), 1e12)
        wanted = min(wanted, 1000 * max(pause, MAX_PAUSE))
        assert wait is not None
        assert 0.8 * wanted - 1 <= wait <= 1.2 * wanted + 1
    assert next_attempt(retries + 1, retries, pause, rng) is None


def test_what_failed_together_does_not_come_back_together() -> None:
    rng = Random(1)
    assert len({next_attempt(1, 3, 5.0, rng) for _ in range(100)}) > 90


def test_an_attempt_ends_in_delivery_a_pause_or_death() -> None:
    first = waiting("d1")
    delivered = attempted(first, None, NOW + 5, 100)
    assert (delivered.state, delivered.attempts, delivered.due, delivered.problem) == ("delivered", 1, None, "")
    again = attempted(first, "answered 500", NOW + 5, 100)
    assert (again.state, again.attempts, again.due, again.problem) == ("waiting", 1, NOW + 105, "answered 500")
    dead = attempted(again, "x" * 999, NOW + 200, None)
    assert (dead.state, dead.attempts, dead.due, dead.problem) == ("dead", 2, None, "x" * 200)


def test_a_replayed_delivery_starts_over() -> None:
    dead = attempted(waiting("d1"), "answered 500", NOW, None)
    assert replayed(dead, NOW + 9) == waiting("d1")._replace(due=NOW + 9)


def taken(queue: DeliveryQueue) -> list[str]:
    found = []
    while delivery := queue.take():
        found.append(delivery.id)
    return found


def test_tenants_come_in_turn() -> None:
    queue = DeliveryQueue(3, per_tenant=8)
    assert queue.add([waiting("a1"), waiting("a2"), waiting("a3"), waiting("b1", "b"), waiting("c1", "c")]) == 5
    assert taken(queue) == ["a1", "b1", "c1"]


def test_a_tenant_has_one_lane_until_it_answers_well() -> None:
    queue = DeliveryQueue(per_tenant=3)
    queue.add(waiting(f"a{n}") for n in range(9))
    assert taken(queue) == ["a0"]
    queue.done(waiting("a0"), healthy=True)
    assert taken(queue) == ["a1", "a2", "a3"]
    queue.done(waiting("a1"), healthy=False)
    queue.done(waiting("a2"), healthy=None)
    assert taken(queue) == []
    queue.done(waiting("a3"), healthy=None)
    assert taken(queue) == ["a4"]


def test_deliveries_of_one_session_go_one_by_one_in_order() -> None:
    queue = DeliveryQueue(per_tenant=3)
    queue.add([waiting("z")])
    taken(queue)
    queue.done(waiting("z"), healthy=True)
    first, second, other = waiting("s1", session="s"), waiting("s2", session="s"), waiting("t1", session="t")
    queue.add([first, second, other])
    assert taken(queue) == ["s1", "t1"]
    queue.done(first, healthy=True)
    assert taken(queue) == ["s2"]


def test_what_is_held_or_on_its_way_is_not_taken_in_twice() -> None:
    queue, two = DeliveryQueue(), [waiting("a1"), waiting("a2")]
    assert queue.add(two) == 2
    assert queue.add(two) == 0
    assert taken(queue) == ["a1"]
    assert queue.add(two) == 0
    assert not queue.done(waiting("a1"), healthy=True)
    assert queue.add(two) == 1
    assert taken(queue) == ["a2", "a1"]


def test_a_full_queue_rejects_only_its_own_tenants_deliveries() -> None:
    queue = DeliveryQueue(queued=2)
    assert queue.add([waiting("a1"), waiting("a2"), waiting("a3"), waiting("b1", "b")]) == 3
    assert taken(queue) == ["a1", "b1"]
    assert queue.add([waiting("a3"), waiting("a4")]) == 1


def test_the_last_one_done_tells_that_its_tenant_has_nothing_left_here() -> None:
    queue = DeliveryQueue()
    queue.add([waiting("a1")])
    taken(queue)
    assert queue.done(waiting("a1"), healthy=True)
