"""The path of every HTTP request: authenticate, count, handle, render errors, add the rate-limit headers."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import orjson
from pydantic import BaseModel, ValidationError
from starlette import requests
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ludus.core.errors import InvalidInput
from ludus.server.http.addresses import counted
from ludus.server.http.cpu_budget import PAYER, OverBudget, Payer
from ludus.server.http.errors import (
    MethodNotAllowed,
    PathNotFound,
    TooManyRequests,
    log_internal,
    status_of,
)
from ludus.server.http.guest_games import TooManyGames
from ludus.server.http.rate_limit import Quota, RequestLimit
from ludus.service.documents import Document, written
from ludus.service.tokens import Unauthorized

M = TypeVar("M", bound=BaseModel)

NUMBER: Final = re.compile("[0-9]{1,15}")
HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
SCHEMES: Final = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
HOME: Final = "http://127.0.0.1:8000"
"""Our address in documents when the request has no valid host."""
PREFIX: Final = "ludus.prefix"
"""The key in a request's scope of the path that the server is mounted under."""
NO_STORE: Final = {"Cache-Control": "no-store"}
REVALIDATE: Final = {"Cache-Control": "no-cache"}
"""It may be cached, but must be revalidated before each use."""
JSON: Final = "application/json"
CLIENT_GONE: Final = 499
"""nginx's status for a client that closed the connection; it only appears in metrics and logs."""
RETRY_SECONDS: Final = 1
"""After which to try again when the server is stopping, nothing can be stored, or an engine has failed."""


class Request(requests.Request):
    """Starlette's request, with checked access to its query and JSON body."""

    def param(self, name: str) -> str:
        value: str = self.path_params[name]
        return value

    def query(self, name: str) -> str | None:
        return self.query_params.get(name)

    def number(self, name: str, least: int, most: int, default: int) -> int:
        """A whole number in the query."""
        text = self.query(name)
        if text is None:
            return default
        if not NUMBER.fullmatch(text) or not least <= int(text) <= most:
            raise InvalidInput(f"{name}: must be a whole number from {least} to {most}")
        return int(text)

    def one_of(self, name: str, choices: tuple[str, ...], default: str) -> str:
        value = self.query(name)
        if value is not None and value not in choices:
            raise InvalidInput(f"{name}: must be one of {', '.join(choices)}")
        return default if value is None else value

    def flag(self, name: str) -> bool:
        """False by default; Python's `True` counts as true as well."""
        value = self.query(name)
        if value is not None and value.lower() not in ("true", "false"):
            raise InvalidInput(f"{name}: must be true or false")
        return value is not None and value.lower() == "true"

    async def json(self) -> Any:
        """Strict JSON, whatever the content type says: no NaN, and no lone surrogates."""
        return orjson.loads(await self.body())

    async def json_object(self) -> dict[str, Any]:
        try:
            body = await self.json()
        except orjson.JSONDecodeError:
            body = None
        if not isinstance(body, dict):
            raise InvalidInput("body: must be a JSON object")
        return body

    async def parse(self, model: type[M]) -> M:
        body = await self.json_object()
        try:
            return model.model_validate(body)
        except ValidationError as error:
            raise InvalidInput(*map(_problem, error.errors(include_url=False)[:10])) from None


Handler = Callable[[Request], Awaitable[Response]]
Authenticate = Callable[[HTTPConnection], Awaitable[str]]
"""Sets `user` in the scope and returns whom to count the request for; raises `Unauthorized`."""
RenderError = Callable[[HTTPConnection, Exception], Response]


def _problem(error: Mapping[str, Any]) -> str:
    field = ".".join(str(step)[:40] for step in error["loc"]) or "body"
    return f"{field}: {error['msg']}"


def document_response(
    request: HTTPConnection, document: Document, kind: str, headers: Mapping[str, str] = REVALIDATE
) -> Response:
    """What was written before, with its ETag; nothing if the client has it already."""
    own = {**headers, "ETag": document.etag}
    if document.etag in request.headers.get("if-none-match", ""):
        return Response(None, 304, own)
    return Response(document.content, 200, own, kind)


def static_response(request: HTTPConnection, body: object) -> Response:
    """JSON that stays the same for long, with its ETag."""
    return document_response(request, written(orjson.dumps(body)), JSON)


def json_response(body: object, status: int = 200, headers: Mapping[str, str] = NO_STORE) -> Response:
    return Response(orjson.dumps(body), status, headers, JSON)


def address_of(connection: HTTPConnection) -> str:
    """As limits count it."""
    return counted(connection.client.host) if connection.client else ""


@contextmanager
def counted_by_address(limit: RequestLimit, connection: HTTPConnection) -> Iterator[None]:
    """Counts what is made in the block, unless that fails; `TooManyRequests` if it is one too many."""
    address = address_of(connection)
    quota = limit.hit(address)
    if not quota.allowed:
        raise TooManyRequests(quota)
    try:
        yield
    except BaseException:
        limit.take_back(address)
        raise


def bearer_token(connection: HTTPConnection) -> str | None:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def base_url(connection: HTTPConnection, public_url: str = "") -> str:
    """What our links start with; empty if the request has no valid host."""
    if public_url:
        return public_url
    host, scheme = connection.headers.get("host", ""), SCHEMES.get(connection.scope["scheme"])
    return f"{scheme}://{host}" if scheme and HOST.fullmatch(host) else ""


def path_prefix(public_url: str) -> str:
    """The path that the server is mounted under, such as `/games`; empty for none.

    >>> path_prefix("https://example.org/games"), path_prefix("https://example.org")
    ('/games', '')
    """
    return urlsplit(public_url).path.rstrip("/")


def mounted(scope: Scope, prefix: str) -> Scope:
    """The request without the prefix, which a proxy may have kept or removed."""
    if not prefix:
        return scope
    path, raw = scope["path"], scope.get("raw_path") or b""
    has_prefix = path == prefix or path.startswith(f"{prefix}/")
    inner = {"path": path.removeprefix(prefix) or "/", "raw_path": raw.removeprefix(prefix.encode()) or b"/"}
    return {**scope, **(inner if has_prefix else {}), PREFIX: prefix}


def prefix_of(connection: HTTPConnection) -> str:
    """What addresses without a host start with."""
    prefix: str = connection.scope.get(PREFIX, "")
    return prefix


def quota_headers(connection: HTTPConnection) -> dict[str, str]:
    """Empty for a request that wasn't counted."""
    quota: Quota | None = getattr(connection.state, "quota", None)
    return {} if quota is None else quota.headers()


def _add_quota(connection: HTTPConnection, response: Response) -> None:
    for name, value in quota_headers(connection).items():
        response.headers.setdefault(name, value)


def error_headers(error: Exception) -> dict[str, str]:
    match error:
        case TooManyRequests():
            return error.quota.headers()
        case TooManyGames() | OverBudget():
            return {"Retry-After": str(error.retry_after)}
        case MethodNotAllowed():
            return {"Allow": ", ".join(error.allowed)}
        case Unauthorized():
            return {"WWW-Authenticate": "Bearer"}
    return {"Retry-After": str(RETRY_SECONDS)} if status_of(error) == 503 else {}


class Pipeline:
    """How one API treats its requests."""

    def __init__(self, limit: RequestLimit, render_error: RenderError) -> None:
        self._limit = limit
        self._render_error = render_error

    def count(self, connection: HTTPConnection, client: str = "") -> None:
        """Counts a request of the client, or else of its address; `TooManyRequests` if it's one too many."""
        quota = connection.state.quota = self._limit.hit(client or f"address/{address_of(connection)}")
        if not quota.allowed:
            raise TooManyRequests(quota)

    async def admit(self, connection: HTTPConnection, authenticate: Authenticate | None) -> None:
        """Failed attempts to authenticate are counted too."""
        client = ""
        try:
            client = await authenticate(connection) if authenticate else ""
        finally:
            self.count(connection, client)
        payer: Payer | None = connection.scope.get(PAYER)
        if payer is not None:
            await payer.identify(client)

    def refusal(self, connection: HTTPConnection, error: Exception) -> Response:
        log_internal(error, method=connection.scope.get("method"), path=connection.url.path)
        response = self._render_error(connection, error)
        _add_quota(connection, response)
        return response

    async def respond(
        self,
        request: requests.Request,
        handle: Callable[[], Awaitable[Response]],
        authenticate: Authenticate | None = None,
    ) -> Response:
        try:
            await self.admit(request, authenticate)
            response = await handle()
        except requests.ClientDisconnect:  # before its whole request was read; nobody gets this answer
            return Response(status_code=CLIENT_GONE)
        except Exception as error:
            return self.refusal(request, error)
        _add_quota(request, response)
        return response

    def route(
        self, path: str, handler: Handler, method: str | None = "GET", authenticate: Authenticate | None = None
    ) -> Route:
        """A route to the handler; `method` None takes all of them."""
        endpoint = Endpoint(self, handler, authenticate)
        return Route(path, endpoint, methods=None if method is None else [method])

    def not_found(self, path: str, known: Sequence[Route], authenticate: Authenticate | None = None) -> Route:
        """A route for what isn't at the known ones: 405 or 404, counted as well."""

        async def refuse(request: Request) -> Response:
            found = [route for route in known if route.path_regex.match(request.url.path)]
            # the first is the most specific: `/sessions/join` is not a session with the id `join`
            if allowed := {method for route in found if route.path == found[0].path for method in route.methods or ()}:
                raise MethodNotAllowed(sorted(allowed))
            raise PathNotFound

        return self.route(path, refuse, None, authenticate)


class Endpoint:
    """An ASGI application: Starlette wraps functions in layers of its own."""

    def __init__(self, pipeline: Pipeline, handler: Handler, authenticate: Authenticate | None) -> None:
        self._pipeline = pipeline
        self._handler = handler
        self._authenticate = authenticate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        response = await self._pipeline.respond(request, lambda: self._handler(request), self._authenticate)
        await response(scope, receive, send)
