"""A raw, synchronous connection to rooms that can send anything."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from . import frames

WAIT = 60.0
"""Seconds to wait for anything, even on a busy machine."""
Payload = dict[str, Any]


class Refused(Exception):
    """The server refused the connection; `data` is its reason."""

    def __init__(self, data: Any) -> None:
        super().__init__(str(data))
        self.data = data


class RawClient:
    """Keeps all messages in `events`, except acknowledgements."""

    def __init__(self, url: str, namespace: str = "/checkers", *, auth: object = None, **query: str) -> None:
        self.namespace = namespace
        self.events: list[tuple[str, Any]] = []
        self._asked = 0
        self._stack = ExitStack()
        self.socket = self._stack.enter_context(
            connect(frames.address(url, **query), compression=None, ping_interval=None, max_size=None, close_timeout=1)
        )
        self.engine = frames.loads(str(self.socket.recv(WAIT))[1:])
        self._enter(auth)

    def _enter(self, auth: object) -> None:
        self.send_frame(frames.connect(self.namespace, auth))
        answer = frames.parse(str(self.socket.recv(WAIT)))
        if answer.kind != frames.CONNECTED:
            self.close()
            raise Refused(answer.data)
        self.sid: str = answer.data["sid"]

    def send_frame(self, frame: str | bytes) -> None:
        self.socket.send(frame)

    def ask(self, name: object, *payload: object) -> Any:
        """Sends an event and returns its acknowledgement."""
        self._asked += 1
        self.send_frame(frames.event(self.namespace, name, *payload, id=self._asked))
        return self.answer(self._asked)

    def answer(self, id: int) -> Any:
        until = time.monotonic() + WAIT
        while True:
            frame = self._next(until)
            if frame.kind == frames.ACK and frame.id == id:
                assert len(frame.data) == 1, frame
                return frame.data[0]

    def must(self, name: str, payload: Payload) -> Payload:
        """Sends an event that must be accepted."""
        ack: Payload = self.ask(name, payload)
        assert ack["ok"] is True, (name, payload, ack)
        return ack

    def wait(self, name: str) -> Any:
        """The newest message of a name; waits for one if needed."""
        until = time.monotonic() + WAIT
        while not (found := self.heard(name)):
            self._next(until)
        return found[-1]

    def heard(self, name: str) -> list[Any]:
        return [data for event, data in self.events if event == name]

    def is_alive(self) -> bool:
        """Whether the server still answers on this connection."""
        try:
            return bool(self.ask("afk:check", {"roomId": "none"})["error"]["code"] == "forbidden")
        except ConnectionClosed:
            return False

    def wait_for_the_end(self) -> None:
        """Until the server has closed the connection."""
        until = time.monotonic() + WAIT
        with suppress(ConnectionClosed):
            while True:
                self._next(until)

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next(self, until: float) -> frames.Frame:
        while True:
            text = str(self.socket.recv(max(0.01, until - time.monotonic())))
            if text == frames.PING:
                self.send_frame(frames.PONG)
            elif text.startswith("4"):
                frame = frames.parse(text)
                if frame.kind == frames.EVENT:
                    self.events.append((frame.data[0], frame.data[1] if len(frame.data) > 1 else None))
                return frame
