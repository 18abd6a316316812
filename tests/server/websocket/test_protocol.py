"""Heartbeats, and connections whose client does not read, on real connections."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, cast
from unittest.mock import Mock

import pytest
import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Send
from starlette.websockets import WebSocket
from tests.server.connections.transport import FakeTransport
from tests.service.platforms import until
from uvicorn.server import ServerState
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.http11 import Request

from ludus.server.websocket import protocol as sockets_protocol
from ludus.server.websocket.protocol import MAX_JOINED, WRITE, HeartbeatProtocol, JoiningTransport, Unread

PING = 0x89
HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def run(deed: Coroutine[Any, Any, None]) -> None:
    """On the event loop that the server has."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(deed)


async def quiet(websocket: WebSocket) -> None:
    await websocket.accept()
    while (await websocket.receive())["type"] != "websocket.disconnect":
        await websocket.send_text("heard")


async def repeating(websocket: WebSocket) -> None:
    """Says what it hears, the short way where there is one."""
    await websocket.accept()
    write = websocket.scope["extensions"].get(WRITE)
    while (message := await websocket.receive())["type"] != "websocket.disconnect":
        text = message.get("text") or "bytes"
        if write is None or not write(text):
            await websocket.send_text(f"{text}, the long way")


async def flooding(websocket: WebSocket) -> None:
    """Says more than fits between the two, and gives up."""
    await websocket.accept()
    with suppress(TimeoutError):
        async with asyncio.timeout(0.2):
            while True:
                await websocket.send_text("x" * 100_000)


async def refusing(websocket: WebSocket) -> None:
    await websocket.send_denial_response(PlainTextResponse("no", 418))


class Served:
    def __init__(self, server: uvicorn.Server, port: int) -> None:
        self._server = server
        self.port = port

    @property
    def connections(self) -> int:
        return len(self._server.server_state.connections)

    async def knock(self, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection that answers nothing by itself."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1024)
        writer.write(HANDSHAKE.format(path=path).encode())
        assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
        return reader, writer


@asynccontextmanager
async def serving(protocol: type[HeartbeatProtocol] = HeartbeatProtocol) -> AsyncIterator[Served]:
    names = {"/ws/quiet": quiet, "/ws/flooding": flooding, "/ws/refusing": refusing, "/elsewhere": quiet}
    names |= {"/ws/repeating": repeating, "/elsewhere/repeating": repeating}
    app = Starlette(routes=[WebSocketRoute(path, endpoint) for path, endpoint in names.items()])
    config = uvicorn.Config(app, ws=protocol, ws_ping_interval=None, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    task = asyncio.create_task(server.serve([listener]))
    try:
        await until(lambda: server.started)
        yield Served(server, listener.getsockname()[1])
    finally:
        server.should_exit = True
        await task


@pytest.fixture(autouse=True)
def haste(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets_protocol, "PING_SECONDS", 0.1)
    monkeypatch.setattr(sockets_protocol, "LINGER_SECONDS", 0.1)


def test_who_does_not_answer_pings_is_cut_off() -> None:
    async def happen() -> None:
        async with serving() as served, asyncio.timeout(60):
            reader, writer = await served.knock("/ws/quiet")
            assert (await reader.readexactly(1))[0] == PING
            with suppress(ConnectionError):
                await reader.read()  # until the end
            await until(lambda: served.connections == 0)
            writer.close()

    run(happen())


class FrequentPings(HeartbeatProtocol):
    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        self.ping_interval = 0.1


def test_who_answers_them_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets_protocol, "PING_SECONDS", 3)  # for an answer, on a busy machine too

    async def happen() -> None:
        async with serving(FrequentPings) as served, connect(f"ws://127.0.0.1:{served.port}/ws/quiet") as client:
            await asyncio.sleep(3.5)
            await client.send("still there?")
            assert await client.recv() == "heard"

    run(happen())


def test_what_has_heartbeats_of_its_own_is_not_pinged() -> None:
    async def happen() -> None:
        async with serving() as served:
            reader, writer = await served.knock("/elsewhere")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.4):
                    await reader.readexactly(1)
            assert served.connections == 1
            writer.close()

    run(happen())


def test_a_client_that_never_reads_does_not_keep_its_connection() -> None:
    async def happen() -> None:
        async with serving() as served:
            _, writer = await served.knock("/ws/flooding")
            await until(lambda: served.connections == 0)
            writer.close()

    run(happen())


def test_a_refusal_is_no_error_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    async def happen() -> None:
        async with serving() as served:
            with pytest.raises(InvalidStatus) as refused:
                async with connect(f"ws://127.0.0.1:{served.port}/ws/refusing"):
                    pass
            assert (refused.value.response.status_code, refused.value.response.body) == (418, b"no")

    run(happen())
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def text(content: str, *, fin: bool = True, opcode: Opcode = Opcode.TEXT) -> bytes:
    return Frame(opcode, content.encode(), fin=fin).serialize(mask=True)


ONE = text("one")
END = text("ee", opcode=Opcode.CONT)
PACKETS = {
    "whole frames": [text("one"), text("two"), text("x" * 200), text("four")],
    "several frames at once": [text("one") + text("two"), text("three"), text("four") + text("five")],
    "frames cut in their headers": [ONE[:1], ONE[1:], ONE[:2], ONE[2:], text("three")],
    "a frame that comes in three parts": [ONE[:4], ONE[4:7], ONE[7:], text("two")],
    "messages in several frames": [
        text("o", fin=False),
        text("n", fin=False, opcode=Opcode.CONT),
        text("e", opcode=Opcode.CONT),
        text("two"),
        text("thr", fin=False) + END[:3],
        END[3:],
        text("four"),
    ],
    "a ping inside a message": [
        text("o", fin=False),
        text("", opcode=Opcode.PING),
        text("ne", opcode=Opcode.CONT),
        text("two"),
    ],
    "bytes between texts": [text("one"), Frame(Opcode.BINARY, b"\xff").serialize(mask=True), text("three")],
    "more than may wait unread": [text(str(number)) for number in range(50)],
}


@pytest.mark.parametrize("packets", PACKETS.values(), ids=list(PACKETS))
def test_however_frames_are_packed_they_are_heard_in_order(
    packets: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The arena's sockets have a queue of their own: they must get what uvicorn's would give."""
    monkeypatch.setattr(sockets_protocol, "PING_SECONDS", 20.0)  # the client here answers none

    async def happen() -> None:
        async with serving() as served, asyncio.timeout(20):
            arena = await heard(served, "/ws/repeating", packets)
            other = await heard(served, "/elsewhere/repeating", packets)
            assert [f"{content}, the long way" for content in arena] == other

    run(happen())


async def heard(served: Served, path: str, packets: list[bytes]) -> list[str]:
    """What comes back until the last packet is answered, which says so."""
    reader, writer = await served.knock(path)
    writer.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for packet in [*packets, text("the end")]:
        writer.write(packet)
        await asyncio.sleep(0.01)
    found: list[str] = []
    while not found or not found[-1].startswith("the end"):
        opcode, size = await reader.readexactly(2)
        if size == 126:
            size = int.from_bytes(await reader.readexactly(2), "big")
        content = await reader.readexactly(size)
        if opcode == 0x80 | Opcode.TEXT:
            found.append(content.decode())
    writer.close()
    return found


def test_half_a_character_ends_the_connection_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets_protocol, "PING_SECONDS", 20.0)

    async def happen() -> None:
        async with serving() as served, asyncio.timeout(20):
            reader, writer = await served.knock("/ws/repeating")
            writer.write(Frame(Opcode.TEXT, b"\xc3").serialize(mask=True))
            opcode, size = await reader.readexactly(2)
            while opcode != 0x80 | Opcode.CLOSE:
                await reader.readexactly(size)
                opcode, size = await reader.readexactly(2)
            assert int.from_bytes(await reader.readexactly(2), "big") == 1007
            writer.close()

    run(happen())


class Waiting(HeartbeatProtocol):
    """As much of a protocol as `receive` needs, with frames that wait."""

    def __init__(self, frames: int) -> None:
        self.read_paused = False
        self.queue: Any = Unread(asyncio.get_running_loop())
        self.unread = self.queue
        for number in range(frames):
            self.queue.put_nowait({"type": "websocket.receive", "text": str(number)})


def test_frames_that_wait_are_taken_one_in_a_turn_of_the_event_loop() -> None:
    async def happen() -> None:
        waiting = Waiting(5)
        order: list[str] = []

        async def play() -> None:
            while True:
                order.append("other")
                await asyncio.sleep(0)

        other = asyncio.create_task(play())
        for _ in range(5):
            order.append(cast("dict[str, str]", await waiting.receive())["text"])
        other.cancel()
        assert [each for each in order if each != "other"] == ["0", "1", "2", "3", "4"]
        for number in range(4):
            assert "other" in order[order.index(str(number)) : order.index(str(number + 1))]

    run(happen())


class Sent:
    """A socket over a fake transport, and the frames of its client."""

    def __init__(self, path: str = "/ws/quiet") -> None:
        self.transport = FakeTransport()
        self.app_has: asyncio.Queue[object] = asyncio.Queue()
        config = uvicorn.Config(self._app, ws=HeartbeatProtocol, lifespan="off", log_config=None, interface="asgi3")
        self.protocol = HeartbeatProtocol(config, ServerState(), {})
        self.protocol.connection_made(self.transport)
        self.protocol.data_received(HANDSHAKE.format(path=path).encode())
        self.protocol.ping_interval = None  # nobody would answer

    async def _app(self, _scope: object, receive: Receive, send: Send) -> None:
        self.receive = receive
        await receive()
        await send({"type": "websocket.accept"})
        await self.app_has.get()  # until the test says so

    async def open(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        assert b" 101 " in self.transport.written
        self.transport.written = b""

    def get(self, *frames: Frame) -> None:
        """Receives frames as a client sends them."""
        self.protocol.data_received(b"".join(frame.serialize(mask=True) for frame in frames))


@pytest.mark.parametrize("path", ["/ws/quiet", "/elsewhere"])
def test_a_storm_of_small_messages_is_parsed_as_it_is_handled(path: str) -> None:
    async def happen() -> None:
        sent = Sent(path)
        await sent.open()
        texts = [str(number) for number in range(3000)]
        sent.get(*(Frame(Opcode.TEXT, text.encode()) for text in texts))
        assert sent.protocol.queue.qsize() < 1000
        received = []
        for _ in texts:
            received.append((await sent.receive())["text"])
            assert sent.protocol.queue.qsize() < 1000
        assert received == texts
        assert not sent.protocol.read_paused

    run(happen())


def test_a_message_in_endless_pieces_ends_the_connection() -> None:
    async def happen() -> None:
        sent = Sent()
        await sent.open()
        sent.get(Frame(Opcode.TEXT, b"", fin=False))
        sent.get(*(Frame(Opcode.CONT, b"", fin=False) for _ in range(sockets_protocol.MAX_FRAGMENTS)))
        assert sent.transport.is_closing()
        assert Frame(Opcode.CLOSE, b"\x03\xf1too many fragments").serialize(mask=False) in sent.transport.written
        assert len(sent.protocol.frames) <= sockets_protocol.MAX_FRAGMENTS

    run(happen())


def test_who_reads_no_pongs_gets_none() -> None:
    async def happen() -> None:
        sent = Sent()
        await sent.open()
        sent.get(Frame(Opcode.PING, b"one"))
        assert sent.transport.written == Frame(Opcode.PONG, b"one").serialize(mask=False)
        sent.protocol.pause_writing()
        sent.get(*(Frame(Opcode.PING, b"more") for _ in range(1000)))
        assert sent.transport.written == Frame(Opcode.PONG, b"one").serialize(mask=False)
        sent.protocol.resume_writing()
        sent.get(Frame(Opcode.PING, b"two"))
        assert sent.transport.written.endswith(b"two")

    run(happen())


def test_who_is_cut_off_is_told_why_and_no_send_waits_any_more() -> None:
    async def happen() -> None:
        sent = Sent()
        await sent.open()
        sent.protocol.pause_writing()
        waiting = asyncio.create_task(sent.protocol.send({"type": "websocket.send", "text": "never"}))
        await asyncio.sleep(0)
        sent.protocol.cut(1008, "too slow")
        sent.protocol.cut(1008, "too slow")
        with pytest.raises(OSError):
            await waiting
        assert sent.transport.written == Frame(Opcode.CLOSE, b"\x03\xf0too slow").serialize(mask=False)
        assert (await sent.receive())["type"] == "websocket.disconnect"
        await until(lambda: sent.transport.is_aborted)

    run(happen())


class Closed(HeartbeatProtocol):
    """As much of a protocol as `parse` needs, after it has closed; counts what it parses."""

    close_sent = True

    def __init__(self) -> None:
        self.read_paused = False
        self.transport: Any = Mock(is_closing=lambda: False)
        self.parsed = 0

    def parse_piece(self, data: bytes) -> None:
        self.parsed += len(data)


@pytest.mark.parametrize(("size", "parsed", "pauses"), [(100, 100, 0), (256 * 1024, 0, 1)])
def test_a_flood_after_the_end_is_not_parsed(size: int, parsed: int, pauses: int) -> None:
    protocol = Closed()
    protocol.data_received(b"x" * size)
    assert (protocol.parsed, protocol.transport.pause_reading.call_count) == (parsed, pauses)
    assert not protocol.unparsed


def test_the_frames_of_one_round_of_the_loop_leave_together() -> None:
    async def happen() -> None:
        raw = Mock(is_closing=lambda: False)
        transport = JoiningTransport(raw, asyncio.get_running_loop())
        writes: list[bytes] = []
        raw.write = writes.append
        for frame in (b"1", b"2"):
            transport.write_soon(frame)
        assert not writes
        await asyncio.sleep(0)
        assert writes == [b"12"]
        transport.write_soon(b"3")
        transport.write(b"4")
        assert writes == [b"12", b"3", b"4"]
        transport.write_soon(b"5" * MAX_JOINED)
        transport.write_soon(b"6")
        assert writes.pop() == b"5" * MAX_JOINED + b"6"
        transport.write_soon(b"7")
        transport.close()
        assert writes == [b"12", b"3", b"4", b"7"] and raw.close.called
        transport.write_soon(b"8")
        raw.is_closing = lambda: True
        await asyncio.sleep(0)
        assert writes[-1] == b"7"

    run(happen())
