"""What the benchmark asks of a server: how it is started, who plays there, and what became of the games."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from benchmarks.rooms.games import Played
from benchmarks.rooms.load import Player, Wire
from benchmarks.rooms.process import Server


class Door(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def wire(self) -> Wire: ...

    def command(self, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
        """What starts it, with its environment; it may keep files in the folder."""
        ...

    def players(self, server: Server, pairs: int) -> list[Player]:
        """Opens so many games and returns two players for each."""
        ...

    def check(self, server: Server, games: Sequence[Played], first: str) -> None:
        """Fails unless the games opened last, played to their ends, ended as they should.

        `first` tells for each pair which of the two was the first mover.
        """
        ...


class Rest(NamedTuple):
    """JSON over one HTTP connection that is kept."""

    connection: http.client.HTTPConnection
    headers: Mapping[str, str]

    @classmethod
    def to(cls, server: Server, headers: Mapping[str, str] | None = None) -> Rest:
        common = {"Content-Type": "application/json"}
        return cls(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60), common | dict(headers or {}))

    def ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body)
        self.connection.request(method, path, data, dict(self.headers))
        answer = self.connection.getresponse()
        text = answer.read().decode()
        assert answer.status < 300, f"{method} {path}: {answer.status} {text}"
        return json.loads(text)
