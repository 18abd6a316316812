"""Webhook deliveries: bodies, signatures, retries, and the order in which they are sent."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from random import Random
from typing import Any, Final, NamedTuple

import orjson
from standardwebhooks import Webhook

from ludus.service.clock import iso
from ludus.service.ids import ordered_id
from ludus.service.records import Delivery, Tenant

GROWTH: Final = 5.0
"""The factor between two pauses."""
JITTER: Final = 0.2
"""The random part of a pause, which spreads out retries that failed together."""
MAX_PAUSE: Final = 24 * 3600.0
"""The longest pause in seconds."""

MAX_CONCURRENT: Final = 128
MAX_PER_TENANT: Final = 8
"""Concurrent deliveries to one tenant, as long as it answers promptly and without errors."""
MAX_QUEUED: Final = 200
"""Deliveries of one tenant in memory."""


class WebhookEvent(NamedTuple):
    name: str
    data: Mapping[str, Any]


def deliveries(
    tenant: Tenant | None,
    events: Iterable[WebhookEvent],
    *,
    session: str,
    game: str,
    mode: str,
    now: int,
    rng: Random,
    sequence: int = 0,
) -> list[Delivery]:
    """A delivery for each event, due at once; none unless the mode is live and the tenant has a webhook.

    `sequence`, the table's version, orders events within one millisecond.
    """
    if mode != "live" or tenant is None or tenant.webhook_url is None:
        return []
    url, common = tenant.webhook_url, {"sessionId": session, "game": game, "mode": mode, "timestamp": iso(now)}
    made = []
    for index, (name, data) in enumerate(events):
        id = ordered_id(now, 16 * sequence + index, rng)
        text = body({"event": name, "deliveryId": id, **common, "data": data})
        made.append(Delivery(id, tenant.id, session, name, url, text, "waiting", 0, now, now))
    return made


def body(content: Mapping[str, Any]) -> str:
    """The exact text that is signed and sent on every attempt."""
    return orjson.dumps(content).decode()


def webhook_secret(secret: bytes, tenant: str) -> str:
    """A tenant's signing secret, derived from the platform's, so that it is never stored."""
    digest = hmac.new(secret, f"webhook/{tenant}".encode(), hashlib.sha256).digest()
    return f"whsec_{base64.b64encode(digest).decode()}"


def headers(delivery: Delivery, signing: str, prefix: str, now: int) -> dict[str, str]:
    """Two signatures with one secret: of the body alone, and of id, time and body as in Standard Webhooks."""
    digest = hmac.new(signing.encode(), delivery.body.encode(), hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/json",
        f"X-{prefix}-Signature": f"sha256={digest}",
        f"X-{prefix}-Event": delivery.event,
        f"X-{prefix}-Delivery": delivery.id,
        "webhook-id": delivery.id,
        "webhook-timestamp": str(now // 1000),
        "webhook-signature": Webhook(signing).sign(delivery.id, _moment(now // 1000 * 1000), delivery.body),
        **({"traceparent": delivery.traceparent} if delivery.traceparent else {}),
    }


def next_attempt(attempts: int, retries: int, pause: float, rng: Random) -> int | None:
    """Milliseconds until the next attempt, or None after the last; `pause` is the first one in seconds.

    >>> [next_attempt(attempts, 3, 5.0, Random(1)) for attempts in (1, 2, 3, 4)]
    [4269, 21344, 106718, None]
    """
    if attempts > retries:
        return None
    seconds = min(pause * GROWTH ** min(attempts - 1, 100), max(pause, MAX_PAUSE))
    return round(1000 * seconds * rng.uniform(1 - JITTER, 1 + JITTER))


def attempted(delivery: Delivery, problem: str | None, now: int, wait: int | None) -> Delivery:
    """The delivery after an attempt: delivered if there was no problem, dead if there is no `wait`."""
    if problem is None:
        return delivery._replace(state="delivered", attempts=delivery.attempts + 1, due=None, problem="")
    due, state = (None, "dead") if wait is None else (now + wait, "waiting")
    return delivery._replace(state=state, attempts=delivery.attempts + 1, due=due, problem=problem[:200])


def replayed(delivery: Delivery, now: int) -> Delivery:
    """The delivery with its attempts reset; the receiver recognizes it by its id."""
    return delivery._replace(state="waiting", attempts=0, due=now, problem="")


class DeliveryQueue:
    """Decides which delivery to send next: round-robin over tenants, one at a time per session, one per failing tenant.

    So a session's deliveries arrive in order unless one is retried, and a slow or failing tenant does not delay others.
    """

    def __init__(
        self, concurrent: int = MAX_CONCURRENT, per_tenant: int = MAX_PER_TENANT, queued: int = MAX_QUEUED
    ) -> None:
        self._free, self._per_tenant, self._max_queued = concurrent, per_tenant, queued
        self._queues: dict[str, deque[Delivery]] = {}
        self._ids: set[str] = set()
        self._busy: Counter[str] = Counter()
        self._sessions: set[str] = set()
        self._healthy: set[str] = set()

    def add(self, due: Iterable[Delivery]) -> int:
        """Returns how many are new; those that do not fit into a tenant's queue must be added again later."""
        added = 0
        for delivery in due:
            if delivery.id not in self._ids and len(self._queues.get(delivery.tenant, ())) < self._max_queued:
                self._queues.setdefault(delivery.tenant, deque()).append(delivery)
                self._ids.add(delivery.id)
                added += 1
        return added

    def take(self) -> Delivery | None:
        for tenant, queue in self._queues.items() if self._free else ():
            if self._busy[tenant] < (self._per_tenant if tenant in self._healthy else 1):
                for delivery in queue:
                    if delivery.session not in self._sessions:
                        return self._start(delivery)
        return None

    def done(self, delivery: Delivery, *, healthy: bool | None) -> bool:
        """Returns whether the tenant's queue is empty; `healthy` is None if nothing was sent."""
        if healthy is not None:
            (self._healthy.add if healthy else self._healthy.discard)(delivery.tenant)
        self._ids.discard(delivery.id)
        self._sessions.discard(delivery.session)
        self._free += 1
        self._busy[delivery.tenant] -= 1
        return delivery.tenant not in self._queues

    def _start(self, delivery: Delivery) -> Delivery:
        queue = self._queues.pop(delivery.tenant)
        queue.remove(delivery)
        if queue:
            self._queues[delivery.tenant] = queue  # at the end: the other tenants come first
        self._free -= 1
        self._busy[delivery.tenant] += 1
        self._sessions.add(delivery.session)
        return delivery


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
