"""The front desk: looks at each request before its body is read, for its key, its origin, and how many came before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any, Final

import orjson
from fastapi import Request, Response, Security
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer

from ludus.core.errors import LudusError
from ludus.server.http.middleware import share
from ludus.server.http.rate_limit import RequestLimit, Verdict
from ludus.service import origins
from ludus.service.records import Key
from ludus.service.sessions import Forbidden
from ludus.service.tenants import Tenants
from ludus.service.tokens import Unauthorized

Check = Callable[[Request], Awaitable[None]]
"""Raises an error for a request that must not pass."""


class TooManyRequests(LudusError):
    code = "too_fast"


class Desk:
    def __init__(self, tenants: Tenants, limit: RequestLimit) -> None:
        self._tenants = tenants
        self._limit = limit

    async def admit(self, request: Request) -> None:
        """Lets in whoever has a key; whoever has none, or a bad one, is counted by address."""
        try:
            key = await self._key(request)
        except Unauthorized:
            self._count(request, _by_address(request))
            raise
        origin, host = request.headers.get("origin"), request.headers.get("host")
        is_allowed = origins.is_own(origin, host) or origins.is_allowed(origin, key.origins)  # the dashboard is ours
        if is_allowed:
            share(request.scope)
        self._count(request, f"key/{key.hash}")
        if not is_allowed:
            raise Forbidden("Origin not allowed for this API key")
        request.state.key = key

    async def welcome(self, request: Request) -> None:
        """Lets in anybody, counted by address."""
        share(request.scope)
        self._count(request, _by_address(request))

    async def _key(self, request: Request) -> Key:
        header = request.headers.get("authorization")
        if header is None:
            raise Unauthorized("Missing Authorization header")
        scheme, _, text = header.partition(" ")
        key = await self._tenants.authenticate(text.strip()) if scheme.lower() == "bearer" else None
        if key is None:
            raise Unauthorized("Invalid or inactive API key")
        return key

    def _count(self, request: Request, who: str) -> None:
        verdict = request.state.verdict = self._limit.hit(who)
        if not verdict.allowed:
            raise TooManyRequests(f"Too many requests; try again in {verdict.retry_after} s")


def _by_address(request: Request) -> str:
    return f"address/{request.client.host if request.client else ''}"


def count_headers(request: Request) -> dict[str, str]:
    """How far the sender has come; nothing for a request that was not counted."""
    verdict: Verdict | None = getattr(request.state, "verdict", None)
    if verdict is None:
        return {}
    headers = {
        "X-RateLimit-Limit": str(verdict.limit),
        "X-RateLimit-Remaining": str(verdict.remaining),
        "X-RateLimit-Reset": str(verdict.reset),
    }
    return headers if verdict.allowed else headers | {"Retry-After": str(verdict.retry_after)}


class Body(Request):
    """A request whose JSON is read as JSON: no NaN, and no half characters, which cannot be written out again."""

    async def json(self) -> Any:
        return orjson.loads(await self.body())


def guarded(check: Check) -> type[APIRoute]:
    """Routes that a request reaches only past the check, which comes before everything else."""

    class Guarded(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def handle_checked(request: Request) -> Response:
                await check(request)
                response = await handle(Body(request.scope, request.receive))
                response.headers.update(count_headers(request))
                return response

            return handle_checked

    return Guarded


BEARER: Final = HTTPBearer(
    auto_error=False, scheme_name="key", bearerFormat="API key", description="A tenant's live or test key."
)


def _known(request: Request, _: Annotated[object, Security(BEARER)]) -> Key:
    key: Key = request.state.key
    return key


Known = Annotated[Key, Security(_known)]
"""The key that the request was admitted with."""
