"""`ludus serve` with its default SQLite file: private sessions of one tenant, with limits raised for one address."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.rooms.games import Played
from benchmarks.rooms.load import Player, Wire
from benchmarks.rooms.process import Server
from benchmarks.rooms.target import Rest

LUDUS = (sys.executable, "-m", "ludus")
ENV = {
    "LUDUS_MAX_SOCKETS": "100000",
    "LUDUS_MAX_EVENTS": "100000",
    "LUDUS_RATE_LIMIT": "1000000",
    "LUDUS_CPU_SHARE": "1000",
    "LUDUS_LOG_LEVEL": "warning",
}


class Ludus:
    wire = Wire(
        namespace="/checkers",
        started="game:started",
        made="game:move:made",
        refused="game:error",
        move='["game:move",{"roomId":"%0","playerId":"%1","move":%m}]',
        first="color=red",
        capture=("roomId", "playerId"),
    )

    def __init__(self, *, is_compact: bool = True) -> None:
        """`is_compact` as our own page and client ask for it; else the contract's messages, with all moves in each."""
        self.is_compact = is_compact
        self.name = "Ludus" if is_compact else "Ludus, not compact"
        self.sessions: list[str] = []
        self.key = ""
        self.opened = 0

    def command(self, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
        where = ["--data", str(folder / "data")]
        made = subprocess.check_output([*LUDUS, "tenant", "create", "bench", "--json", *where], text=True)
        self.key = json.loads(made)["liveKey"]
        return [*LUDUS, "serve", "--host", "127.0.0.1", "--port", "0", *where], ENV

    def rest(self, server: Server) -> Rest:
        return Rest.to(server, {"Authorization": f"Bearer {self.key}"})

    def players(self, server: Server, pairs: int) -> list[Player]:
        rest, found = self.rest(server), []
        self.sessions = []
        for _ in range(pairs):
            self.opened += 1
            creator, friend = (self.person(seat) for seat in "01")
            body = {"game": "checkers", "matchType": "private", "players": [creator]}
            made = rest.ask("POST", "/v1/sessions", body)
            joining = {"roomCode": made["roomCode"], "game": "checkers", "player": friend}
            joined = rest.ask("POST", "/v1/sessions/join", joining)
            self.sessions.append(made["sessionId"])
            found += [self.as_player(made, creator), self.as_player(joined, friend)]
        return found

    def as_player(self, ticket: Mapping[str, Any], person: Mapping[str, str]) -> Player:
        join = {"username": person["displayName"], "sessionId": ticket["sessionId"]}
        auth = json.dumps({"token": ticket["sessionToken"], "compact": self.is_compact})
        return Player(auth, json.dumps(["matchmaking:join", join]))

    def person(self, seat: str) -> dict[str, str]:
        return {"id": f"player-{self.opened}-{seat}", "displayName": f"Player {self.opened} {seat}"}

    def check(self, server: Server, games: Sequence[Played], first: str) -> None:
        """The stored record, read over REST, has every move and the expected winner."""
        rest = self.rest(server)
        opened = self.opened - len(self.sessions)
        for i, session in enumerate(self.sessions):
            game = games[i % len(games)]
            winner = f"player-{opened + i + 1}-{int(first[i]) ^ game.winner}"
            found = rest.ask("GET", f"/v1/sessions/{session}?game=checkers")
            result = found["result"]
            stored = (found["status"], result["winner"], result["reason"], result["moveCount"])
            assert stored == ("ended", winner, "victory", len(game.moves)), f"expected {winner} to win, got {found}"
