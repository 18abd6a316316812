"""uvicorn's HTTP protocol behind the gate, with time-outs, and strict about where a request ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import h11
import orjson
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from ludus.server.connections.gate import ADDRESS_LIMIT, Gate, Slot, SlotProtocol

HEAD_SECONDS: Final = 10.0
"""For a request's head, from the connection or from its first byte."""
BODY_SECONDS: Final = 30.0
"""For a request's body."""
MAX_HEAD: Final = 16 * 1024
MAX_HEADERS: Final = 100
HIGH_WATER: Final = 16 * 1024
"""Bytes that a transport holds before it asks us to pause."""
RETRY_SECONDS: Final = 5
LONG_HEAD: Final = f"Headers too long: at most {MAX_HEADERS} fields and {MAX_HEAD} bytes are allowed."
REFUSALS: Final = {
    429: "Too many connections from this address.",
    503: "The server has too many connections.",
}


class HttpProtocol(SlotProtocol, H11Protocol):
    def __init__(self, *args: Any, gate: Gate, **options: Any) -> None:
        super().__init__(*args, **options)
        self.parser = self.conn = RequestParser(self._on_event)
        self._gate = gate

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn narrows the transport too
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=HIGH_WATER)
        slot = self._gate.enter(transport, self, self.client[0] if self.client else "")
        if isinstance(slot, Slot):
            self.slot = slot
            slot.expect(HEAD_SECONDS, "head_timeout")
        else:
            status = 429 if slot == ADDRESS_LIMIT else 503
            self._answer(status, "too_fast" if status == 429 else "unavailable", REFUSALS[status])

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._let_go()

    def _let_go(self) -> None:
        """Leaves no cycle of references, which would keep this in memory until the next garbage collection."""
        self.slot = None
        self.parser.on_event = ignore

    def data_received(self, data: bytes) -> None:
        if self.slot is None or self.transport.is_closing():
            return
        if not self.slot.is_expecting and (self.cycle is None or self.cycle.response_complete):
            self.slot.expect(HEAD_SECONDS, "head_timeout")
        super().data_received(data)

    def _on_event(self, event: object) -> None:
        if self.slot is None:
            return
        if isinstance(event, h11.Request):
            self.slot.begin()
            self.slot.expect(BODY_SECONDS, "body_timeout")
        elif isinstance(event, h11.EndOfMessage):
            self.slot.settle()

    def on_response_complete(self) -> None:
        if self.slot is not None:
            self.slot.finish()
        super().on_response_complete()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        super().handle_websocket_upgrade(event)
        take = getattr(self.transport.get_protocol(), "take", None)
        if self.slot is not None and take is not None:
            take(self.slot)
        self._let_go()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.slot is not None and (self.cycle is None or self.cycle.response_complete):
            self.slot.expect(HEAD_SECONDS, "head_timeout")  # the next head may have begun meanwhile

    def time_out(self, reason: str) -> None:
        """Answers a client that has sent part of a request; just closes a silent one."""
        cycle = self.cycle
        if reason == "body_timeout" and not cycle.response_started:
            cycle.disconnected = True
            cycle.message_event.set()
            self._answer(408, "too_slow", f"The body did not arrive within {BODY_SECONDS:.0f} s.")
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """For a request that cannot be read; uvicorn's answer has no code."""
        del msg
        self._gate.note("bad_request")
        status, text = self.parser.refusal
        self._answer(status, "too_large" if status == 431 else "malformed", text)

    def _answer(self, status: int, code: str, text: str) -> None:
        """Written past h11, which may be in any state; the connection ends with it."""
        body = orjson.dumps({"error": text, "code": code})
        head = [
            f"HTTP/1.1 {status} {STATUS_PHRASES[status].decode()}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            "Connection: close",
            *([f"Retry-After: {RETRY_SECONDS}"] if status in REFUSALS else []),
        ]
        self.transport.write("\r\n".join([*head, "", ""]).encode() + body)
        self.transport.close()


def ignore(_: object) -> None:
    pass


class RequestParser(h11.Connection):
    """Refuses long heads, and requests that a proxy may have read differently than we would."""

    def __init__(self, on_event: Callable[[object], None]) -> None:
        """`on_event` is called with each event of h11."""
        super().__init__(h11.SERVER, MAX_HEAD)
        self.on_event = on_event
        self.refusal = (400, "This is not an HTTP request.")

    def next_event(self) -> Any:
        try:
            event = super().next_event()
            if isinstance(event, h11.Request):
                refuse_ambiguous(event)
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == 431:
                self.refusal = (431, LONG_HEAD)
            elif isinstance(error, Ambiguous):
                self.refusal = (400, str(error))
            raise
        self.on_event(event)
        return event


class Ambiguous(h11.RemoteProtocolError):
    """Its text is for the client."""


def refuse_ambiguous(request: h11.Request) -> None:
    """h11 itself refuses lengths that contradict each other and encodings other than `chunked`."""
    names = [name for name, _ in request.headers]
    if b"transfer-encoding" in names and (b"content-length" in names or request.http_version < b"1.1"):
        raise Ambiguous("The length is ambiguous: send Content-Length or (HTTP/1.1 only) Transfer-Encoding, not both.")
    size = len(request.target) + sum(len(name) + len(value) for name, value in request.headers)
    if len(names) > MAX_HEADERS or size > MAX_HEAD:
        raise h11.RemoteProtocolError("head too long", error_status_hint=431)
