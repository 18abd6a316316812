"""Raw client connections from a chosen local address; nothing is parsed that need not be."""

from __future__ import annotations

import asyncio
import re
import socket
import struct
import weakref
from collections.abc import Callable
from typing import Any, ClassVar, Final, NamedTuple, Self, cast

import orjson

HOST: Final = "127.0.0.1"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
"""WebSocket opcodes."""
NO_MASK: Final = bytes(4)
"""Clients must mask their frames; with these four bytes the content stays as it is."""
ENGINE_PING, ENGINE_PONG = b"2", b"3"
ENGINE: Final = "/socket.io/?EIO=4&transport="
CODE: Final = re.compile(rb'"(?:code|error)":"(\w+)"')
CHUNKED: Final = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Closed(ConnectionError):
    """The server has closed the connection; says how."""


class Refused(ConnectionError):
    """The server answered, but not as asked for; says with which status and code."""


class Answer(NamedTuple):
    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    def __str__(self) -> str:
        return f"{self.status} {code_in(self.body)}".strip()


def code_in(content: bytes) -> str:
    """The code of an error in JSON; empty if there is none."""
    found = CODE.search(content)
    return found[1].decode() if found else ""


def frame(content: bytes, opcode: int = TEXT) -> bytes:
    """A client's WebSocket frame."""
    size = len(content)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack("!H", size)
    return bytes([0x80 | opcode]) + length + NO_MASK + content


def event(namespace: str, name: str, payload: object, id: int | None = None) -> bytes:
    """A Socket.IO event as an Engine.IO message."""
    return f"42{namespace},{'' if id is None else id}".encode() + orjson.dumps([name, payload])


def http(method: str, path: str, body: object = None, key: str = "") -> bytes:
    """A request; bytes are sent as they are, everything else as JSON."""
    content = body if isinstance(body, bytes) else b"" if body is None else orjson.dumps(body)
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}"]
    lines += [f"Authorization: Bearer {key}"] if key else []
    lines += [f"Content-Length: {len(content)}"] if content else []
    lines += ["Content-Type: application/json"] if content and not isinstance(body, bytes) else []
    return "\r\n".join([*lines, "", ""]).encode() + content


class Connection(asyncio.Protocol):
    """Reads into a buffer that subclasses take from."""

    opened: ClassVar[weakref.WeakSet[Connection]] = weakref.WeakSet()
    """Those of this process."""

    def __init__(self) -> None:
        self.bytes_in = 0
        self.reason = ""
        """How the connection ended; empty while it is open."""
        self._is_lost = False
        self._buffer = bytearray()
        self._news = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()

    @classmethod
    async def open(cls, port: int, address: str, receive_buffer: int = 0) -> Self:
        """From the local address, with a receive buffer of that many bytes if one is given."""
        own = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            own.setblocking(False)
            if receive_buffer:
                own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            own.bind((address, 0))
            loop = asyncio.get_running_loop()
            await loop.sock_connect(own, (HOST, port))
            _, opened = await loop.create_connection(cls, sock=own)
        except BaseException:
            own.close()
            raise
        return opened

    @property
    def is_open(self) -> bool:
        return not self.reason

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.opened.add(self)

    def data_received(self, data: bytes) -> None:
        self.bytes_in += len(data)
        self._buffer += data
        self.take()
        self._news.set()

    def take(self) -> None:
        """Takes what is complete from the buffer."""

    def connection_lost(self, error: Exception | None) -> None:
        self.reason = self.reason or ("reset" if error else "closed")
        self._is_lost = True
        self._writable.set()
        self._news.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()

    def write(self, data: bytes) -> None:
        if self.reason:
            raise Closed(self.reason)
        self._transport.write(data)

    async def drain(self) -> None:
        """Until the server has read most of what was written."""
        await self._writable.wait()
        if self.reason:
            raise Closed(self.reason)

    async def until(self, is_true: Callable[[], bool]) -> None:
        """Until something received makes it true; raises `Closed` if the connection ends before."""
        while not is_true():
            if self.reason:
                raise Closed(self.reason)
            self._news.clear()
            await self._news.wait()

    async def ended(self) -> str:
        """Waits for the server to close the connection; returns how it did."""
        while not self.reason:
            self._news.clear()
            await self._news.wait()
        return self.reason

    def close(self) -> None:
        if not self._is_lost:
            self._transport.abort()


class HttpConnection(Connection):
    """One request after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[Answer] = []

    async def ask(self, request: bytes) -> Answer:
        self.write(request)
        await self.until(lambda: bool(self.answers))
        return self.answers.pop(0)

    async def must(self, request: bytes) -> Any:
        """The JSON of a response that must be a success."""
        answer = await self.ask(request)
        if answer.status >= 300:
            raise Refused(str(answer))
        return answer.json

    def take(self) -> None:
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0 and (whole := self._body(end)) is not None:
            body, after = whole
            self.answers.append(Answer(int(self._buffer[9:12]), body))
            del self._buffer[:after]

    def _body(self, head: int) -> tuple[bytes, int] | None:
        """The body after a head that ends there, and where it ends; None while it is incomplete."""
        buffer, at = self._buffer, head + 4
        if not CHUNKED.search(buffer, 0, head):
            found = LENGTH.search(buffer, 0, head)
            after = at + (int(found[1]) if found else 0)
            return (bytes(buffer[at:after]), after) if len(buffer) >= after else None
        body = b""
        while (line := buffer.find(b"\r\n", at)) >= 0:
            size = int(buffer[at:line], 16)
            if len(buffer) < line + 4 + size:
                return None
            body, at = body + buffer[line + 2 : line + 2 + size], line + 4 + size
            if size == 0:
                return body, at
        return None


class WebSocket(Connection):
    """`on_text` gets every text frame; pings are answered."""

    def __init__(self) -> None:
        super().__init__()
        self.frames = 0
        self.on_text: Callable[[bytes], None] = lambda _content: None
        self._is_up = False

    async def upgrade(self, path: str, key: str = "") -> None:
        """Raises `Refused` if the server doesn't agree."""
        wishes = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
        wishes += "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        self.write(http("GET", path, key=key)[:-2] + wishes.encode() + b"\r\n\r\n")
        await self.until(lambda: self._is_up)

    def send(self, content: bytes) -> None:
        self.write(frame(content))

    def take(self) -> None:
        if not self._is_up and not self._take_handshake():
            return
        buffer, at = self._buffer, 0
        while (size := len(buffer) - at) >= 2:
            length, head = buffer[at + 1], 2
            if length >= 126:
                head = 4 if length == 126 else 10
                if size < head:
                    break
                length = int.from_bytes(buffer[at + 2 : at + head], "big")
            if size < head + length:
                break
            self._on_frame(buffer[at] & 15, bytes(buffer[at + head : at + head + length]))
            at += head + length
        del buffer[:at]

    def _take_handshake(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        if self._buffer[9:12] != b"101":
            answer = Answer(int(self._buffer[9:12]), bytes(self._buffer[end + 4 :]))
            self.reason = f"refused {answer}"
            self._transport.close()
            return False
        del self._buffer[: end + 4]
        self._is_up = True
        return True

    def _on_frame(self, opcode: int, content: bytes) -> None:
        if opcode == TEXT:
            self.frames += 1
            if content == ENGINE_PING:
                self.send(ENGINE_PONG)
            self.on_text(content)
        elif opcode == PING:
            self.write(frame(content, PONG))
        elif opcode == CLOSE:
            code = struct.unpack("!H", content[:2])[0] if content else "without a code"
            self.reason = f"closed {code} {content[2:].decode()}".strip()
            self._transport.close()


class RoomSocket(WebSocket):
    """A Socket.IO connection over a WebSocket; acknowledgements by their id, the newest event of each name."""

    def __init__(self) -> None:
        super().__init__()
        self.namespace = ""
        self.acks: dict[int, bytes] = {}
        self.events: dict[str, Any] = {}
        self.count: dict[str, int] = {}
        self._asked = 0
        self._admission = b""
        self.on_text = self._on_message

    @classmethod
    async def join(cls, port: int, address: str, game: str, token: str = "", receive_buffer: int = 0) -> Self:
        """Enters the game's namespace."""
        opened = await cls.open(port, address, receive_buffer)
        try:
            await opened.upgrade(f"{ENGINE}websocket")
            await opened.enter(game, token)
        except BaseException:
            opened.close()
            raise
        return opened

    async def enter(self, game: str, token: str = "") -> None:
        self.namespace, self._admission = f"/{game}", b""
        auth = orjson.dumps({"token": token}).decode() if token else ""
        self.send(f"40{self.namespace},{auth}".encode())
        await self.until(lambda: bool(self._admission))
        if not self._admission.startswith(b"40"):
            raise Refused(f"connect_error {code_in(self._admission)}")

    async def ask(self, name: str, payload: object) -> Any:
        """The acknowledgement, which may be a refusal."""
        id = self.emit(name, payload)
        await self.until(lambda: id in self.acks)
        return orjson.loads(self.acks.pop(id))[0]

    def emit(self, name: str, payload: object) -> int:
        """Sends an event and returns the id of its acknowledgement, which will be in `acks`."""
        self._asked += 1
        self.send(event(self.namespace, name, payload, self._asked))
        return self._asked

    async def heard(self, name: str, times: int = 1) -> Any:
        """The data of an event that came at least that many times."""
        await self.until(lambda: self.count.get(name, 0) >= times)
        return orjson.loads(self.events[name])[1]

    async def moved(self, times: int) -> None:
        """Until that many moves were made, or the game is over."""
        await self.until(lambda: self.count.get("game:move:made", 0) >= times or bool(self.count.get("game:over")))

    def _on_message(self, content: bytes) -> None:
        kind, (_, _, rest) = content[:2], content.partition(b",")
        if kind == b"43":
            id, _, data = rest.partition(b"[")
            self.acks[int(id)] = b"[" + data
        elif kind == b"42":
            name = rest[2 : rest.index(b'"', 2)].decode()
            self.events[name] = rest
            self.count[name] = self.count.get(name, 0) + 1
        elif kind in (b"40", b"44"):
            self._admission = content
