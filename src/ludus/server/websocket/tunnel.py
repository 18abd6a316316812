"""A WebSocket whose bytes are passed on to another process, and back, without being parsed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

from ludus.server.connections.gate import LINGER_SECONDS, Slot, SlotProtocol

TUNNEL: Final = "ludus.tunnel"
"""Our ASGI extension to join a socket that has not been accepted yet with the far end of a tunnel: a `Join`."""
ANSWER_SECONDS: Final = 10.0
"""For the first bytes from the other process."""


class TunnelEnd(asyncio.Protocol):
    """What arrives here leaves at the other end, no faster than that can send it."""

    transport: asyncio.Transport
    other: TunnelEnd

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self.other.write(data)

    def write(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(data)

    def pause_writing(self) -> None:
        if not self.other.transport.is_closing():
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if not self.other.transport.is_closing():
            self.other.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """What has arrived is still sent at the other end, if that accepts it soon."""
        far = self.other.transport
        far.close()
        asyncio.get_running_loop().call_later(LINGER_SECONDS, far.abort)


Join = Callable[[TunnelEnd, bytes], Awaitable[None]]
"""Takes the far end and the first bytes for it; returns when the tunnel has ended."""


class ClientEnd(SlotProtocol, TunnelEnd):
    """The end at the client, which keeps the connection's place at the gate."""

    def __init__(self, transport: asyncio.Transport, slot: Slot | None, connections: set[Any], far: TunnelEnd) -> None:
        """`connections` are those that the server closes when it stops."""
        self.transport = transport
        self.other = far
        far.other = self
        self.ended = asyncio.get_running_loop().create_future()
        self.slot = slot
        self._connections = connections
        connections.add(self)
        if slot is not None:
            slot.hand_over(self)
            slot.expect(ANSWER_SECONDS, "head_timeout")

    def write(self, data: bytes) -> None:
        if self.slot is not None and self.slot.is_expecting and not self.transport.get_write_buffer_size():
            self.slot.settle()
        super().write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._connections.discard(self)
        if not self.ended.done():
            self.ended.set_result(None)

    def time_out(self, reason: str) -> None:
        del reason
        self.transport.abort()

    def shutdown(self) -> None:
        """For uvicorn, which calls it on all connections when the server stops."""
        self.transport.close()
