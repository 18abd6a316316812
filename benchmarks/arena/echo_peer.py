"""A bare echo: the cost of Starlette without agents, rules and storage."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.arena.games import Played
from benchmarks.arena.target import Player, Wire
from benchmarks.rooms.process import Server


class Echo:
    wire = Wire(turn='"type":"action"')

    def __init__(self, *, is_traffic: bool = False) -> None:
        self._words = ["traffic"] if is_traffic else []
        self.name = "Starlette, traffic of a turn" if is_traffic else "Starlette, bare echo"

    def command(self, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
        return [sys.executable, "-m", "benchmarks.arena.echo_server", *self._words], {}

    def players(self, server: Server, pairs: int) -> list[Player]:
        return [Player(match) for match in (str(uuid.uuid4()) for _ in range(pairs)) for _ in range(2)]

    def check(self, server: Server, games: Sequence[Played]) -> None:
        """Nothing is stored; the load client has seen every action on the other side."""
