"""HTTP connections: time-outs, sizes, and requests that could be read in two ways."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from tests.server.connections.transport import FakeClock, FakeTransport
from uvicorn.server import ServerState

from ludus.server.connections.backlog import Backlogs
from ludus.server.connections.gate import STALL_SECONDS, Gate
from ludus.server.http import protocol as http
from ludus.server.http.protocol import HttpProtocol
from ludus.server.websocket.protocol import HeartbeatProtocol

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"
UPGRADE = (
    b"GET /ws/x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Site:
    """One gate, and an application that reads a body and answers."""

    def __init__(self, most_per_address: int = 10) -> None:
        self.clock = FakeClock()
        self.closed: list[str] = []
        self.backlogs = Backlogs(1_000_000, 1_000_000)
        self.gate = Gate(100, most_per_address, self.backlogs, on_close=self.closed.append, clock=self.clock)
        self.bodies: list[bytes] = []
        self.left = 0
        self.answer = b"ok"
        self._config = uvicorn.Config(
            self._app, ws=HeartbeatProtocol, lifespan="off", log_config=None, interface="asgi3", proxy_headers=False
        )
        self._state = ServerState()

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._speak if scope["type"] == "websocket" else self._respond)(receive, send)

    async def _respond(self, receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.left += 1
                return
            body, more = body + message["body"], message["more_body"]
        self.bodies.append(body)
        size = str(len(self.answer)).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", size)]})
        await send({"type": "http.response.body", "body": self.answer})

    async def _speak(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await receive()

    def connect(self) -> tuple[HttpProtocol, FakeTransport]:
        protocol = HttpProtocol(self._config, self._state, {}, gate=self.gate)
        transport = FakeTransport()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        return protocol, transport

    async def wait(self, seconds: float) -> None:
        self.clock.now += seconds
        self.gate.sweep()
        await settle()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def run(deed: Callable[[Site], Awaitable[None]]) -> None:
    async def happen() -> None:
        await deed(Site())

    asyncio.run(happen())


def status(transport: FakeTransport) -> int:
    return int(transport.written.split(b" ")[1])


def code(transport: FakeTransport) -> Any:
    return orjson.loads(transport.written.split(b"\r\n\r\n", 1)[1])["code"]


def test_a_silent_connection_is_ended() -> None:
    async def deed(site: Site) -> None:
        _, transport = site.connect()
        await site.wait(http.HEAD_SECONDS - 0.1)
        assert not transport.is_closing()
        await site.wait(0.1)
        assert transport.is_closing() and site.closed == ["head_timeout"]

    run(deed)


def test_a_head_that_comes_byte_by_byte_is_ended() -> None:
    async def deed(site: Site) -> None:
        protocol, transport = site.connect()
        for byte in GET[:-1]:
            protocol.data_received(bytes([byte]))
            await site.wait(http.HEAD_SECONDS / len(GET))
        await site.wait(1)
        assert transport.is_closing() and not site.bodies

    run(deed)


def test_so_is_a_second_head_on_the_same_connection() -> None:
    async def deed(site: Site) -> None:
        protocol, transport = site.connect()
        protocol.data_received(GET)
        await settle()
        await site.wait(1000)
        assert status(transport) == 200 and not transport.is_closing()  # idle time is uvicorn's
        protocol.data_received(GET[:-1])
        await site.wait(http.HEAD_SECONDS)
        assert transport.is_closing() and site.closed == ["head_timeout"]

    run(deed)


def test_a_body_that_does_not_come_is_answered_with_408() -> None:
    async def deed(site: Site) -> None:
        protocol, transport = site.connect()
        protocol.data_received(POST + b"bod")
        await site.wait(http.BODY_SECONDS - 0.1)
        assert not transport.is_closing()
        await site.wait(0.1)
        assert (status(transport), code(transport), site.closed) == (408, "too_slow", ["body_timeout"])
        assert transport.is_closing() and site.left == 1 and not site.bodies

    run(deed)


def test_a_request_in_progress_has_all_the_time_it_needs() -> None:
    async def deed(site: Site) -> None:
        protocol, transport = site.connect()
        protocol.data_received(POST)
        protocol.data_received(b"body")  # the application has not run yet
        site.clock.now += 1000
        site.gate.sweep()
        assert not transport.is_closing()
        await settle()
        assert site.bodies == [b"body"] and status(transport) == 200

    run(deed)


def test_a_response_that_is_not_read_ends_with_its_connection() -> None:
    async def deed(site: Site) -> None:
        site.answer = b"x" * 200_000
        protocol, transport = site.connect()
        protocol.data_received(GET)
        await settle()
        transport.unread = len(site.answer)
        protocol.pause_writing()
        assert site.backlogs.size == 200_000
        await site.wait(STALL_SECONDS)
        assert transport.is_aborted and site.closed == ["slow_reader"]
        protocol.connection_lost(None)
        assert site.backlogs.size == 0 and len(site.gate) == 0

    run(deed)


def test_a_connection_too_many_is_answered_and_not_read() -> None:
    async def deed(site: Site) -> None:
        for _ in range(10):
            site.connect()
        protocol, transport = site.connect()
        assert (status(transport), code(transport)) == (429, "too_fast")
        assert transport.is_closing() and b"Retry-After: " in transport.written
        protocol.data_received(GET)
        await settle()
        assert not site.bodies and site.closed == ["address_limit"]
        protocol.connection_lost(None)
        assert len(site.gate) == 10

    run(deed)


def test_a_socket_keeps_the_slot_of_its_connection() -> None:
    async def deed(site: Site) -> None:
        protocol, transport = site.connect()
        protocol.data_received(UPGRADE)
        await settle()
        assert status(transport) == 101 and len(site.gate) == 1
        await site.wait(1000)
        assert not transport.is_closing()
        socket = transport.get_protocol()
        assert isinstance(socket, HeartbeatProtocol)
        transport.unread = 30_000
        socket.pause_writing()
        assert site.backlogs.size == 30_000
        await site.wait(STALL_SECONDS)
        assert transport.is_aborted and site.closed == ["slow_reader"]
        socket.connection_lost(None)
        assert len(site.gate) == 0 and site.backlogs.size == 0
        await settle()

    run(deed)


@pytest.mark.parametrize("headers", [
    b"Content-Length: 4\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding: chunked\r\nContent-Length: 4",
    b"TRANSFER-ENCODING: Chunked\r\ncontent-length: 4",
    b"Content-Length: 4\r\nContent-Length: 5",
    b"Content-Length: 4, 5",
    b"Content-Length: +4",
    b"Transfer-Encoding: gzip, chunked",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding : chunked",
])  # fmt: skip
def test_a_request_whose_end_can_be_read_in_two_ways_is_refused(headers: bytes) -> None:
    async def deed(site: Site) -> None:
        protocol, transport = site.connect()
        protocol.data_received(b"POST / HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n\r\n0\r\n\r\n" + GET)
        await settle()
        assert (status(transport), code(transport), site.closed) == (400, "malformed", ["bad_request"])
        assert transport.is_closing() and not site.bodies and transport.written.count(b"Connection: close") == 1

    run(deed)


def test_an_encoding_that_http_1_0_does_not_have_is_refused() -> None:
    async def deed(site: Site) -> None:
        protocol, transport = site.connect()
        protocol.data_received(b"POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        await settle()
        assert status(transport) == 400 and not site.bodies

    run(deed)


@pytest.mark.parametrize("headers", [b"Content-Length: 4", b"Transfer-Encoding: chunked", b"Content-Length: 4, 4"])
def test_one_length_or_one_encoding_is_fine(headers: bytes) -> None:
    async def deed(site: Site) -> None:
        protocol, transport = site.connect()
        body = b"4\r\nbody\r\n0\r\n\r\n" if b"chunked" in headers else b"body"
        protocol.data_received(b"POST / HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n\r\n" + body)
        await settle()
        assert status(transport) == 200 and site.bodies == [b"body"]

    run(deed)


@pytest.mark.parametrize("head", [
    b"X: " + b"x" * http.MAX_HEAD,
    b"\r\n".join(b"X: x" for _ in range(http.MAX_HEADERS + 1)),
], ids=["long", "many"])  # fmt: skip
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_head_that_is_too_long_is_refused_at_once(head: bytes, is_whole: bool) -> None:
    async def deed(site: Site) -> None:
        protocol, transport = site.connect()
        end = b"\r\n\r\n" if is_whole or len(head) < http.MAX_HEAD else b""
        protocol.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n" + head + end)
        await settle()
        assert (status(transport), code(transport)) == (431, "too_large")
        assert transport.is_closing() and not site.bodies

    run(deed)


def test_nothing_refers_to_a_connection_that_is_gone() -> None:
    """Else a storm of connections would fill the memory until the next garbage collection."""

    async def deed(site: Site) -> None:
        protocol, transport = site.connect()
        slot = protocol.slot
        assert slot is not None
        protocol.data_received(GET)
        await settle()
        protocol.connection_lost(None)
        assert protocol.slot is None and protocol.parser.on_event is http.ignore
        assert slot not in site.gate._slots and slot not in site.gate._waiting
        assert transport.is_closing()

    run(deed)
