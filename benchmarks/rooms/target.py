"""A benchmark target: how to start the server, its players, and how to check the games."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from benchmarks.rooms.games import Played
from benchmarks.rooms.load import Player, Wire
from benchmarks.rooms.process import Server


class Target(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def wire(self) -> Wire: ...

    def command(self, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command and its environment; it may keep files in the folder."""
        ...

    def players(self, server: Server, pairs: int) -> list[Player]:
        """Opens this many games and returns two players for each."""
        ...

    def check(self, server: Server, games: Sequence[Played], first: str) -> None:
        """Fails unless the games opened last ended as they should.

        `first` says for each pair which of the two moved first.
        """
        ...


class Rest(NamedTuple):
    """JSON over one persistent HTTP connection."""

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
