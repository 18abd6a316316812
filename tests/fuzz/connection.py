"""The bytes of a connection, HTTP or WebSocket, through the server's protocols and without a socket."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any, Final

from uvicorn import Config
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode

from ludus.server.connections.backlog import Backlogs
from ludus.server.connections.gate import Gate
from ludus.server.http.protocol import HttpProtocol
from ludus.server.websocket.protocol import HeartbeatProtocol

MAX_SIZE: Final = 16_384
PLENTY: Final = 1 << 30
HANDSHAKE: Final = (
    b"GET /ws/game?key=x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
GET: Final = b"GET /api/games?limit=1 HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nCookie: a=b\r\n\r\n"
POST: Final = b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}"
CHUNKED: Final = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"


class Pipe(asyncio.Transport):
    """Takes everything, and keeps nothing."""

    protocol: Any = None
    is_closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None: ...

    def close(self) -> None:
        self.is_closed = True

    abort = close

    def is_closing(self) -> bool:
        return self.is_closed

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def get_protocol(self) -> Any:
        return self.protocol

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


def frames(*messages: tuple[Opcode, bytes], fin: bool = True) -> bytes:
    """Masked, as a client sends them."""
    made = (Frame(opcode, data, fin) for opcode, data in messages)
    return b"".join(frame.serialize(mask=True, extensions=[]) for frame in made)


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Takes what comes until it ends."""
    kind = scope["type"]
    while (message := await receive())["type"] not in ("websocket.disconnect", "http.disconnect"):
        if message["type"] == "websocket.connect":
            await send({"type": "websocket.accept"})
        elif kind == "websocket":
            await send({"type": "websocket.send", "text": "heard"})
        elif not message.get("more_body"):
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})
            return


@cache
def config() -> Config:
    made = Config(
        app,
        ws=HeartbeatProtocol,
        ws_max_size=MAX_SIZE,
        ws_per_message_deflate=False,
        ws_ping_interval=None,
        lifespan="off",
        log_config=None,
    )
    made.load()
    return made


def talk(data: bytes, opening: bytes = b"") -> None:
    """A connection on which this is received; an exception in one of its protocols or tasks is raised."""

    async def receive() -> None:
        state, pipe = ServerState(), Pipe()
        gate = Gate(PLENTY, PLENTY, Backlogs(PLENTY, PLENTY))
        loop = asyncio.get_running_loop()
        pipe.protocol = HttpProtocol(config(), state, {}, loop, gate=gate)
        pipe.protocol.connection_made(pipe)
        for part in (opening, data):
            if part and not pipe.is_closing():
                pipe.protocol.data_received(part)
            await asyncio.sleep(0)
        pipe.protocol.connection_lost(None)
        await asyncio.gather(*state.tasks)
        assert len(gate) == 0, "a place is kept for a connection that is gone"

    asyncio.run(receive())
