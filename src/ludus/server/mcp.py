"""`POST /mcp`: the arena's tools for language models, over streamable HTTP without sessions.

Tools call the arena through this very application, so that keys, limits and metrics are the same as for other agents.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, NamedTuple

import httpx2
from starlette.requests import HTTPConnection
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ludus.client.arena import Arena
from ludus.client.http import RetryPolicy
from ludus.server.http.request import HOME, Authenticate, Pipeline, address_of, bearer_token
from ludus.service.lobby import Stopping

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH: Final = "/mcp"
NO_RETRIES: Final = RetryPolicy(tries=1, unavailable_tries=1)


class Caller(NamedTuple):
    address: str
    base_url: str


_caller: ContextVar[Caller] = ContextVar("caller")


class McpEndpoint:
    """An ASGI application. The SDK takes half a second to import, so it is loaded on the first request."""

    def __init__(
        self,
        app: ASGIApp,
        pipeline: Pipeline,
        authenticate: Authenticate,
        base_url: Callable[[HTTPConnection], str],
        bots: Sequence[str],
    ) -> None:
        self._app = app
        self._pipeline = pipeline
        self._authenticate = authenticate
        self._base_url = base_url
        self._bots = bots
        self._manager: asyncio.Future[StreamableHTTPSessionManager] | None = None
        self._runner: asyncio.Task[None] | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self._is_stopping = False

    def routes(self) -> list[Route]:
        route = Route(PATH, self, methods=["POST"])
        return [route, self._pipeline.not_found(PATH, [route])]

    @property
    def waiting(self) -> int:
        """Calls under way."""
        return len(self._calls)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        try:
            # Without a key a model can read and register; a key that is wrong is refused at once.
            has_key = bearer_token(connection) is not None
            await self._pipeline.admit(connection, self._authenticate if has_key else None)
            _caller.set(Caller(address_of(connection), self._base_url(connection) or HOME))
            await self._serve(scope, receive, send)
        except Exception as error:
            await self._pipeline.refusal(connection, error)(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = await self._open()
        if self._is_stopping:
            raise Stopping
        call = asyncio.create_task(manager.handle_request(scope, receive, send))
        self._calls.add(call)
        try:
            await call
        except asyncio.CancelledError:
            if self._is_stopping:
                raise Stopping from None
            raise
        finally:
            self._calls.discard(call)

    def stop(self) -> None:
        """Ends the calls that wait for a turn."""
        self._is_stopping = True
        for call in self._calls:
            call.cancel()

    async def close(self) -> None:
        if self._runner:
            self._runner.cancel()
            with suppress(asyncio.CancelledError):
                await self._runner

    async def _open(self) -> StreamableHTTPSessionManager:
        if self._manager is None:
            self._manager = asyncio.get_running_loop().create_future()
            self._runner = asyncio.create_task(self._run(self._manager))
        return await asyncio.shield(self._manager)

    async def _run(self, manager: asyncio.Future[StreamableHTTPSessionManager]) -> None:
        """Keeps the SDK's task group open; it must be closed by the task that opened it."""
        try:
            made = await asyncio.to_thread(self._build)
        except Exception as error:
            self._manager = None
            manager.set_exception(error)
            return
        async with made.run():
            manager.set_result(made)
            await asyncio.Event().wait()

    def _build(self) -> StreamableHTTPSessionManager:
        from mcp.server.transport_security import TransportSecuritySettings

        from ludus.mcp.server import WAIT_SECONDS, build
        from ludus.mcp.session import Sessions

        server = build(Sessions(self._connect, None, None, WAIT_SECONDS), self._bots)
        # Pages of any origin may call, as everywhere in the arena: nothing here depends on cookies or the network.
        open_to_all = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        server.streamable_http_app(stateless_http=True, json_response=True, transport_security=open_to_all)
        return server.session_manager

    def _connect(self, key: str | None) -> Arena:
        caller = _caller.get()
        transport = httpx2.ASGITransport(self._app, client=(caller.address, 0))
        return Arena(caller.base_url, key, retry=NO_RETRIES, transport=transport)
