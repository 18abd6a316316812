"""Requests of a Socket.IO session that arrive at another process than the one that has the session.

A polling client sends many requests, and an upgrade to WebSocket is one more. Neither the system, which spreads
connections over the processes that listen on one port, nor most proxies send all of them to the same process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Final, NamedTuple
from urllib.parse import parse_qs

import h11
import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus.server.cluster.peers import Peers, Signature, owner_of
from ludus.server.http.middleware import deny, refuse
from ludus.server.http.protocol import REFUSALS, RETRY_SECONDS
from ludus.server.metrics import Metrics
from ludus.server.websocket.tunnel import TUNNEL, Join, TunnelEnd

log = structlog.get_logger(__name__)

Headers = list[tuple[bytes, bytes]]

HEADER: Final = b"x-ludus-forwarded"
CONNECT_SECONDS: Final = 2.0
"""For the connection to another process."""
RESPONSE_SECONDS: Final = 60.0
"""For its response; Engine.IO holds a poll for 45."""
MOST_FORWARDS: Final = 1024
"""Requests and sockets that a process passes on at once, unless it is set."""
CHUNK: Final = 64 * 1024
SENT: Final = frozenset({b"content-type", b"origin"})
"""What another process needs to know of a request's headers."""
SENT_BY_SOCKETS: Final = SENT | {
    b"connection",
    b"upgrade",
    b"sec-websocket-extensions",
    b"sec-websocket-key",
    b"sec-websocket-protocol",
    b"sec-websocket-version",
}
HOP_BY_HOP: Final = frozenset({b"connection", b"content-length", b"date", b"keep-alive", b"transfer-encoding"})


class Unreachable(Exception):
    """The other process cannot be reached, or does not answer as it should."""


class Forwarding:
    """Middleware for Engine.IO: passes on what belongs to the sessions of other processes.

    A process that is gone has no sessions, so its clients get the answer for an unknown session, and reconnect.
    """

    def __init__(self, app: ASGIApp, peers: Peers, signature: Signature, metrics: Metrics, most: int) -> None:
        """`app` is the engine of this process; `most` bounds a response, in bytes."""
        self._app = app
        self._peers = peers
        self._signature = signature
        self._metrics = metrics
        self._most = most
        self.most_at_once = MOST_FORWARDS
        self._forwards = 0
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Answers held polls as if their sessions were gone, since this process is about to be; clients reconnect."""
        self._stopping.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        owner = session_owner(scope)
        if owner in ("", self._peers.own):
            await self._app(scope, receive, send)
            return
        kind = "socket" if scope["type"] == "websocket" else "poll"
        if self._forwards >= self.most_at_once:
            self._metrics.forward(kind, "refused")
            refusing = deny(send) if kind == "socket" else send
            await refuse(refusing, 503, "unavailable", REFUSALS[503], RETRY_SECONDS)
            return
        self._forwards += 1
        try:
            result = await self._pass_on(owner, scope, receive, send)
        finally:
            self._forwards -= 1
        self._metrics.forward(kind, result)

    async def _pass_on(self, owner: str, scope: Scope, receive: Receive, send: Send) -> str:
        """How it ended."""
        address = await self._peers.address_of(owner)
        first = await _whole(receive)
        if address:
            try:
                passed_on = self._tunnel if scope["type"] == "websocket" else self._poll
                return await passed_on(address, first, scope, receive, send)
            except Unreachable as problem:
                log.info("a process cannot be reached", process=owner, address=address, problem=str(problem))
        await self._app(scope, _again(first, receive), send)
        return "gone"

    async def _poll(self, address: str, first: Message, scope: Scope, receive: Receive, send: Send) -> str:
        if first["type"] == "http.disconnect":
            return "left"
        body = first["body"]
        headers = [*self._headers(scope, SENT), (b"content-length", str(len(body)).encode())]
        asking = asyncio.create_task(_ask(address, scope["method"], _target(scope), headers, body, self._most))
        others = [asyncio.create_task(_end_of(receive)), asyncio.create_task(self._stopping.wait())]
        try:
            await asyncio.wait((asking, *others), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                if self._stopping.is_set():
                    raise Unreachable("stopping")
                return "left"
            status, found, content = asking.result()
        finally:
            for task in (asking, *others):
                task.cancel()
            await asyncio.gather(asking, *others, return_exceptions=True)
        sent = [*found, (b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": sent})
        await send({"type": "http.response.body", "body": content})
        return "answered"

    async def _tunnel(self, address: str, first: Message, scope: Scope, receive: Receive, send: Send) -> str:
        """Bytes are passed on as they are, the handshake included; frames are parsed by the owner only."""
        del receive, send
        if first["type"] != "websocket.connect":
            return "left"
        join: Join = scope["extensions"][TUNNEL]
        request = h11.Request(method="GET", target=_target(scope), headers=self._headers(scope, SENT_BY_SOCKETS))
        head = h11.Connection(h11.CLIENT).send(request)
        await join(await _far_end(address), head or b"")
        return "answered"

    def _headers(self, scope: Scope, names: Collection[bytes]) -> Headers:
        client = scope["client"][0] if scope.get("client") else ""
        signed = self._signature.sign(scope.get("method", "GET"), _target(scope), client)
        kept = [(name, value) for name, value in scope["headers"] if name in names]
        return [(b"host", b"ludus"), (HEADER, signed.encode()), *kept]


def session_owner(scope: Scope) -> str:
    """The name of the process that the session in the query belongs to; empty if there is none."""
    if scope["type"] == "http" and scope["method"] not in ("GET", "POST"):
        return ""
    ids = parse_qs(scope["query_string"].decode("latin-1")).get("sid")
    return owner_of(ids[0]) if ids else ""


def forwarded_client(signature: Signature, scope: Scope) -> str | None:
    """The client's address of a request that another process has passed on; None if it was none of ours."""
    signed = next((value for name, value in scope["headers"] if name == HEADER), None)
    if signed is None:
        return None
    return signature.client(scope.get("method", "GET"), _target(scope), signed.decode("latin-1"))


def _target(scope: Scope) -> str:
    return f"{scope['path']}?{scope['query_string'].decode('latin-1')}"


def _again(first: Message, receive: Receive) -> Receive:
    """Replays what was received already, then receives the rest."""
    held = [first]

    async def receiving() -> Message:
        return held.pop() if held else await receive()

    return receiving


async def _whole(receive: Receive) -> Message:
    """A request's body in one message, or the first message of a socket. The size was checked before."""
    message = await receive()
    if message["type"] != "http.request":
        return message
    parts = [message.get("body", b"")]
    while message.get("more_body"):
        message = await receive()
        parts.append(message.get("body", b""))
    return {"type": "http.request", "body": b"".join(parts), "more_body": False}


async def _end_of(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _place(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


async def _far_end(address: str) -> TunnelEnd:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, end = await loop.create_connection(TunnelEnd, *_place(address))
    except (OSError, ValueError) as error:  # a time-out is an OSError
        raise Unreachable(type(error).__name__) from None
    return end


class Answer(NamedTuple):
    status: int
    headers: Headers
    body: bytes


async def _ask(address: str, method: str, target: str, headers: Headers, body: bytes, most: int) -> Answer:
    """One request on a connection of its own, so that none can break while it waits for the next one."""
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(*_place(address))
    except (OSError, ValueError) as error:
        raise Unreachable(type(error).__name__) from None
    try:
        async with asyncio.timeout(RESPONSE_SECONDS):
            return await _exchange(reader, writer, (method, target, headers, body), most)
    except (OSError, h11.RemoteProtocolError) as error:
        raise Unreachable(type(error).__name__) from None
    finally:
        writer.transport.abort()


async def _exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: tuple[str, str, Headers, bytes], most: int
) -> Answer:
    method, target, headers, body = asked
    connection = h11.Connection(h11.CLIENT)
    events = (h11.Request(method=method, target=target, headers=headers), h11.Data(data=body), h11.EndOfMessage())
    writer.write(b"".join(connection.send(event) or b"" for event in events))
    status, found, content = 0, Headers(), bytearray()
    while not isinstance(event := connection.next_event(), h11.EndOfMessage):
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(CHUNK))
        elif isinstance(event, h11.Response):
            status = event.status_code
            found = [(name, value) for name, value in event.headers if name not in HOP_BY_HOP]
        elif isinstance(event, h11.Data):
            content += event.data
            if len(content) > most:
                raise Unreachable("too much")
    return Answer(status, found, bytes(content))
