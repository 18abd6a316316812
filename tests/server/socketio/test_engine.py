"""Polling clients whose session ends between two requests."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Message

from ludus.server.connections.backlog import Backlogs
from ludus.server.http.cpu_budget import CpuBudget
from ludus.server.socketio.engine import PayloadValidation, SocketServer

PLENTY = 1_000_000


class PollingClient:
    def __init__(self) -> None:
        self.sio = SocketServer(
            ["/checkers"], Backlogs(PLENTY, PLENTY), CpuBudget(1000, 1000), max_sockets=PLENTY, max_events=PLENTY
        )
        self.app = PayloadValidation(self.sio.handle_request)

    async def ask(self, method: str, session: str = "", body: bytes = b"") -> int:
        """The status of the response."""
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        query = "EIO=4&transport=polling" + (f"&sid={session}" if session else "")
        scope: dict[str, Any] = {
            "type": "http",
            "method": method,
            "path": "/socket.io/",
            "query_string": query.encode(),
        }
        await self.app({**scope, "headers": [], "client": ("127.0.0.1", 1)}, receive, send)
        return int(sent[0]["status"])

    async def open(self) -> Any:
        """Opens a session and returns it."""
        assert await self.ask("GET") == 200
        (socket,) = self.sio.eio.sockets.values()
        return socket


def test_a_session_that_was_ended_between_two_requests_is_unknown() -> None:
    async def happen() -> None:
        for method in ("GET", "POST"):
            client = PollingClient()
            session = await client.open()
            await session.close(wait=False)
            assert await client.ask(method, session.sid, b"3") == 400

    asyncio.run(happen())
