"""Who may call the API: keys and origins, checked before the body is read."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Request, Security
from fastapi.security import HTTPBearer
from starlette.requests import HTTPConnection

from ludus.server.http.middleware import is_shared, share
from ludus.server.http.request import bearer_token
from ludus.service import origins
from ludus.service.records import Key
from ludus.service.sessions import Forbidden
from ludus.service.tenants import Tenants
from ludus.service.tokens import Unauthorized

BEARER: Final = HTTPBearer(
    auto_error=False, scheme_name="key", bearerFormat="API key", description="A tenant's live or test key."
)


class KeyAuth:
    """The `Authenticate` hook: the key becomes the request's `user`."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants

    async def __call__(self, connection: HTTPConnection) -> str:
        if "authorization" not in connection.headers:
            raise Unauthorized("Missing Authorization header")
        token = bearer_token(connection)
        key = None if token is None else await self._tenants.authenticate(token)
        if key is None:
            raise Unauthorized("Invalid or inactive API key")
        connection.scope["user"] = key
        origin, host = connection.headers.get("origin"), connection.headers.get("host")
        if origins.is_own(origin, host) or origins.is_allowed(origin, key.origins):  # the dashboard is our own
            share(connection.scope)
        return f"key/{key.hash}"


async def allow_anyone(connection: HTTPConnection) -> str:
    """The `Authenticate` hook of public endpoints: counted by address, readable from any page."""
    share(connection.scope)
    return ""


def refuse_origin(connection: HTTPConnection) -> None:
    """After the request was counted."""
    if not is_shared(connection.scope):
        raise Forbidden("Origin not allowed for this API key")


def _user(request: Request, _: Annotated[object, Security(BEARER)]) -> Key:
    key: Key = request.user
    return key


CurrentKey = Annotated[Key, Security(_user)]
"""The key the request came with."""
