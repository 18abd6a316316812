"""Heartbeats for the arena's sockets, and an end to connections whose client no longer reads.

Rooms have Engine.IO's heartbeats; what has none is pinged by the WebSocket protocol itself.
"""

from __future__ import annotations

from typing import Final

from uvicorn._types import ASGISendEvent
from websockets.http11 import Request

from ludus.server.transport import RoomyProtocol

PREFIX: Final = "/ws/"
PING_SECONDS: Final = 20.0
"""Between two pings, and until a pong must have come."""
LINGER_SECONDS: Final = 5.0
"""For the last frames to leave; after that the connection is cut, since its client may never take them."""


class HeartbeatProtocol(RoomyProtocol):
    def handle_connect(self, event: Request) -> None:
        if event.path.startswith(PREFIX):
            self.ping_interval = self.ping_timeout = PING_SECONDS
        super().handle_connect(event)

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if self.initial_response is not None:  # else uvicorn logs an error for every socket that is refused
            self.handshake_complete = True

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()

    async def run_asgi(self) -> None:
        await super().run_asgi()
        self.loop.call_later(LINGER_SECONDS + self.close_timeout * self.close_sent, self.transport.abort)
