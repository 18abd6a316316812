"""Metrics for Prometheus. No label takes a value that a client can make up."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from ludus.games import GAMES
from ludus.server.http.cpu_budget import CpuBudget
from ludus.server.http.errors import ERRORS

OTHER: Final = "other"
METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
EVENTS: Final = frozenset({
    "connect",
    "disconnect",
    "matchmaking:join",
    "matchmaking:leave",
    "game:get_moves",
    "game:takeback",
    "game:hint",
    "game:tutor",
    "game:boards",
    "game:phrase",
    "game:move",
    "game:resign",
    "game:resign:offer",
    "game:resign:accept",
    "game:resign:decline",
    "game:roll",
    "game:double:offer",
    "game:double:take",
    "game:double:drop",
    "game:double:beaver",
    "game:reconnect",
    "game:spectate",
    "game:draw:offer",
    "game:draw:accept",
    "game:draw:decline",
    "game:rematch",
    "afk:check",
})  # fmt: skip
"""Sent by clients."""
CODES: Final = frozenset({"ok", *(entry.code for entry in ERRORS.values())})
ERASED: Final = frozenset({"player", "agent", "tenant"})
RETAINED: Final = frozenset(
    {"games", "sessions", "webhooks", "encounters", "addresses", "codes", "challenges", "people"}
)
DELIVERIES: Final = frozenset({"delivered", "waiting", "dead"})
CLOSED: Final = frozenset({
    "address_limit",
    "connection_limit",
    "made_room",
    "head_timeout",
    "body_timeout",
    "slow_reader",
    "send_queue",
    "send_total",
    "bad_request",
})  # fmt: skip
"""Why the server refuses or ends a connection by itself."""
FORWARDS: Final = frozenset({"answered", "gone", "left", "refused"})
"""How a request ended that was passed on to another process."""
DIRECTIONS: Final = frozenset({"sent", "received", "dropped"})
MOST_ROUTES: Final = 200

FAST: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
SLOW: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class CountedRequest(NamedTuple):
    """The labels of a request."""

    method: str
    route: str


class Metrics:
    """One server's own registry, so that several servers can live in one process."""

    def __init__(self, games: Collection[str] = frozenset(GAMES), events: Collection[str] = EVENTS) -> None:
        self.registry = own = CollectorRegistry()
        ProcessCollector(namespace="ludus", registry=own)
        self._games, self._events = frozenset(games), frozenset(events)
        self._routes: set[str] = set()
        # Labels are looked up once: prometheus takes longer for that than for counting.
        requests = Counter(
            "ludus_http_requests", "REST requests answered.", ("method", "route", "status"), registry=own
        )
        self._requests = cache(requests.labels)
        seconds = Histogram(
            "ludus_http_request_seconds", "Time to answer a REST request.", ("route",), buckets=FAST, registry=own
        )
        self._request_seconds = cache(seconds.labels)
        self.sockets = Gauge("ludus_socket_connections", "Sockets open now.", registry=own)
        events_ended = Counter(
            "ludus_socket_events", "Socket events by how they ended: ok or a code.", ("event", "result"), registry=own
        )
        self._socket_events = cache(events_ended.labels)
        self._moves = cache(Counter("ludus_moves", "Moves accepted and stored.", ("game",), registry=own).labels)
        self.live_tables = Gauge("ludus_live_tables", "Tables with a game going on.", registry=own)
        self._commit_seconds = Histogram(
            "ludus_store_commit_seconds", "Time of one durable commit.", buckets=FAST, registry=own
        )
        self._commit_size = Histogram("ludus_store_commit_size", "Writes in one commit.", buckets=SIZES, registry=own)
        self._thinking = Histogram(
            "ludus_bot_thinking_seconds", "Time a bot takes to choose a move.", ("game",), buckets=SLOW, registry=own
        )
        self._deliveries = Counter("ludus_webhook_deliveries", "Webhooks tried.", ("state",), registry=own)
        self._erasures = Counter("ludus_erasures", "Players, agents and tenants deleted.", ("kind",), registry=own)
        self._deleted = Counter(
            "ludus_retention_deleted",
            "Games, sessions, webhooks, encounters and address marks deleted for their age.",
            ("kind",),
            registry=own,
        )
        self._closed = Counter(
            "ludus_connections_closed", "Connections refused or ended by the server.", ("reason",), registry=own
        )
        self.tasks = Gauge("ludus_tasks", "Tasks of the event loop.", registry=own)
        self._forwards = Counter(
            "ludus_forwards",
            "Polls and sockets passed on to the process that has their session.",
            ("kind", "result"),
            registry=own,
        )
        self.limits_shared = Gauge(
            "ludus_limits_shared", "Whether limits hold across processes: 0 while Redis does not answer.", registry=own
        )
        self.limits_compared = Counter(
            "ludus_limits_compared", "Comparisons of counts with those of other processes.", registry=own
        )
        self.connections = Gauge("ludus_connections", "Connections open now.", registry=own)
        self.queued_bytes = Gauge("ludus_queued_bytes", "Bytes waiting for clients to read them.", registry=own)
        self.bus_connected = Gauge(
            "ludus_bus_connected", "Whether notes of other processes arrive; 1 without a cluster.", registry=own
        )
        notes = Counter("ludus_bus_notes", "Notes to and from other processes.", ("direction",), registry=own)
        self._bus_notes = cache(notes.labels)
        self._bus_gaps = Counter("ludus_bus_gaps", "How often notes of other processes were lost.", registry=own)
        self._bus_lag = Histogram(
            "ludus_bus_lag_seconds", "Time from publishing a note to its arrival here.", buckets=FAST, registry=own
        )
        self.waiting = Gauge("ludus_queue_waiting", "Players waiting for an opponent.", registry=own)
        self._cpu_charged = Counter("ludus_cpu_charged_seconds", "Event loop time charged to clients.", registry=own)
        self._cpu_slowed = Counter("ludus_cpu_slowed", "Requests and packets that waited for their turn.", registry=own)
        self._cpu_refused = Counter("ludus_cpu_refused", "Those refused for using too much.", registry=own)
        self._cpu_waiting = Gauge("ludus_cpu_waiting", "Those that wait now.", registry=own)
        self._cpu_share = Gauge("ludus_cpu_share", "What one address may use now, in cores.", registry=own)

    def request(self, method: str, route: str | None, status: int, seconds: float) -> CountedRequest:
        """Counts an answered request; `route` is the template (`/v1/sessions/{id}`), None where none matched."""
        counted = CountedRequest(_among(METHODS, method), self._route(route))
        code = str(status) if 100 <= status < 600 else OTHER
        self._requests(*counted, code).inc()
        self._request_seconds(counted.route).observe(seconds)
        return counted

    def socket_event(self, event: str, result: str = "ok") -> None:
        """Counts a client's event; `result` is the code of its error."""
        self._socket_events(_among(self._events, event), _among(CODES, result)).inc()

    def move(self, game: str) -> None:
        self._moves(_among(self._games, game)).inc()

    def commit(self, seconds: float, size: int) -> None:
        self._commit_seconds.observe(seconds)
        self._commit_size.observe(size)

    def thinking(self, game: str, seconds: float) -> None:
        self._thinking.labels(_among(self._games, game)).observe(seconds)

    def delivery(self, state: str) -> None:
        """Counts one attempt at a webhook: `delivered`, `waiting` (to be retried) or `dead` (given up)."""
        self._deliveries.labels(_among(DELIVERIES, state)).inc()

    def erased(self, kind: str) -> None:
        """Counts a deleted `player`, `agent` or `tenant`."""
        self._erasures.labels(_among(ERASED, kind)).inc()

    def deleted(self, kind: str, number: int) -> None:
        """Counts what retention has deleted, by one of the kinds in `RETAINED`."""
        self._deleted.labels(_among(RETAINED, kind)).inc(number)

    def cpu(self, budget: CpuBudget) -> None:
        """Takes over what the budget has counted, which is too frequent for counters."""
        for counter, total in (
            (self._cpu_charged, budget.charged),
            (self._cpu_slowed, budget.slowed),
            (self._cpu_refused, budget.refused),
        ):
            counter.inc(max(0.0, total - counter._value.get()))  # a part of what was charged may have been given back
        self._cpu_waiting.set(budget.waiting)
        self._cpu_share.set(budget.share)

    def bus_notes(self, direction: str, number: int) -> None:
        """Counts notes that were `sent`, `received`, or `dropped` because the bus was away for too long."""
        self._bus_notes(_among(DIRECTIONS, direction)).inc(number)

    def bus_gap(self) -> None:
        self._bus_gaps.inc()

    def bus_lag(self, seconds: float) -> None:
        self._bus_lag.observe(seconds)

    def closed(self, reason: str) -> None:
        """Counts a connection that the server refused or ended by itself."""
        self._closed.labels(_among(CLOSED, reason)).inc()

    def forward(self, kind: str, result: str) -> None:
        """Counts a `poll` or a `socket` that was passed on to another process, when it has ended."""
        self._forwards.labels(kind, _among(FORWARDS, result)).inc()

    def render(self) -> tuple[bytes, str]:
        """The page for Prometheus, and its content type."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST

    def _route(self, route: str | None) -> str:
        """A mounted application could pass paths for templates; beyond a limit they are counted together."""
        if route is None:
            return "unmatched"
        if route not in self._routes and len(self._routes) < MOST_ROUTES:
            self._routes.add(route)
        return _among(self._routes, route)


def _among(known: Collection[str], value: str) -> str:
    return value if value in known else OTHER
