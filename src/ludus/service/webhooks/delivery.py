"""What the platform tells a tenant's back end: the letters, their signatures, their order, and when to try again."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from random import Random
from typing import Any, Final, NamedTuple
from uuid import UUID

import orjson
from standardwebhooks import Webhook

from ludus.service.clock import iso
from ludus.service.records import Delivery, Tenant

GROWTH: Final = 5.0
"""How many times longer each pause is than the one before."""
JITTER: Final = 0.2
"""Part of a pause by which it may be longer or shorter, so that what failed together does not come back together."""
LONGEST: Final = 24 * 3600.0
"""Seconds of a pause, however many came before it."""

ALL_LANES: Final = 128
LANES: Final = 8
"""Deliveries on their way to one tenant at once, as long as it answers well and soon."""
HELD: Final = 200
"""Deliveries of one tenant that are kept in memory."""


class News(NamedTuple):
    """Something that happened in a session, before it is put into a letter."""

    event: str
    data: Mapping[str, Any]


def deliveries(
    tenant: Tenant | None,
    news: Iterable[News],
    *,
    session: str,
    game: str,
    mode: str,
    now: int,
    rng: Random,
    sequence: int = 0,
) -> list[Delivery]:
    """A letter for each piece of news, due at once; none unless the mode is live and the tenant wants to hear.

    `sequence` puts in order what happens in one millisecond: the table's version.
    """
    if mode != "live" or tenant is None or tenant.webhook_url is None:
        return []
    url, about = tenant.webhook_url, {"sessionId": session, "game": game, "mode": mode, "timestamp": iso(now)}
    letters = []
    for index, (event, data) in enumerate(news):
        id = ordered_id(now, 16 * sequence + index, rng)
        text = body({"event": event, "deliveryId": id, **about, "data": data})
        letters.append(Delivery(id, tenant.id, session, event, url, text, "waiting", 0, now, now))
    return letters


def ordered_id(now: int, count: int, rng: Random) -> str:
    """A UUID of version 7: sorted by time, then by a count of 32 bits, and random behind that.

    >>> ordered_id(1_700_000_000_123, 1, Random(1))
    '018bcfe5-687b-7000-8000-06462265b1f5'
    """
    high, low = count >> 20 & 0xFFF, count & 0xFFFFF
    return str(UUID(int=now << 80 | 7 << 76 | high << 64 | 2 << 62 | low << 42 | rng.getrandbits(42)))


def body(content: Mapping[str, Any]) -> str:
    """The very text that is signed and sent, each time it is sent."""
    return orjson.dumps(content).decode()


def webhook_secret(secret: bytes, tenant: str) -> str:
    """With what a tenant's webhooks are signed: derived from the platform's secret, so that no store can leak it."""
    digest = hmac.new(secret, f"webhook/{tenant}".encode(), hashlib.sha256).digest()
    return f"whsec_{base64.b64encode(digest).decode()}"


def headers(delivery: Delivery, signing: str, prefix: str, now: int) -> dict[str, str]:
    """Two signatures by one secret: over the body alone, and as Standard Webhooks has it, over id and time as well."""
    digest = hmac.new(signing.encode(), delivery.body.encode(), hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/json",
        f"X-{prefix}-Signature": f"sha256={digest}",
        f"X-{prefix}-Event": delivery.event,
        f"X-{prefix}-Delivery": delivery.id,
        "webhook-id": delivery.id,
        "webhook-timestamp": str(now // 1000),
        "webhook-signature": Webhook(signing).sign(delivery.id, _moment(now // 1000 * 1000), delivery.body),
    }


def next_attempt(attempts: int, retries: int, pause: float, rng: Random) -> int | None:
    """Milliseconds until the next attempt after so many, or None after the last; `pause` in seconds is the first.

    >>> [next_attempt(attempts, 3, 5.0, Random(1)) for attempts in (1, 2, 3, 4)]
    [4269, 21344, 106718, None]
    """
    if attempts > retries:
        return None
    seconds = min(pause * GROWTH ** min(attempts - 1, 100), max(pause, LONGEST))
    return round(1000 * seconds * rng.uniform(1 - JITTER, 1 + JITTER))


def attempted(delivery: Delivery, problem: str | None, now: int, wait: int | None) -> Delivery:
    """The delivery after one more attempt: without a problem it has arrived, without a `wait` it is dead."""
    if problem is None:
        return delivery._replace(state="delivered", attempts=delivery.attempts + 1, due=None, problem="")
    due, state = (None, "dead") if wait is None else (now + wait, "waiting")
    return delivery._replace(state=state, attempts=delivery.attempts + 1, due=due, problem=problem[:200])


def replayed(delivery: Delivery, now: int) -> Delivery:
    """The delivery as if it had never been tried; the receiver knows it by its id."""
    return delivery._replace(state="waiting", attempts=0, due=now, problem="")


class Lanes:
    """Which delivery goes next: tenants in turn, one at a time for each session, one for a tenant in trouble.

    So the letters of a session arrive in order unless one has to be repeated, and whoever answers late or badly holds
    up nobody else.
    """

    def __init__(self, lanes: int = ALL_LANES, each: int = LANES, held: int = HELD) -> None:
        self._free, self._each, self._most = lanes, each, held
        self._held: dict[str, deque[Delivery]] = {}
        self._ids: set[str] = set()
        self._busy: Counter[str] = Counter()
        self._sessions: set[str] = set()
        self._well: set[str] = set()

    def add(self, due: Iterable[Delivery]) -> int:
        """How many are new; what a tenant's queue has no room for must be offered again."""
        added = 0
        for delivery in due:
            if delivery.id not in self._ids and len(self._held.get(delivery.tenant, ())) < self._most:
                self._held.setdefault(delivery.tenant, deque()).append(delivery)
                self._ids.add(delivery.id)
                added += 1
        return added

    def take(self) -> Delivery | None:
        for tenant, queue in self._held.items() if self._free else ():
            if self._busy[tenant] < (self._each if tenant in self._well else 1):
                for delivery in queue:
                    if delivery.session not in self._sessions:
                        return self._taken(delivery)
        return None

    def done(self, delivery: Delivery, *, well: bool | None) -> bool:
        """Whether the tenant has nothing left here; `well` says how it answered, if it was asked."""
        if well is not None:
            (self._well.add if well else self._well.discard)(delivery.tenant)
        self._ids.discard(delivery.id)
        self._sessions.discard(delivery.session)
        self._free += 1
        self._busy[delivery.tenant] -= 1
        return delivery.tenant not in self._held

    def _taken(self, delivery: Delivery) -> Delivery:
        queue = self._held.pop(delivery.tenant)
        queue.remove(delivery)
        if queue:
            self._held[delivery.tenant] = queue  # at the end: the others come first now
        self._free -= 1
        self._busy[delivery.tenant] += 1
        self._sessions.add(delivery.session)
        return delivery


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
