"""A connection's transport without a connection, and a clock to move by hand."""

from __future__ import annotations

import asyncio
from typing import Any


class FakeClock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class FakeTransport(asyncio.Transport):
    """Its client reads only when `unread` is made smaller."""

    def __init__(self, address: str = "192.0.2.1") -> None:
        super().__init__({"peername": (address, 5000), "sockname": ("192.0.2.100", 8000)})
        self.written = b""
        self.unread = 0
        self.is_aborted = False
        self.is_paused = False
        self._is_closing = False
        self._protocol: asyncio.BaseProtocol | None = None

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def get_write_buffer_size(self) -> int:
        return self.unread

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def is_closing(self) -> bool:
        return self._is_closing

    def close(self) -> None:
        self._is_closing = True

    def abort(self) -> None:
        self._is_closing = self.is_aborted = True

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        assert self._protocol is not None
        return self._protocol

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False
