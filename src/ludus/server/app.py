"""Wires the parts of a server together: settings in, an ASGI application out. Tests use it too."""

from __future__ import annotations

import asyncio
import secrets
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import orjson
from fastapi import FastAPI, Request, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from ludus import __version__
from ludus.games import GAMES
from ludus.players import BOT_PREFIX
from ludus.server import rest
from ludus.server.arena.app import Arena
from ludus.server.backend import Backend
from ludus.server.cluster.forwarding import Forwarding
from ludus.server.cluster.peers import MemberAddresses, Peers, Signature
from ludus.server.cluster.private_listener import PrivateApp
from ludus.server.connections.backlog import Backlogs
from ludus.server.http import middleware
from ludus.server.http.cpu_budget import CpuBudget
from ludus.server.http.guest_games import GuestGames
from ludus.server.http.rate_limit import HOUR, RequestLimit, SocketCount
from ludus.server.http.request import HOME, JSON, base_url, document_response, mounted, path_prefix
from ludus.server.http.route_index import RouteIndex
from ludus.server.http.shared_builds import BuiltOnce
from ludus.server.mcp import McpEndpoint
from ludus.server.metrics import Metrics
from ludus.server.probes import probes
from ludus.server.rooms import asyncapi
from ludus.server.rooms.gateway import RoomGateway
from ludus.server.rooms.namespace import RoomNamespace
from ludus.server.settings import Settings
from ludus.server.socketio.engine import PayloadValidation, SocketServer
from ludus.server.web import routes as web
from ludus.server.web.passkeys import Passkeys
from ludus.server.web.people import SIGN_IN_SECONDS, PeopleAuth, PeopleHandlers
from ludus.server.web.play import Play
from ludus.server.web.profiles import Profiles
from ludus.server.web.puzzles import WebPuzzles
from ludus.server.web.relations import RelationHandlers
from ludus.server.web.tournaments import TournamentHandlers
from ludus.server.web.viewers import Viewers
from ludus.service.address_marks import KEPT_DAYS
from ludus.service.agents import Agents
from ludus.service.challenges import Challenges
from ludus.service.cluster import ROLES, Work
from ludus.service.erasure import Erasures
from ludus.service.matches import Matches
from ludus.service.people import People
from ludus.service.platform import SYSTEM_RANDOM
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Store
from ludus.service.records import Person
from ludus.service.relations import Relations
from ludus.service.retention import Days, Retention
from ludus.service.tables import NotFound
from ludus.service.tenants import Tenants
from ludus.service.webhooks.client import PinnedClient
from ludus.service.webhooks.dispatcher import WebhookDispatcher

if TYPE_CHECKING:
    from ludus.server.cluster.shared_limits import SharedLimits

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

ENGINE_PATHS: Final = ("/socket.io", "/api/socket/io")
OPENAPI: Final = "/v1/openapi.json"
EXPIRED_CODE_DAYS: Final = 1
DRAIN_SECONDS: Final = 0.2
"""For the last messages to leave before the sockets close."""
MOST_RESPONSE: Final = 4
"""Bytes of a poll's response for each of `max_queued`: what is queued is counted in characters."""


class Server:
    """One process of the platform with all its APIs; an ASGI application."""

    def __init__(
        self, settings: Settings, clock: Clock | None = None, *, private_address: str = "", peers: Peers | None = None
    ) -> None:
        """In a cluster, `private_address` is where other processes reach this one, and `peers` says where they are."""
        self.settings = settings
        self.rest_limit: RequestLimit
        self.private_address = private_address
        self.metrics = Metrics()
        self.budget = CpuBudget(settings.cpu_share, settings.cpu_total)
        do = self.budget.do_for_client
        self.backend = backend = Backend(settings, self.metrics, clock, address=private_address, do=do)
        self._clock = clock = backend.clock
        self.store, self.cluster, self.platform = backend.store, backend.cluster, backend.platform
        self.outbox, self.analyses, self.readiness = backend.outbox, backend.analyses, backend.readiness
        self.tracing, secret = backend.tracing, backend.secret
        if settings.bus and peers is None:
            peers = Peers(self.cluster.id, MemberAddresses(self.cluster))
        self.tenants = Tenants(
            self.store, clock, lambda: secrets.token_urlsafe(32), secret, allow_private=settings.webhook_private
        )
        self.dispatcher = _dispatcher(self, secret, clock)
        self.retention = Retention(
            self.store,
            clock,
            Days(
                settings.retention_games_days,
                settings.retention_sessions_days,
                settings.webhook_days,
                settings.retention_guests_days,
                settings.retention_unplayed_days,
                KEPT_DAYS,
                EXPIRED_CODE_DAYS,
                settings.retention_people_days,
            ),
            on_table=self.platform.tables.note_deleted,
            forget=self._forget,
            on_deleted=self.metrics.deleted,
            is_ours=lambda: self.cluster.has(Work.SWEEP, "0"),
        )
        backend.on_delivery = self.dispatcher.wake
        self.backlogs = Backlogs(settings.max_queued, settings.max_queued_total, self.metrics.closed)
        self.sio = SocketServer(
            [f"/{game}" for game in GAMES],
            self.backlogs,
            self.budget,
            max_sockets=settings.max_sockets,
            max_events=settings.max_events,
            process=peers.own if peers else "",
            max_http_buffer_size=settings.max_frame,
        )
        self.guest_games = GuestGames(
            self.platform.tables, settings.guest_games, settings.max_guest_games, lambda: clock.now() / 1000
        )
        self.platform.bus.subscribe(self.guest_games.on_note, self.guest_games.is_concerned)
        self.rooms = RoomGateway(
            self.sio,
            self.platform,
            self.metrics,
            SocketCount(settings.max_sockets),
            self.guest_games,
            has_guests=settings.guests,
            events_per_second=settings.max_events,
        )
        self.agents = _agents(self.store, clock)
        self.erasures = Erasures(self.platform, self.agents, self.tenants, self.outbox, self.metrics.erased)
        self.people = People(
            self.store,
            clock,
            lambda: str(uuid.uuid4()),
            lambda: secrets.token_urlsafe(32),
            secrets.choice,
            secret,
        )
        self.new_people = RequestLimit(settings.guest_games, lambda: clock.now() / 1000, HOUR)
        self.sign_ins = RequestLimit(settings.sign_ins, lambda: clock.now() / 1000, SIGN_IN_SECONDS)
        self.people_auth = PeopleAuth(self.people, self.new_people, self.sign_ins, has_guests=settings.guests)
        self.relations = Relations(self.store, clock, lambda: str(uuid.uuid4()), secrets.choice)
        self.challenges = Challenges(
            self.store, clock, self.relations, self.platform.sessions, lambda: str(uuid.uuid4())
        )
        self._limit = RequestLimit(settings.agent_rate_limit, lambda: clock.now() / 1000)
        matches = Matches(self.platform, settings.most_refusals)
        self.platform.exhibitions.spectators = self.spectators
        self.arena = Arena(
            self.platform,
            self.agents,
            matches,
            self.metrics,
            clock,
            settings,
            self._limit,
            self.erasures,
            self.backlogs,
            self.analyses,
            self.budget,
        )
        self.platform.bus.subscribe(self.arena.on_note, self.arena.is_concerned)
        roster = self.platform.roster
        bots = dict.fromkeys(BOT_PREFIX + name for game in GAMES for name in roster.names(game))
        self.mcp = McpEndpoint(self, self.arena.pipeline, self.arena.authenticate, self.arena.base_url, tuple(bots))
        for game in GAMES:
            self.sio.register_namespace(RoomNamespace(game, self.rooms))
        self._prefix = path_prefix(settings.public_url)
        own_engine = PayloadValidation(self.sio.handle_request)
        self._engine = self._limited(own_engine)
        web_app = RouteIndex(_fastapi(self, clock))
        self._web = middleware.wrap(web_app, settings, self.metrics, self.budget)
        signature = Signature(secret)
        self.private = PrivateApp(self._engine, self._web, signature)
        self._forwarding: Forwarding | None = None
        if peers is not None:
            self._forwarding = Forwarding(
                own_engine, peers, signature, self.metrics, MOST_RESPONSE * settings.max_queued
            )
            self._engine = self._limited(self._forwarding)
        self.shared_limits = self._share_limits() if settings.bus else None
        if self.tracing:
            self.tracing.instrument(self, middleware.templates(web_app))

    def _share_limits(self) -> SharedLimits:
        from ludus.server.cluster.shared_limits import SharedLimits  # needs Redis's client, which is slow to import

        def members() -> list[str]:
            return [member.id for member in self.cluster.members.values() if member.role in ROLES[Work.SWEEP]]

        name, secret = self.backend.bus_name, self.backend.secret
        shared = SharedLimits(self.settings.bus, self.cluster.id, members, name=name, secret=secret)
        limits: dict[str, RequestLimit | SocketCount] = {
            "rest": self.rest_limit,
            "agents": self._limit,
            "registrations": self.arena.registrations,
            "tournaments": self.arena.new_tournaments,
            "guest-games": self.guest_games.started,
            "people": self.new_people,
            "sign-ins": self.sign_ins,
            "guests-busy": self.guest_games.busy,
            "engine": self.sio.count,
            "rooms": self.rooms.sockets,
            "arena": self.arena.sockets,
        }
        for each, limit in limits.items():
            shared.share(each, limit)
        shared.on_compared = self.metrics.limits_compared.inc
        self.metrics.limits_shared.set_function(lambda: shared.is_current)
        return shared

    def limit_forwards(self, most: int) -> None:
        """At once: each takes a file handle more than other requests and sockets do."""
        if self._forwarding is not None:
            self._forwarding.most_at_once = most

    def _limited(self, engine: ASGIApp) -> ASGIApp:
        return middleware.Admission(middleware.BodyLimit(engine, self.settings.max_frame), self.budget)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            scope = mounted(scope, self._prefix)
        is_engine = scope.get("path", "").rstrip("/") in ENGINE_PATHS
        await (self._engine if is_engine else self._web)(scope, receive, send)  # the engine returns a text

    def spectators(self, table: str) -> int:
        """Those connected to this process."""
        return self.rooms.spectators(table) + self.arena.watchers(table)

    async def _forget(self, person: Person) -> None:
        with suppress(NotFound):  # they have deleted themselves
            await self.erasures.finish(await self.erasures.request_person(person))

    def web_routes(self) -> list[BaseRoute]:
        people = PeopleHandlers(self.platform, self.people, self.people_auth, self.erasures)
        return web.routes(
            self.platform,
            self.agents,
            self.analyses,
            people,
            Passkeys(self.people, self.people_auth, people, self.settings.public_url),
            RelationHandlers(self.platform, self.people_auth, self.guest_games, self.relations, self.challenges),
            TournamentHandlers(self.platform, self.people_auth, self.arena.new_tournaments),
            Profiles(self.platform, self.people_auth, self.relations),
            Play(self.platform, self._clock, self.people_auth, self.guest_games, has_guests=self.settings.guests),
            WebPuzzles(self.platform, self.people_auth),
            Viewers(self.platform, self.people_auth),
            self.spectators,
            self._limit,
            self._prefix,
            has_service_worker=self.settings.service_worker,
            public_url=self.settings.public_url,
        )

    async def open(self) -> None:
        """Does nothing if it is open already. The engines are loaded in the background."""
        if self.readiness.is_open:
            return
        await self.backend.open()
        if self.shared_limits is not None:
            self.shared_limits.start()
        self.dispatcher.start()
        self.retention.start()
        self.platform.explorer.start()
        self.erasures.start()

    async def prepare_to_stop(self) -> None:
        """Starts no new games and tells all clients; they can resume theirs after the restart."""
        self.rooms.is_stopping = True
        await self.backend.prepare_to_stop()
        self.arena.stop()
        self.mcp.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                await self.platform.bus.drain()  # the message about the stop should be the last
        await self.rooms.broadcast("server:stopping", {"message": "The server is stopping. Come back in a moment."})
        if self._forwarding is not None:
            self._forwarding.stop()
        if self.sio.eio.sockets:
            await asyncio.sleep(DRAIN_SECONDS)
        for client in list(self.sio.eio.sockets.values()):
            if not client.upgraded:  # a poll waits for its response; WebSockets close with the server
                await client.close(wait=False)

    async def close(self) -> None:
        if self.shared_limits is not None:
            await self.shared_limits.stop()
        await self.mcp.close()
        await self.retention.stop()
        await self.platform.explorer.stop()
        await self.erasures.stop()
        await self.dispatcher.stop(self.settings.stop_seconds / 2)
        await self.backend.close()


def _fastapi(server: Server, clock: Clock) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await server.open()
        yield
        await server.close()

    app = FastAPI(
        title="Ludus rooms",
        version=__version__,
        openapi_url=OPENAPI,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        servers=[{"url": server.settings.public_url}] if server.settings.public_url else None,
    )
    rest.handle_errors(app)
    limit = server.rest_limit = RequestLimit(server.settings.rate_limit, lambda: clock.now() / 1000)
    app.router.routes.extend(server.arena.routes())  # first, since they are used most
    app.router.routes.extend(server.mcp.routes())
    rest_api = rest.router(
        server.platform, server.tenants, limit, server.outbox, server.dispatcher, server.erasures, server.analyses
    )
    app.router.routes.extend(rest_api.routes)  # `include_router` would build each of them a second time

    app.router.routes.extend(server.web_routes())
    roster = server.platform.roster
    bots = dict.fromkeys(name for game in GAMES for name in roster.names(game))
    rest.describe(app, server.settings.webhook_prefix, list(bots))
    app.router.routes[:0] = _own_routes(server, app)
    return app


def _own_routes(server: Server, app: FastAPI) -> list[BaseRoute]:
    """What is neither rooms nor arena: health, metrics and the documents that describe the APIs."""
    rooms_api = BuiltOnce(lambda _: orjson.dumps(app.openapi()))
    events = BuiltOnce(lambda base: orjson.dumps(asyncapi.document(base)))

    def update() -> None:
        server.metrics.live_tables.set(len(server.platform.tables))
        server.metrics.waiting.set(server.rooms.waiting)
        server.metrics.queued_bytes.set(server.backlogs.size)
        server.metrics.cpu(server.budget)
        server.metrics.bus_connected.set(server.platform.bus.is_connected)

    async def openapi(request: Request) -> Response:
        return document_response(request, await rooms_api.get(), JSON)

    async def socket_events(request: Request) -> Response:
        base = base_url(request, server.settings.public_url) or HOME
        return document_response(request, await events.get(base), JSON)

    handlers = {
        **probes(server.readiness, server.metrics, update),
        OPENAPI: openapi,
        "/asyncapi.json": socket_events,
    }
    return [Route(path, handler) for path, handler in handlers.items()]


def _agents(store: Store, clock: Clock) -> Agents:
    return Agents(
        store,
        clock,
        lambda: str(uuid.uuid4()),
        lambda: secrets.token_urlsafe(32),
        lambda: secrets.token_hex(8),
    )


def _dispatcher(server: Server, secret: bytes, clock: Clock) -> WebhookDispatcher:
    settings = server.settings
    return WebhookDispatcher(
        server.store,
        clock,
        PinnedClient(allow_private=settings.webhook_private),
        secret=secret,
        rng=SYSTEM_RANDOM,
        prefix=settings.webhook_prefix,
        retries=settings.webhook_retries,
        pause=settings.webhook_pause_seconds,
        on_attempt=lambda delivery: server.metrics.delivery(delivery.state),
        shards=lambda: server.cluster.shards_to_read(Work.SWEEP),
    )
