"""Engine.IO's WebSocket transport without a task and a timer per message, which cost more than the messages do.

python-engineio lets its WebSocket class be replaced. Silent clients are found by its service task, which watches all
sockets.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import structlog
from engineio.async_drivers.asgi import WebSocket
from engineio.exceptions import SocketIsClosedError, UnknownPacketError
from engineio.packet import CLOSE, NOOP, PING, PONG, UPGRADE, Packet

log = structlog.get_logger(__name__)

PROBE: Final = "probe"
MAX_POLLED_PACKETS: Final = 16
"""In one answer to a polling client: python-socketio's client gives up on more."""


class SendQueue(asyncio.Queue[Any]):
    """Packets for one client. A poll takes no more at once than stock clients accept."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()
        self._taken = 0

    async def get(self) -> Any:
        self._taken = 0
        return await super().get()

    def get_nowait(self) -> Any:
        if self._taken >= MAX_POLLED_PACKETS:
            raise asyncio.QueueEmpty
        self._taken += 1
        return super().get_nowait()


class WebSocketTransport(WebSocket):  # type: ignore[misc]  # python-engineio is untyped
    """One client's WebSocket, opened as such or upgraded from polling."""

    async def __call__(self, environ: dict[str, Any]) -> str:
        self.asgi_receive, self.asgi_send = environ["asgi.receive"], environ["asgi.send"]
        await self.asgi_send({"type": "websocket.accept"})
        client = self.handler.__self__
        if client.connected and not await self._upgrade(client):
            return ""
        client.connected = client.upgraded = True
        writer = asyncio.create_task(self._write(client))
        await self._read(client)
        client.queue.put_nowait(None)
        await writer
        await client.close(wait=False, abort=True, reason=client.server.reason.TRANSPORT_CLOSE)
        return ""

    async def _upgrade(self, client: Any) -> bool:
        """Takes over from polling; false if the client breaks the protocol."""
        client.upgrading = True
        try:
            probe = Packet(encoded_packet=await self._next(client))
            if probe.packet_type != PING or probe.data != PROBE:
                return False
            await self.send(Packet(PONG, data=PROBE).encode())
            client.queue.put_nowait(Packet(NOOP))  # ends the pending poll
            return bool(Packet(encoded_packet=await self._next(client)).packet_type == UPGRADE)
        except (OSError, ValueError):
            return False
        finally:
            client.upgrading = False

    async def _read(self, client: Any) -> None:
        while True:
            try:
                await client.receive(Packet(encoded_packet=await self._next(client)))
                if client.closed:
                    return
            except (OSError, SocketIsClosedError):
                return
            except UnknownPacketError:
                continue
            except Exception as error:  # engineio fails in many ways on bad packets; this ends one connection only
                log.info("client sent a bad packet", problem=type(error).__name__)
                return

    async def _next(self, client: Any) -> Any:
        data = await self.wait()
        if len(data) > client.server.max_http_buffer_size:
            raise ValueError("message too long")
        return data

    async def _write(self, client: Any) -> None:
        queue, send = client.queue, self.asgi_send
        packet = await queue.get()
        while packet is not None:
            queue.task_done()
            data = packet.encode()
            try:
                await send({"type": "websocket.send", "text" if isinstance(data, str) else "bytes": data})
            except Exception:  # servers raise different errors when the client is gone
                return
            packet = None if packet.packet_type == CLOSE else await queue.get()
        await self.close()
