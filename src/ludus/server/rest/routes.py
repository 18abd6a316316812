"""Every address of the API, who may use it and what it can answer."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.datastructures import Default
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from ludus.server.http import request as http
from ludus.server.http.analysis import GameAnalysis
from ludus.server.http.exports import PlayerExport, TenantExport
from ludus.server.http.rate_limit import RequestLimit
from ludus.server.http.request import Authenticate, Pipeline
from ludus.server.rest.auth import KeyAuth, allow_anyone, refuse_origin
from ludus.server.rest.errors import of_fastapi, of_starlette, render_error
from ludus.server.rest.handlers.players import Players
from ludus.server.rest.handlers.rooms import Rooms
from ludus.server.rest.handlers.sessions import Sessions
from ludus.server.rest.handlers.tenant import TenantAccount
from ludus.server.rest.handlers.tournaments import Tournaments
from ludus.server.rest.schemas import OpenRooms
from ludus.service.analysis import Analyses
from ludus.service.erasure import Erasures
from ludus.service.platform import Platform
from ludus.service.tenants import Tenants
from ludus.service.webhooks.dispatcher import WebhookDispatcher
from ludus.service.webhooks.outbox import WebhookOutbox

ERRORS: Final = {
    400: ("Something in the request is missing or wrong.", "game is required", "malformed"),
    401: ("No key or token, or an invalid one.", "Invalid or inactive API key", "unauthorized"),
    403: ("Not with this key, or not from this origin.", "Test API key cannot create live sessions", "forbidden"),
    404: ("There is no such session or room.", "there is no such session", "not_found"),
    409: ("Already taken, or already done.", "two players are in this room already", "room_full"),
    429: ("Too many requests.", "Too many requests; try again in 12 s", "too_fast"),
    500: ("Our fault.", "Something went wrong on our side.", "internal"),
}
QUOTA: Final = {
    "X-RateLimit-Limit": "Requests a minute.",
    "X-RateLimit-Remaining": "Requests left.",
    "X-RateLimit-Reset": "When the count starts over, in seconds since 1970.",
}
RETRY: Final = {"Retry-After": "Seconds to wait."}


class Operation(NamedTuple):
    method: str
    path: str
    handler: Callable[..., Any]
    authenticate: Authenticate
    id: str
    """The name of the function in generated clients."""
    summary: str
    errors: tuple[int, ...]
    """Statuses besides those that every operation has."""
    status: int = 200
    response: Any = Default(None)
    """The model of a response that is streamed; by default it is the handler's return type."""


def router(
    platform: Platform,
    tenants: Tenants,
    limit: RequestLimit,
    outbox: WebhookOutbox,
    dispatcher: WebhookDispatcher,
    erasures: Erasures,
    analyses: Analyses,
) -> APIRouter:
    pipeline, sessions, rooms = Pipeline(limit, render_error), Sessions(platform, outbox, analyses), Rooms(platform)
    account = TenantAccount(platform, tenants, dispatcher, erasures)
    players, tournaments = Players(platform, erasures), Tournaments(platform)
    replay = "/v1/tenant/deliveries/{id}/replay"
    key, anyone = KeyAuth(tenants), allow_anyone
    made, seen, gone = (400, 401, 403), (400, 401, 403, 404), (401, 403, 404, 409)
    routes = APIRouter(strict_content_type=False)
    for operation in (
        Operation("POST", "/v1/sessions", sessions.create, key, "createSession", "Create a session", made, 201),
        Operation("POST", "/v1/sessions/join", sessions.join, key, "joinRoom", "Join a friend's room", (*seen, 409)),
        Operation("GET", "/v1/sessions/validate", sessions.validate, anyone, "validateToken", "Ask with a token",
                  (400, 401, 404)),
        Operation("GET", "/v1/sessions/{id}", sessions.show, key, "getSession", "Look at a session", seen),
        Operation("DELETE", "/v1/sessions/{id}", sessions.cancel, key, "cancelSession", "Cancel a session", gone),
        Operation("GET", "/v1/sessions/{id}/proof", sessions.prove, key, "getProof", "Get the proof of a game",
                  (401, 403, 404)),
        Operation("POST", "/v1/sessions/{id}/analysis", sessions.analyze, key, "analyzeSession", "Analyze a game",
                  gone, 200, GameAnalysis),
        Operation("GET", "/v1/sessions/{id}/analysis", sessions.show_analysis, key, "getAnalysis",
                  "Get the analysis of a game", seen, 200, GameAnalysis),
        Operation("GET", "/v1/rooms", rooms.list, anyone, "listRooms", "List the games to watch", (400,), 200,
                  OpenRooms),
        Operation("POST", "/v1/tournaments", tournaments.create, key, "createTournament", "Make a tournament",
                  (*made, 409), 201),
        Operation("GET", "/v1/tournaments", tournaments.list, key, "listTournaments", "List your tournaments", made),
        Operation("GET", "/v1/tournaments/{id}", tournaments.show, key, "getTournament", "Look at a tournament", seen),
        Operation("DELETE", "/v1/tournaments/{id}", tournaments.cancel, key, "cancelTournament",
                  "Call a tournament off", gone),
        Operation("POST", "/v1/tournaments/{id}/players", tournaments.add, key, "addTournamentPlayers",
                  "Let players enter a tournament", (*seen, 409)),
        Operation("GET", "/v1/tournaments/{id}/players/{player:path}/session", tournaments.session, key,
                  "getTournamentGame", "Get a token for a tournament's game", seen),
        Operation("DELETE", "/v1/tournaments/{id}/players/{player:path}", tournaments.remove, key,
                  "removeTournamentPlayer", "Take a player out of a tournament", gone),
        Operation("DELETE", "/v1/tournaments/{id}/bots/{level}", tournaments.remove_bot, key, "removeTournamentBot",
                  "Take a house bot out of a tournament", gone),
        Operation("POST", "/v1/tournaments/{id}/start", tournaments.start, key, "startTournament",
                  "Start a tournament", gone),
        Operation("GET", "/v1/players/{id:path}/export", players.export, key, "exportPlayer", "Export a player",
                  (401, 403, 404), 200, PlayerExport),
        Operation("DELETE", "/v1/players/{id:path}", players.delete, key, "deletePlayer", "Delete a player",
                  (401, 403, 404)),
        Operation("GET", "/v1/tenant", account.show, key, "getTenant", "Look at yourself", (401, 403)),
        Operation("DELETE", "/v1/tenant", account.delete, key, "deleteTenant", "Delete yourself", (401, 403)),
        Operation("GET", "/v1/tenant/export", account.export, key, "exportTenant", "Export everything", (401, 403), 200,
                  TenantExport),
        Operation("GET", "/v1/tenant/sessions", account.sessions, key, "listSessions", "List your sessions", made),
        Operation("GET", "/v1/tenant/deliveries", account.deliveries, key, "listDeliveries", "List your webhooks",
                  made),
        Operation("POST", replay, account.replay, key, "replayDelivery", "Send a webhook again", gone),
        Operation("POST", "/v1/tenant/keys", account.rotate, key, "createKey", "Make a new key", made, 201),
    ):  # fmt: skip
        routes.add_api_route(
            operation.path,
            operation.handler,
            methods=[operation.method],
            status_code=operation.status,
            operation_id=operation.id,
            summary=operation.summary,
            response_description=operation.summary,
            response_model=operation.response,
            tags=[operation.path.split("/")[2]],
            responses=_responses(operation.status, *operation.errors),
            route_class_override=route_class(pipeline, operation.authenticate),
        )
    known = [route for route in routes.routes if isinstance(route, APIRoute)]
    routes.routes.extend(pipeline.not_found(path, known, anyone) for path in ("/v1", "/v1/{path:path}"))
    return routes


def route_class(pipeline: Pipeline, authenticate: Authenticate) -> type[APIRoute]:
    """Routes that a request reaches through the pipeline, before FastAPI reads its body."""

    class PipelineRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def handler(request: Request) -> Response:
                refuse_origin(request)
                try:
                    return await handle(http.Request(request.scope, request.receive))
                except RequestValidationError as error:
                    raise of_fastapi(error) from None
                except HTTPException as error:
                    raise of_starlette(error) from None

            async def respond(request: Request) -> Response:
                return await pipeline.respond(request, lambda: handler(request), authenticate)

            return respond

    return PipelineRoute


def _responses(good: int, *bad: int) -> dict[int | str, dict[str, Any]]:
    errors: dict[int | str, dict[str, Any]] = {status: _error(status) for status in (*bad, 429, 500)}
    other = {
        "description": "Any other error: the body is too long, the server is stopping or unavailable.",
        "content": _content(),
    }
    return {good: {"headers": _headers(QUOTA)}, **errors, "default": other}


def _error(status: int) -> dict[str, Any]:
    description, text, code = ERRORS[status]
    headers = _headers(QUOTA | RETRY if status == 429 else QUOTA)
    return {"description": description, "headers": headers, "content": _content(example={"error": text, "code": code})}


def _content(**more: Any) -> dict[str, Any]:
    """By reference: a `model` would be built again for each status of each operation, which takes most of a start."""
    return {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}, **more}}


def _headers(named: dict[str, str]) -> dict[str, Any]:
    return {name: {"description": text, "schema": {"type": "integer"}} for name, text in named.items()}
