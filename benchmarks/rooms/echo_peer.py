"""A bare echo: the cost of python-socketio without rules, seats and storage."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.rooms.games import Played
from benchmarks.rooms.load import Player, Wire
from benchmarks.rooms.process import Server


class Echo:
    def __init__(self, *, shows_game: bool = False) -> None:
        event = "show" if shows_game else "echo"
        self.name = "python-socketio, traffic of a room" if shows_game else "python-socketio, bare echo"
        self.wire = Wire(
            namespace="/checkers",
            started="started",
            made="made",
            move=f'["{event}",{{"roomId":"%0","playerId":"%1","move":%m}}]',
            both=shows_game,
        )

    def command(self, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
        return [sys.executable, "-m", "benchmarks.rooms.echo_server"], {}

    def players(self, server: Server, pairs: int) -> list[Player]:
        rooms = [str(uuid.uuid4()) for _ in range(pairs)]
        return [Player("", json.dumps(["join", room]), (room, f"player-{seat}")) for room in rooms for seat in "01"]

    def check(self, server: Server, games: Sequence[Played], first: str) -> None:
        """Nothing is stored; the load client has seen every move on both sides."""
