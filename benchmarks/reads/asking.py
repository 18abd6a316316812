"""Clients that ask one thing at a time, on one connection."""

from __future__ import annotations

import http.client
import re
from types import TracebackType
from typing import NamedTuple, Self

import orjson
from websockets.sync.client import connect


class Answer(NamedTuple):
    status: int
    size: int
    etag: str | None
    body: bytes


class Http:
    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def get(self, path: str, etag: str | None = None) -> Answer:
        headers = {"Accept-Encoding": "gzip"} | ({"If-None-Match": etag} if etag else {})
        self._connection.request("GET", path, headers=headers)
        response = self._connection.getresponse()
        body = response.read()
        return Answer(response.status, len(body), response.headers.get("ETag"), body)

    def expect(self, path: str, status: int, etag: str | None = None) -> None:
        found = self.get(path, etag)
        assert found.status == status, f"{path}: {found.status}"

    def script(self) -> str:
        """One that the start page preloads."""
        self._connection.request("GET", "/")
        page = self._connection.getresponse().read().decode()
        found = re.search(r'modulepreload" href="([^"]+)"', page)
        assert found, "the start page preloads no module"
        return found[1]


class Spectator:
    """Comes to a room on a new socket each time, as a stranger would."""

    def __init__(self, port: int, game: str) -> None:
        self._url = f"ws://127.0.0.1:{port}/socket.io/?EIO=4&transport=websocket"
        self._game = game
        self.size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def join(self, room: str) -> None:
        with connect(self._url, max_size=None) as socket:
            socket.recv()
            socket.send(f"40/{self._game},")
            socket.recv()
            socket.send(f'42/{self._game},1["game:spectate",{{"roomId":"{room}"}}]')
            self.size = 0
            while True:
                text = str(socket.recv())
                self.size += len(text)
                if text.startswith(f"43/{self._game},1"):
                    break
            (ack,) = orjson.loads(text.partition(",1")[2])
            assert ack["ok"], ack
