"""Behind a proxy: the client's address, as reported by the proxies that the operator trusts."""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from ludus.server.http.addresses import Proxies, counted
from ludus.server.http.middleware import deny, refuse
from ludus.server.http.protocol import REFUSALS, RETRY_SECONDS
from ludus.server.http.rate_limit import SocketCount

SCHEMES: Final = frozenset({"http", "https", "ws", "wss"})
NO_ADDRESS: Final = "X-Forwarded-For contains an invalid address."


class ForwardedClient:
    """Middleware: the client is the one that a trusted proxy names, with a bound on its requests in progress."""

    def __init__(self, app: ASGIApp, proxies: Proxies, most_at_once: int) -> None:
        """At the gate, only the proxy's address is known, so the limit on one client's connections applies here."""
        self._app = app
        self._proxies = proxies
        self._count = SocketCount(most_at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = scope["client"][0] if scope.get("client") else ""
        if scope["type"] == "lifespan" or not self._proxies.trusts(peer):
            return await self._app(scope, receive, send)
        values = [value for name, value in scope["headers"] if name == b"x-forwarded-for" and value.strip()]
        if not values:
            return await self._app(_with_scheme(scope), receive, send)
        try:
            client = self._proxies.client(b",".join(values).decode("latin1"))
        except ValueError:
            return await _refuse(scope, send, 400, "bad_forwarding", NO_ADDRESS)
        address = counted(client)
        if not self._count.enter(address):
            return await _refuse(scope, send, 429, "too_fast", REFUSALS[429], RETRY_SECONDS)
        try:
            return await self._app({**_with_scheme(scope), "client": (client, 0)}, receive, send)
        finally:
            self._count.leave(address)


def _with_scheme(scope: Scope) -> Scope:
    said = next((value for name, value in reversed(scope["headers"]) if name == b"x-forwarded-proto"), b"")
    scheme = said.decode("latin1").strip()
    if scheme not in SCHEMES:
        return scope
    return {**scope, "scheme": scheme.replace("http", "ws") if scope["type"] == "websocket" else scheme}


async def _refuse(scope: Scope, send: Send, status: int, code: str, text: str, retry_after: int | None = None) -> None:
    await refuse(deny(send) if scope["type"] == "websocket" else send, status, code, text, retry_after)
