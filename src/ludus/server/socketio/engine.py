"""The Socket.IO server, with limits, and hanging up on clients that break the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from time import monotonic, time
from typing import Any, Final
from urllib.parse import parse_qs

import engineio
import socketio
import structlog
from engineio.packet import packet_names
from engineio.payload import Payload
from socketio.packet import CONNECT, CONNECT_ERROR
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus.server.cluster.peers import SEPARATOR
from ludus.server.connections.backlog import Backlogs
from ludus.server.connections.gate import LINGER_SECONDS
from ludus.server.http.addresses import counted
from ludus.server.http.cpu_budget import EVENTS, PAYER, CpuBudget, OverBudget, Payer, Timed
from ludus.server.http.middleware import refuse
from ludus.server.http.rate_limit import EventLimit, SocketCount
from ludus.server.socketio.packets import (
    BadPacket,
    Json,
    MessagePacket,
    TextPacket,
    ack_packet,
    event_packet,
    read_event,
)
from ludus.server.socketio.transport import SendQueue, WebSocketTransport
from ludus.server.websocket.protocol import UNREAD

log = structlog.get_logger(__name__)

PACKET_TYPES: Final = frozenset(range(len(packet_names)))
SPARE_CONNECTIONS: Final = 16
"""Spare sockets per address above its limit, so that a client with too many can get an error."""
JOIN_SECONDS: Final = 45.0
"""For a new connection to join a namespace."""
OUTSIDE: Final = 60e-6
"""Seconds that a packet takes outside the timed part."""
MOST_PREFIX: Final = 128
"""Characters in which the name of an event must begin, and end."""
PROCESS_HEADER: Final = "X-Ludus-Process"
MAX_POSTED_PACKETS: Final = 1000
"""In one request of a polling client, whose size is limited too; engineio would drop more than 16."""


OnRefused = Callable[[str, str, OverBudget], Awaitable[None]]
"""Takes the client in its namespace, the name of the event and the reason."""


class Engine(engineio.AsyncServer):  # type: ignore[misc]  # python-engineio is untyped
    process = ""
    """The name of this process in a cluster, which the ids of its sessions start with."""
    charge_frame: Callable[[str], Awaitable[None]]
    """Called before a frame that is no message."""

    def generate_id(self) -> str:
        id: str = super().generate_id()
        return f"{self.process}{SEPARATOR}{id}" if self.process else id

    async def _make_response(self, response_dict: dict[str, Any], environ: dict[str, Any]) -> object:
        """Names the process, for proxies that can send a session's requests to it."""
        if self.process:
            response_dict["headers"].append((PROCESS_HEADER, self.process))
        return await super()._make_response(response_dict, environ)

    async def disconnect(self, sid: str | None = None) -> None:
        """Unlike the original, never waits for a client to fetch its last messages."""
        for each in [sid] if sid is not None else list(self.sockets):
            if (socket := self.sockets.pop(each, None)) is not None:
                await socket.close(wait=False)

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> object:
        """Forgets a session that was ended since its last request: the original would fail on it."""
        id = parse_qs(scope["query_string"].decode("latin-1")).get("sid", [""])[0]
        if id in self.sockets and self.sockets[id].closed:
            del self.sockets[id]
        return await super().handle_request(scope, receive, send)


class SocketServer(socketio.AsyncServer):  # type: ignore[misc]  # python-socketio is untyped
    def __init__(
        self,
        namespaces: Iterable[str],
        backlogs: Backlogs,
        budget: CpuBudget,
        *,
        max_sockets: int,
        max_events: int,
        process: str = "",
        **options: Any,
    ) -> None:
        """Limits: sockets of an address, and events per second of a socket. `process`: our name in a cluster."""
        self._budget = budget
        self._payers: dict[str, Payer] = {}
        self.on_refused: OnRefused | None = None
        """Called with an event that its sender's budget doesn't allow; it must end the connection."""
        self.count = SocketCount(max_sockets + SPARE_CONNECTIONS)
        self._max_events = max_events
        self._limits: dict[str, EventLimit] = {}
        self._queues: dict[str, SendQueue] = {}
        self._joining: dict[str, asyncio.TimerHandle] = {}
        """Timers of connections that may not have joined a namespace."""
        self._closing: set[asyncio.Task[None]] = set()
        super().__init__(
            async_mode="asgi",
            async_handlers=False,  # one event at a time per client, so that its moves stay in order
            json=Json,
            serializer=TextPacket,
            cors_allowed_origins="*",
            cors_credentials=False,
            http_compression=False,  # it would hold up everyone else
            namespaces=list(namespaces),
            **options,
        )
        self.eio._async = {**self.eio._async, "websocket": WebSocketTransport}
        self.eio.create_queue = lambda: SendQueue(backlogs)
        self.eio.process = process
        self.eio.charge_frame = self._charge_frame
        Payload.max_decode_packets = MAX_POSTED_PACKETS

    def _engineio_server_class(self) -> type[Engine]:
        return Engine

    async def hang_up(self, engine: str, *, politely: bool = False) -> None:
        """`politely`, a polling client may still fetch what is queued for it."""
        socket = self.eio.sockets.get(engine)
        if socket is not None and (socket.upgraded or not politely):
            await socket.close(wait=False)

    async def send_event(self, engines: Iterable[str], namespace: str, event: str, data: Any) -> None:
        """To any number of clients; it is encoded once."""
        packet = event_packet(namespace, event, data)
        for engine in engines:
            await self._send_eio_packet(engine, packet)

    async def _send_eio_packet(self, eio_sid: str, eio_pkt: MessagePacket) -> None:
        """A client that has left a ping unanswered for too long is found out here, if not by the service task."""
        socket = self.eio.sockets.get(eio_sid)
        if socket is None or socket.closed:
            return
        if socket.last_ping and time() - socket.last_ping > self.eio.ping_timeout:
            await socket.check_ping_timeout()  # closes it
        else:
            socket.queue.push(eio_pkt)

    async def _send_packet(self, eio_sid: str, pkt: TextPacket) -> None:
        await self._send_eio_packet(eio_sid, MessagePacket(pkt.encode().encode()))

    async def _handle_eio_connect(self, eio_sid: str, environ: dict[str, Any]) -> object:
        queue = self.eio.sockets[eio_sid].queue
        if not self.count.enter(address_of(environ)):
            queue.release()
            return {"code": "too_fast", "message": "too many connections from this address"}
        self._limits[eio_sid] = EventLimit(4 * self._max_events, monotonic())
        payer = self._payers[eio_sid] = self._budget.payer(address_of(environ), has_connection=True)
        payer.unread = environ.get("asgi.scope", {}).get("extensions", {}).get(UNREAD)
        environ[PAYER] = payer
        self._queues[eio_sid] = queue
        queue.on_drop = lambda: self._end(eio_sid)
        later = asyncio.get_running_loop().call_later
        self._joining[eio_sid] = later(JOIN_SECONDS, self.end_unless_joined, eio_sid)
        return await super()._handle_eio_connect(eio_sid, environ)

    def end_unless_joined(self, engine: str) -> None:
        """Ends a connection that is in no namespace: it would hold a place for nothing."""
        self._joining.pop(engine, None)
        if not any(self.manager.sid_from_eio_sid(engine, name) for name in list(self.manager.get_namespaces())):
            self._end(engine)

    def _end(self, engine: str) -> None:
        """In a task: this is called from within a send, perhaps with the lock of a room held."""
        task = asyncio.create_task(self.hang_up(engine))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _handle_eio_message(self, eio_sid: str, data: str | bytes) -> None:
        """One packet; what waits behind it is read when it is done."""
        limit, budget = self._limits.get(eio_sid), self._budget
        if limit is None:
            return
        try:
            if not data or not limit.allows(monotonic()):
                raise BadPacket("too many packets" if data else "empty packet")
            payer, kind = self._payers[eio_sid], kind_of(data)
            price = budget.price(kind)
            turn = budget.charge(payer, price)
            if turn is not None:
                await turn
            await Timed(budget, payer, kind, price, self._handle_packet(eio_sid, data), OUTSIDE)
        except OverBudget as error:
            await self._refuse(eio_sid, str(data), error)
        except BadPacket as problem:
            log.info("client broke the protocol", problem=str(problem))
            await self.hang_up(eio_sid)
        socket = self.eio.sockets.get(eio_sid)
        if socket is not None and not socket.upgraded:
            await asyncio.sleep(0)  # a request may bring many packets

    async def _handle_packet(self, eio_sid: str, data: str | bytes) -> None:
        event = read_event(data)
        handler = None if event is None else self.namespace_handlers.get(event.namespace)
        if event is None or handler is None:
            await super()._handle_eio_message(eio_sid, data)
            return
        sid = self.manager.sid_from_eio_sid(eio_sid, event.namespace)
        if not self.manager.is_connected(sid, event.namespace):
            return
        answer = await handler.receive(sid, event.name, event.payload)
        if event.ack:
            await self._send_eio_packet(eio_sid, ack_packet(event.namespace, event.ack, answer))

    async def _charge_frame(self, eio_sid: str) -> None:
        """Raises `OverBudget`, which ends the connection."""
        payer = self._payers.get(eio_sid)
        if payer is not None:
            await self._budget.admit(payer, self._budget.price("frame"))

    async def _refuse(self, eio_sid: str, data: str, error: OverBudget) -> None:
        """Says why, then ends the connection."""
        namespace = namespace_of(data)
        sid = self.manager.sid_from_eio_sid(eio_sid, namespace)
        if sid is not None and self.on_refused is not None:
            await self.on_refused(sid, event_of(data), error)
        elif data[0] == str(CONNECT):
            problem = {"code": error.code, "message": str(error)}
            refusal = {"message": str(error), "data": problem}
            await self._send_packet(eio_sid, TextPacket(CONNECT_ERROR, data=refusal, namespace=namespace))
        await self.hang_up(eio_sid, politely=True)

    async def _handle_eio_disconnect(self, eio_sid: str, reason: str) -> None:
        self._payers.pop(eio_sid, None)
        self.eio.sockets.pop(eio_sid, None)  # else engineio fails when a client posts to a session that has ended
        if self._limits.pop(eio_sid, None) is not None:
            self.count.leave(address_of(self.environ[eio_sid]))
            if timer := self._joining.pop(eio_sid, None):
                timer.cancel()
            self._release(self._queues.pop(eio_sid))
        await super()._handle_eio_disconnect(eio_sid, reason)

    def _release(self, queue: SendQueue) -> None:
        """The last packets may still leave; then a client that hasn't read them is cut off."""
        queue.release()
        asyncio.get_running_loop().call_later(LINGER_SECONDS, queue.end)


def kind_of(data: str | bytes) -> str:
    """What a packet costs as much as, guessed from its start; it is decoded when it has been paid for."""
    if isinstance(data, bytes):
        return "packet"
    if data[0] == "2":
        event = event_of(data)
        return event if event in EVENTS else "packet"
    return "connect" if data[0] == "0" else "packet"


def event_of(data: str) -> str:
    """The name of the event in an encoded packet; empty if there is none."""
    start = data.find('["', 0, MOST_PREFIX)
    return "" if start < 0 else data[start + 2 : data.find('"', start + 2, start + MOST_PREFIX)]


def namespace_of(data: str) -> str:
    """In an encoded packet."""
    return data[1:].partition(",")[0] if data[1:2] == "/" else "/"


class PayloadValidation:
    """Middleware that refuses what a polling client posts unless the engine can decode it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            return await self._app(scope, receive, send)
        message = await receive()
        body = message.get("body", b"")
        while message.get("more_body"):
            message = await receive()
            body += message.get("body", b"")
        if not is_payload(body):
            return await refuse(send, 400, "malformed", "The body is not a valid Engine.IO payload.")
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return whole.pop() if whole else await receive()

        return await self._app(scope, replay, send)


def address_of(environ: dict[str, Any]) -> str:
    """As limits count it."""
    client = environ.get("asgi.scope", {}).get("client")
    return counted(str(client[0])) if client else ""


def is_payload(body: bytes) -> bool:
    try:
        packets = Payload(encoded_payload=body.decode()).packets
    except Exception:  # engineio fails in many ways
        return False
    return all(packet.packet_type in PACKET_TYPES for packet in packets)
