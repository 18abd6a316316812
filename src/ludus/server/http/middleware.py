"""Plain ASGI middleware around the whole application."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from time import perf_counter
from typing import Final

import orjson
import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus.server.http.cpu_budget import PAUSE, PAYER, CpuBudget, OverBudget, Timed
from ludus.server.http.errors import INTERNAL, arena_body, public, status_of
from ludus.server.logs import about
from ludus.server.metrics import Metrics
from ludus.server.settings import Settings
from ludus.service.records import Agent, Key

log = structlog.get_logger("ludus.http")
access_log = structlog.get_logger("ludus.access")

API: Final = "/v1"
ARENA: Final = ("/api/", "/mcp")
DOCUMENTS: Final = frozenset({"/asyncapi.json", "/llms.txt", "/v1/openapi.json", "/api/docs/json", "/api/guide"})
"""What describes the APIs; tools read it from pages of any origin."""
SHARED: Final = "shared"
"""The key in a request's state: whether the page that sent it may read the response."""
PRICED_METHODS: Final = ("GET", "POST", "PATCH", "DELETE", "HEAD")
OUTSIDE: Final = 200e-6
"""Seconds that a request takes outside the timed part: the server's parser, and the outer middleware."""
SAFE: Final = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"))
EXPOSED: Final = "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id"
ANYONE: Final = {"Access-Control-Allow-Origin": "*"}
PREFLIGHT: Final = {
    **ANYONE,
    "Access-Control-Allow-Methods": "GET, POST, PATCH, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name",
    "Access-Control-Max-Age": "600",
}


def wrap(app: ASGIApp, settings: Settings, metrics: Metrics, budget: CpuBudget | None = None) -> ASGIApp:
    """The application in all middleware; the last is the outermost."""
    layers: ASGIApp = BodyLimit(app, settings.max_body)
    layers = Failures(layers)
    layers = Priced(layers, budget or CpuBudget(settings.cpu_share, settings.cpu_total), _heads(app))
    layers = CrossOrigin(layers)
    layers = SafeHeaders(layers)
    layers = Meter(layers, metrics, templates(app), has_log=settings.access_log)
    layers = RequestId(layers, lambda: secrets.token_hex(16))
    layers = PromptBody(layers)

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        await (layers if scope["type"] == "http" else app)(scope, receive, send)

    return wrapped


JSON: Final = {"Content-Type": "application/json"}


class PromptBody:
    """Takes what has arrived of the body before anything else: uvicorn drops it when the client has gone.

    A client need not wait for its response, and a request that arrived whole is carried out.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if any(name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"]):
            receive = _replaying([await receive()], receive)
        await self._app(scope, receive, send)


class RequestId:
    """A fresh id for each request, in its response and in every line logged for it; clients can't choose it."""

    def __init__(self, app: ASGIApp, new_id: Callable[[], str]) -> None:
        self._app = app
        self._new_id = new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        id = self._new_id()
        header = b"x-request-id", id.encode()
        with about(request=id):
            return await self._app(scope, receive, _adding(send, lambda headers: headers.raw.append(header)))


def templates(app: ASGIApp) -> dict[object, str]:
    """The templates of the paths, by endpoint: FastAPI names the route in the scope, Starlette only the endpoint."""
    return {route.endpoint: route.path for route in getattr(app, "routes", ()) if isinstance(route, Route)}


class Meter:
    """Counts and times requests by the template of their path, and logs each if that is wanted."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, templates: Mapping[object, str] | None = None, *, has_log: bool = False
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._templates = templates or {}
        self._has_log = has_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, size = INTERNAL.status, 0  # unless there is a response

        async def noting(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                size += len(message.get("body", b""))
            await send(message)

        began = perf_counter()
        try:
            return await self._app(scope, receive, noting)
        finally:
            seconds = perf_counter() - began
            template = getattr(scope.get("route"), "path", None) or self._templates.get(scope.get("endpoint"))
            counted = self._metrics.request(scope["method"], template, status, seconds)
            if self._has_log:
                line = {"status": status, "ms": round(seconds * 1000, 1), "bytes": size, **_user(scope)}
                access_log.info("request", method=counted.method, route=counted.route, **line)


def _user(scope: Scope) -> dict[str, str]:
    """The public id of the tenant or the agent that the request came from."""
    match scope.get("user"):
        case Key(tenant=tenant):
            return {"tenant": tenant}
        case Agent(id=agent):
            return {"agent": agent}
    return {}


def _heads(app: ASGIApp) -> set[str]:
    """What the paths of the application's routes start with, where that is the same for all requests."""
    heads = {_head(route.path) for route in getattr(app, "routes", ()) if isinstance(route, Route | Mount)}
    return {head for head in heads if "{" not in head}


def _head(path: str) -> str:
    """The first part of a path, or the first two where the first one says nothing."""
    parts = path.split("/", 3)
    return "/".join(parts[:3]) if parts[1:2] in (["api"], ["v1"]) else "/".join(parts[:2])


class Priced:
    """Charges every request to its address before the work, holds it until its turn, and refuses it if that is far off.

    The kind of a request is its method and the start of its path, since its route isn't known yet.
    """

    def __init__(self, app: ASGIApp, budget: CpuBudget, heads: Collection[str]) -> None:
        self._app = app
        self._budget = budget
        self._kinds: dict[tuple[str, str], str] = {}
        for head in heads:
            for method in PRICED_METHODS:
                kind = self._kinds[method, head] = f"{method} {head}"
                budget.know(kind, budget.price(method))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        budget = self._budget
        method: str = scope["method"]
        kind = self._kinds.get((method, _head(scope["path"])), method)
        payer = scope[PAYER] = budget.payer(_client(scope))
        price = budget.price(kind)
        try:
            await budget.admit(payer, price)
        except OverBudget as error:
            return await self._refuse(scope, send, error)
        return await Timed(budget, payer, kind, price, self._run(scope, receive, send), OUTSIDE)

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    async def _refuse(self, scope: Scope, send: Send, error: OverBudget) -> None:
        await self._budget.sleep(PAUSE)
        self._budget.warn_of_proxy(scope)
        await refuse_over_budget(scope, send, error)


class Admission:
    """The same at a fixed price, for what is priced piece by piece inside: Socket.IO's handshakes and polls."""

    def __init__(self, app: ASGIApp, budget: CpuBudget) -> None:
        self._app = app
        self._budget = budget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        budget = self._budget
        kind = "poll" if scope["type"] == "http" else "handshake"
        try:
            await budget.admit(budget.payer(_client(scope)), budget.price(kind))
        except OverBudget as error:
            await budget.sleep(PAUSE)
            budget.warn_of_proxy(scope)
            return await refuse_over_budget(scope, send, error)
        return await self._app(scope, receive, send)


async def refuse_over_budget(scope: Scope, send: Send, error: OverBudget) -> None:
    """In the form of the API that was called."""
    path: str = scope["path"]
    code, text = public(error)
    body: dict[str, object] = {"error": text, "code": code}
    if path.startswith(ARENA):
        body = arena_body(error)
        if path.endswith("/state"):
            body["retryAfterMs"] = error.retry_after * 1000
    headers = JSON | {"Retry-After": str(error.retry_after)}
    await _answer(deny(send) if scope["type"] == "websocket" else send, status_of(error), orjson.dumps(body), headers)


def deny(send: Send) -> Send:
    """Answers a handshake with a response instead of a socket."""

    async def sending(message: Message) -> None:
        await send({**message, "type": f"websocket.{message['type']}"})

    return sending


def _client(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


class SafeHeaders:
    """Security headers; responses of the API aren't cached, unless they say so themselves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_api = _is_api(scope)

        def add(headers: MutableHeaders) -> None:
            headers.raw.extend(SAFE)
            if is_api:
                headers.setdefault("Cache-Control", "no-store")

        return await self._app(scope, receive, _adding(send, add))


class CrossOrigin:
    """CORS: answers preflight requests and marks responses that a page may read.

    Any page may read the documents, and the arena's responses, which are public or need an agent's key; nothing there
    depends on cookies. Elsewhere the route decides, since it knows the key: see `share`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in DOCUMENTS and scope["method"] in ("GET", "HEAD"):
            return await self._app(scope, receive, _adding(send, lambda headers: headers.update(ANYONE)))
        is_open = scope["path"].startswith(ARENA)
        origin = Headers(scope=scope).get("origin") if is_open or _is_api(scope) else None
        if origin is None:
            return await self._app(scope, receive, send)
        if scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope):
            return await _answer(send, 204, b"", PREFLIGHT)
        state = scope.setdefault("state", {})
        state[SHARED] = is_open

        def mark(headers: MutableHeaders) -> None:
            headers.add_vary_header("Origin")
            if state.get(SHARED):
                headers.update({"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED})

        return await self._app(scope, receive, _adding(send, mark))


def share(scope: Scope) -> None:
    """Lets the page that sent this request read the response."""
    scope.setdefault("state", {})[SHARED] = True


def is_shared(scope: Scope) -> bool:
    return bool(scope.get("state", {}).get(SHARED))


class Failures:
    """Logs unexpected errors in full, and answers without any detail."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def noting(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            return await self._app(scope, receive, noting)
        except Exception:
            log.exception("request failed", method=scope["method"], path=scope["path"])
            if not has_begun:
                await refuse(send, INTERNAL.status, INTERNAL.code, INTERNAL.text or "")


class BodyLimit:
    """Refuses bodies that are too long, whether they declare it or not, before the application sees them."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        """`most` is in bytes."""
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        said = Headers(scope=scope).get("content-length", "")
        if said.isdecimal() and int(said[:20]) > self._most:
            return await self._refuse(scope, send)
        held: list[Message] = []
        size = 0
        while not held or held[-1].get("more_body", False):
            held.append(await receive())
            size += len(held[-1].get("body", b""))
            if size > self._most:
                return await self._refuse(scope, send)
        return await self._app(scope, _replaying(held, receive), send)

    async def _refuse(self, scope: Scope, send: Send) -> None:
        text = f"A request may have {self._most} bytes at most."
        if str(scope.get("path", "")).startswith(ARENA):  # where `error` is the code
            await _answer(send, 413, orjson.dumps({"error": "too_large", "details": text}), JSON)
        else:
            await refuse(send, 413, "too_large", text)


def _replaying(held: list[Message], receive: Receive) -> Receive:
    """What was already read comes first, then the rest."""
    left = iter(held)

    async def replay() -> Message:
        message = next(left, None)
        return await receive() if message is None else message

    return replay


def _adding(send: Send, add: Callable[[MutableHeaders], None]) -> Send:
    """Adds headers to a response as it leaves."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message.setdefault("headers", [])
            add(MutableHeaders(scope=message))
        await send(message)

    return sending


async def refuse(send: Send, status: int, code: str, text: str, retry_after: int | None = None) -> None:
    """An error response from outside the application, in the same form as those from inside."""
    body = orjson.dumps({"error": text, "code": code})
    await _answer(send, status, body, JSON if retry_after is None else JSON | {"Retry-After": str(retry_after)})


async def _answer(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    length = {} if status == 204 else {"Content-Length": str(len(body))}
    raw = Headers({**headers, **length}).raw
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def _is_api(scope: Scope) -> bool:
    path: str = scope["path"]
    return path == API or path.startswith(f"{API}/")
