"""The tools over HTTP."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from mcp.server import MCPServer

from ludus.core.errors import BadInput


def serve_http(server: MCPServer[Any], host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serves until a signal comes; `tell` is told the address once it can be reached."""
    try:
        door = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise BadInput(f"cannot listen on {host}:{port}: {error.strerror}") from error
    config = uvicorn.Config(server.streamable_http_app(host=host), log_level="warning", lifespan="on")
    tell(f"http://{f'[{host}]' if ':' in host else host}:{door.getsockname()[1]}/mcp")
    with door:
        uvicorn.Server(config).run(sockets=[door])
