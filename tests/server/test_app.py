"""The server as an ASGI application."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import open_app

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_socket_returns_nothing_or_the_web_server_logs_an_error(tmp_path: Path) -> None:
    scope = {
        "type": "websocket",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "ws",
        "path": "/socket.io/",
        "raw_path": b"/socket.io/",
        "root_path": "",
        "query_string": b"EIO=4&transport=websocket",
        "headers": [(b"host", b"test"), (b"upgrade", b"websocket")],
        "client": ("203.0.113.7", 1),
        "server": ("test", 80),
        "subprotocols": [],
    }
    coming = [{"type": "websocket.connect"}]

    async def receive() -> Any:
        return coming.pop() if coming else {"type": "websocket.disconnect", "code": 1001}

    async def send(_message: Any) -> None: ...

    async with open_app(tmp_path) as app:
        call: Any = app.server
        assert await call(scope, receive, send) is None
