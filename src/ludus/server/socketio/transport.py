"""Engine.IO's WebSocket transport without a task and a timer per message, which cost more than the messages do.

python-engineio lets its WebSocket class be replaced. Silent clients are found by its service task, which watches all
sockets.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import structlog
from engineio.async_drivers.asgi import WebSocket
from engineio.exceptions import SocketIsClosedError, UnknownPacketError
from engineio.packet import CLOSE, MESSAGE, NOOP, PING, PONG, UPGRADE, Packet

from ludus.server.connections.backlog import Backlogs, memory_of, nothing
from ludus.server.http.cpu_budget import OverBudget
from ludus.server.socketio.packets import MessagePacket
from ludus.server.websocket.connection import POLICY_VIOLATION, TOO_SLOW, Cut
from ludus.server.websocket.protocol import CUT, WRITE_FRAME

log = structlog.get_logger(__name__)

PROBE: Final = "probe"
TEXT_MESSAGE: Final = str(MESSAGE)
MAX_POLLED_PACKETS: Final = 16
"""In one answer to a polling client: python-socketio's client gives up on more."""
UPGRADE_SECONDS: Final = 10.0
"""For a polling client to finish its upgrade; nothing else watches a socket that hasn't."""


class SendQueue(asyncio.Queue[Any]):
    """Packets for one client, counted in bytes. A poll takes no more at once than stock clients accept."""

    def __init__(self, backlogs: Backlogs) -> None:
        super().__init__()
        self._taken = 0
        self._backlog = backlogs.open(self.drop)
        self._is_dropped = False
        self.on_drop: Callable[[], None] = nothing
        """Called when more was queued than the client may leave unread."""
        self.cut: Cut | None = None
        """Ends the client's WebSocket, if it has one."""
        self.write: Callable[[bytes], bool] | None = None
        """Sends a frame on the client's WebSocket at once, or is false if it can't."""
        self.is_sending = False
        """Whether a packet has been taken that isn't sent yet."""

    def push(self, packet: MessagePacket) -> None:
        """Sends a packet at once if nothing waits before it; else queues it."""
        if self._queue or self.is_sending or self.write is None or not self.write(packet.frame):
            self.put_nowait(packet)

    async def get(self) -> Any:
        self._taken = 0
        return await super().get()

    def get_nowait(self) -> Any:
        if self._taken >= MAX_POLLED_PACKETS:
            raise asyncio.QueueEmpty
        self._taken += 1
        return super().get_nowait()

    def _put(self, packet: Any) -> None:
        if not self._is_dropped or packet is None:
            super()._put(packet)
            self._backlog.add(_memory_of(packet))

    def _get(self) -> Any:
        packet = super()._get()
        self._backlog.remove(_memory_of(packet))
        return packet

    def drop(self) -> None:
        """Drops everything queued; a client that still polls gets only the end."""
        self.end()
        self.on_drop()

    def end(self) -> None:
        """Engineio keeps a session for half a minute after its end; what was queued for it is dropped now."""
        self._is_dropped = True
        self._queue: deque[Any] = deque([Packet(CLOSE)])
        if self.cut is not None:
            self.cut(POLICY_VIOLATION, TOO_SLOW)
            self.cut = self.write = None

    def release(self) -> None:
        """What is left no longer counts, since the client has gone."""
        self._backlog.close()
        self.on_drop = nothing


def _memory_of(packet: Packet | MessagePacket | None) -> int:
    if isinstance(packet, MessagePacket):
        return packet.memory
    return 0 if packet is None else memory_of(packet.data)


class WebSocketTransport(WebSocket):  # type: ignore[misc]  # python-engineio is untyped
    """One client's WebSocket, opened as such or upgraded from polling."""

    async def __call__(self, environ: dict[str, Any]) -> str:
        self.asgi_receive, self.asgi_send = environ["asgi.receive"], environ["asgi.send"]
        await self.asgi_send({"type": "websocket.accept"})
        client = self.handler.__self__
        if client.connected and not await self._upgrade(client):
            return ""
        extensions = environ["asgi.scope"].get("extensions", {})
        client.queue.cut, client.queue.write = extensions.get(CUT), extensions.get(WRITE_FRAME)
        client.connected = client.upgraded = True
        writer = asyncio.create_task(self._write(client))
        # in a task of its own: from here, every await would pass through all layers of the server
        await asyncio.create_task(self._read(client))
        client.queue.write = None
        client.queue.put_nowait(None)
        await writer
        await client.close(wait=False, abort=True, reason=client.server.reason.TRANSPORT_CLOSE)
        return ""

    async def _upgrade(self, client: Any) -> bool:
        """Takes over from polling; false if the client breaks the protocol."""
        if client.upgrading:
            return False
        client.upgrading = True
        try:
            async with asyncio.timeout(UPGRADE_SECONDS):
                return await self._probe(client)
        except (OSError, ValueError):  # a time-out is an OSError
            return False
        finally:
            client.upgrading = False

    async def _probe(self, client: Any) -> bool:
        probe = Packet(encoded_packet=await self._next(client))
        if probe.packet_type != PING or probe.data != PROBE:
            return False
        await self.send(Packet(PONG, data=PROBE).encode())
        client.queue.put_nowait(Packet(NOOP))  # ends the pending poll
        return bool(Packet(encoded_packet=await self._next(client)).packet_type == UPGRADE)

    async def _read(self, client: Any) -> None:
        receive = client.server.handlers["message"]
        while True:
            try:
                data = await self._next(client)
                if data[:1] == TEXT_MESSAGE:
                    await receive(client.sid, data[1:])
                else:
                    packet = Packet(encoded_packet=data)
                    if packet.packet_type != MESSAGE:
                        await client.server.charge_frame(client.sid)
                    await client.receive(packet)
                if client.closed:
                    return
            except (OSError, SocketIsClosedError):
                return
            except UnknownPacketError:
                continue
            except OverBudget:
                log.info("client used too much of the server's time")
                return
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
            queue.is_sending = True
            try:
                await send({"type": "websocket.send", "text" if isinstance(data, str) else "bytes": data})
            except Exception:  # servers raise different errors when the client is gone
                return
            queue.is_sending = False
            packet = None if packet.packet_type == CLOSE else await queue.get()
        await self.close()
