"""WebSockets without a task and a timer for each message, which under load cost more than the messages do.

python-engineio and uvicorn are asked for nothing new: the first lets its WebSocket class be replaced, the second its
protocol. Clients that fell silent are found by engineio's own watch over all sockets.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import structlog
from engineio.async_drivers.asgi import WebSocket
from engineio.exceptions import SocketIsClosedError, UnknownPacketError
from engineio.packet import CLOSE, NOOP, PING, PONG, UPGRADE, Packet
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

log = structlog.get_logger(__name__)

UNREAD: Final = 8
"""Messages of one client that may wait unread before no more are taken from its connection."""
PROBE: Final = "probe"
MOST_POLLED: Final = 16
"""Messages in one answer to a client that polls: with more, python-socketio's client gives up."""
MOST_POSTED: Final = 1000
"""Messages in one request of a client that polls, whose size is limited too; engineio would drop more than 16."""


class Mailbox(asyncio.Queue[Any]):
    """What waits for one client. A poll takes no more of it at once than stock clients read."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()
        self._taken = 0

    async def get(self) -> Any:
        self._taken = 0
        return await super().get()

    def get_nowait(self) -> Any:
        if self._taken >= MOST_POLLED:
            raise asyncio.QueueEmpty
        self._taken += 1
        return super().get_nowait()


class DirectWebSocket(WebSocket):  # type: ignore[misc]  # python-engineio is untyped
    """One client's WebSocket, from the beginning or after polling."""

    async def __call__(self, environ: dict[str, Any]) -> str:
        self.asgi_receive, self.asgi_send = environ["asgi.receive"], environ["asgi.send"]
        await self.asgi_send({"type": "websocket.accept"})
        client = self.handler.__self__
        if client.connected and not await self._take_over(client):
            return ""
        client.connected = client.upgraded = True
        writer = asyncio.create_task(self._write(client))
        await self._read(client)
        client.queue.put_nowait(None)
        await writer
        await client.close(wait=False, abort=True, reason=client.server.reason.TRANSPORT_CLOSE)
        return ""

    async def _take_over(self, client: Any) -> bool:
        """Goes on where polling was, if the client keeps to the protocol."""
        client.upgrading = True
        try:
            probe = Packet(encoded_packet=await self._next(client))
            if probe.packet_type != PING or probe.data != PROBE:
                return False
            await self.send(Packet(PONG, data=PROBE).encode())
            client.queue.put_nowait(Packet(NOOP))  # ends the poll that is under way
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
            except Exception as error:  # what is no packet fails in many ways; it ends this connection only
                log.info("a client sent no packet", problem=type(error).__name__)
                return

    async def _next(self, client: Any) -> Any:
        data = await self.wait()
        if len(data) > client.server.max_http_buffer_size:
            raise ValueError("the message is too long")
        return data

    async def _write(self, client: Any) -> None:
        queue, send = client.queue, self.asgi_send
        packet = await queue.get()
        while packet is not None:
            queue.task_done()
            data = packet.encode()
            try:
                await send({"type": "websocket.send", "text" if isinstance(data, str) else "bytes": data})
            except Exception:  # whatever a server raises when the client is gone
                return
            packet = None if packet.packet_type == CLOSE else await queue.get()
        await self.close()


class RoomyProtocol(WebSocketsSansIOProtocol):
    """Stops reading when several messages wait, not at each: stopping and going on costs two system calls."""

    def data_received(self, data: bytes) -> None:
        """A handshake that cannot be read is refused; uvicorn would leave its sender waiting."""
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n")
            self.transport.close()

    def send_receive_event_to_app(self) -> None:
        if self.read_paused or self.queue.qsize() >= UNREAD:
            super().send_receive_event_to_app()
            return
        self.read_paused = True  # so that it is not paused now
        super().send_receive_event_to_app()
        self.read_paused = False
