"""`ludus serve` with its default SQLite file: agents paired by the queue, with limits raised for one address."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.arena.games import Played
from benchmarks.arena.target import Player, Wire
from benchmarks.rooms.process import Server
from benchmarks.rooms.target import Rest

PLENTY = "1000000"
ENV = {
    "LUDUS_MAX_SOCKETS": PLENTY,
    "LUDUS_MAX_EVENTS": PLENTY,
    "LUDUS_RATE_LIMIT": PLENTY,
    "LUDUS_AGENT_RATE_LIMIT": PLENTY,
    "LUDUS_REGISTRATIONS": PLENTY,
    "LUDUS_BOT_FALLBACK_SECONDS": "0",
    "LUDUS_CPU_SHARE": "1000",
    "LUDUS_LOG_LEVEL": "warning",
}


class Ludus:
    name = "Ludus"
    wire = Wire(turn='"type":"your_turn"', end='"type":"game_over"', greeted=1)

    def __init__(self) -> None:
        self.matches: list[tuple[str, list[str]]] = []
        self.registered = 0

    def command(self, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
        where = ["--host", "127.0.0.1", "--port", "0", "--data", str(folder / "data")]
        return [sys.executable, "-m", "ludus", "serve", *where], ENV

    def players(self, server: Server, pairs: int) -> list[Player]:
        self.matches, found = [], []
        for _ in range(pairs):
            keys = dict(self.register(server) for _ in range(2))
            answers = [
                Rest.to(server, {"Authorization": f"Bearer {key}"}).ask(
                    "POST", "/api/matchmaking/queue", {"gameId": "checkers", "lane": "fast"}
                )
                for key in keys.values()
            ]
            match, seats = answers[1]["matchId"], answers[1]["players"]
            self.matches.append((match, seats))
            found += [Player(match, keys[agent]) for agent in seats]
        return found

    def register(self, server: Server) -> tuple[str, str]:
        self.registered += 1
        new = Rest.to(server).ask("POST", "/api/agents", {"name": f"agent {self.registered}"})
        return new["id"], new["apiKey"]

    def check(self, server: Server, games: Sequence[Played]) -> None:
        """The record has every move and the expected winner."""
        rest = Rest.to(server)
        for i, (match, seats) in enumerate(self.matches):
            game = games[i % len(games)]
            record = rest.ask("GET", f"/api/matches/{match}")
            stored = (record["result"]["winner"], len(record["moves"]))
            assert stored == (seats[game.winner], len(game.actions)), (
                f"{record} where {seats[game.winner]} should have won"
            )
