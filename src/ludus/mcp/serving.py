"""The tools over HTTP, for everybody or for those who know a token."""

from __future__ import annotations

import hmac
import secrets
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from mcp.server import MCPServer
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ludus.core.errors import BadInput


def new_token() -> str:
    return secrets.token_urlsafe(32)


def serve_http(server: MCPServer[Any], host: str, port: int, token: str | None, tell: Callable[[str], None]) -> None:
    """Serves until a signal comes; `tell` is told the address once it can be reached. A token locks the door."""
    try:
        door = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise BadInput(f"cannot listen on {host}:{port}: {error.strerror}") from error
    app: ASGIApp = server.streamable_http_app(host=host)
    config = uvicorn.Config(Locked(app, token) if token else app, log_level="warning", lifespan="on")
    tell(f"http://{f'[{host}]' if ':' in host else host}:{door.getsockname()[1]}/mcp")
    with door:
        uvicorn.Server(config).run(sockets=[door])


class Locked:
    """Lets nobody in without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and not self._is_known(Headers(scope=scope).get("authorization", "")):
            refusal = PlainTextResponse("this server wants its token", 401, {"WWW-Authenticate": "Bearer"})
            return await refusal(scope, receive, send)
        return await self._app(scope, receive, send)

    def _is_known(self, header: str) -> bool:
        scheme, _, token = header.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self._token)
