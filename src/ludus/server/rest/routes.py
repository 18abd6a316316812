"""The table of contents: every address, who may use it and what it can answer."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from ludus.server.http import request as http
from ludus.server.http.rate_limit import RequestLimit
from ludus.server.http.request import Authenticate, Pipeline
from ludus.server.rest.answers import CreatedSession, OpenRooms, Proof, Refusal, ShownSession, Standing
from ludus.server.rest.answers_tenant import Letters, LetterShown, NewKey, SessionList, TenantShown
from ludus.server.rest.auth import KeyAuth, allow_anyone, refuse_origin
from ludus.server.rest.errors import of_fastapi, of_starlette, render_error
from ludus.server.rest.rooms import Rooms
from ludus.server.rest.sessions import Sessions
from ludus.server.rest.tenant import OwnAffairs
from ludus.service.platform import Platform
from ludus.service.tenants import Tenants
from ludus.service.webhooks.dispatcher import WebhookDispatcher
from ludus.service.webhooks.outbox import WebhookOutbox

REFUSALS: Final = {
    400: ("Something in the request is missing or wrong.", "game is required", "malformed"),
    401: ("No key or token, or one that is not good.", "Invalid or inactive API key", "unauthorized"),
    403: ("Not with this key, or not from this origin.", "Test API key cannot create live sessions", "forbidden"),
    404: ("There is no such session or room.", "there is no such session", "not_found"),
    409: ("It is taken, or done, already.", "two players are in this room already", "room_full"),
    429: ("Too many requests.", "Too many requests; try again in 12 s", "too_fast"),
    500: ("Our fault.", "Something went wrong on our side.", "internal"),
}
COUNTS: Final = {
    "X-RateLimit-Limit": "Requests a minute.",
    "X-RateLimit-Remaining": "Requests left.",
    "X-RateLimit-Reset": "When the count starts again, in seconds since 1970.",
}
WAIT: Final = {"Retry-After": "Seconds to wait."}


class Entry(NamedTuple):
    """A line of the table: `refusals` are the statuses, besides those that every address has."""

    method: str
    path: str
    endpoint: Callable[..., Any]
    authenticate: Authenticate
    answer: type[BaseModel]
    summary: str
    refusals: tuple[int, ...]
    status: int = 200


def router(
    platform: Platform, tenants: Tenants, limit: RequestLimit, herald: WebhookOutbox, courier: WebhookDispatcher
) -> APIRouter:
    pipeline, sessions, rooms = Pipeline(limit, render_error), Sessions(platform, herald), Rooms(platform)
    own = OwnAffairs(platform, tenants, courier)
    replay = "/v1/tenant/deliveries/{id}/replay"
    key, free = KeyAuth(tenants), allow_anyone
    made, seen, gone = (400, 401, 403), (400, 401, 403, 404), (401, 403, 404, 409)
    routes = APIRouter(strict_content_type=False)
    for entry in (
        Entry("POST", "/v1/sessions", sessions.create, key, CreatedSession, "Create a session", made, 201),
        Entry("POST", "/v1/sessions/join", sessions.join, key, CreatedSession, "Join a friend's room", (*seen, 409)),
        Entry("GET", "/v1/sessions/validate", sessions.validate, free, Standing, "Ask with a token", (400, 401, 404)),
        Entry("GET", "/v1/sessions/{id}", sessions.show, key, ShownSession, "Look at a session", seen),
        Entry("GET", "/v1/sessions/{id}/proof", sessions.prove, key, Proof, "Get the proof of a game", (401, 403, 404)),
        Entry("GET", "/v1/rooms", rooms.list, free, OpenRooms, "List the games to watch", (400,)),
        Entry("GET", "/v1/tenant", own.show, key, TenantShown, "Look at yourself", (401, 403)),
        Entry("GET", "/v1/tenant/sessions", own.sessions, key, SessionList, "List your sessions", made),
        Entry("GET", "/v1/tenant/deliveries", own.letters, key, Letters, "List your webhooks", made),
        Entry("POST", replay, own.replay, key, LetterShown, "Send a webhook again", gone),
        Entry("POST", "/v1/tenant/keys", own.rotate, key, NewKey, "Make a new key", made, 201),
    ):
        _add(routes, entry, pipeline)
    known = [route for route in routes.routes if isinstance(route, APIRoute)]
    routes.routes.extend(pipeline.not_found(path, known, free) for path in ("/v1", "/v1/{path:path}"))
    return routes


def _add(routes: APIRouter, entry: Entry, pipeline: Pipeline) -> None:
    routes.add_api_route(
        entry.path,
        entry.endpoint,
        methods=[entry.method],
        status_code=entry.status,
        summary=entry.summary,
        tags=[entry.path.split("/")[2]],
        response_model=entry.answer,
        responses=_answers(entry.status, *entry.refusals),
        route_class_override=route_class(pipeline, entry.authenticate),
    )


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


def _answers(good: int, *refused: int) -> dict[int | str, dict[str, Any]]:
    """What a route can answer; every one counts requests, and may fail or refuse to go on."""
    refusals: dict[int | str, dict[str, Any]] = {status: _refusal(status) for status in (*refused, 429, 500)}
    other = {"model": Refusal, "description": "Any other refusal: a body that is too long, a server that stops."}
    return {good: {"headers": _headers(COUNTS)}, **refusals, "default": other}


def _refusal(status: int) -> dict[str, Any]:
    description, text, code = REFUSALS[status]
    headers = _headers(COUNTS | WAIT if status == 429 else COUNTS)
    example = {"application/json": {"example": {"error": text, "code": code}}}
    return {"model": Refusal, "description": description, "headers": headers, "content": example}


def _headers(named: dict[str, str]) -> dict[str, Any]:
    return {name: {"description": text, "schema": {"type": "integer"}} for name, text in named.items()}
