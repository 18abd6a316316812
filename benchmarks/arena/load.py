"""The load client: builds it, writes its plan, and computes figures from what it and the server report."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.arena.games import Played
from benchmarks.arena.target import Player, Wire
from benchmarks.rooms.load import MAX_CLIENT_LOAD, connect, pipes, read_line
from benchmarks.rooms.process import Server

HERE = Path(__file__).parent
SOURCES = (HERE / "load.c", HERE.parent / "rooms" / "wire.c")


class Figures(NamedTuple):
    """Figures of one round; latencies in milliseconds, from an action to the opponent's turn."""

    turns: int
    polls: int
    wall_s: float
    server_cpu_s: float
    client_cpu_s: float
    bytes_in: int
    memory: int
    seen: Any

    @property
    def rate(self) -> float:
        return self.turns / self.wall_s

    @property
    def cost_us(self) -> float:
        return self.server_cpu_s / self.turns * 1e6

    @property
    def share(self) -> float:
        """Of a core."""
        return self.server_cpu_s / self.wall_s

    def seen_ms(self, share: float) -> float:
        return float(np.quantile(self.seen, share))

    def __str__(self) -> str:
        seen = f"seen after {self.seen_ms(0.5):.2f}/{self.seen_ms(0.99):.2f} ms (p50/p99)"
        client = self.client_cpu_s / self.turns * 1e6
        costs = f"{self.cost_us:.0f} µs of the server, {client:.1f} µs of the client"
        size = f"{self.bytes_in / self.turns:,.0f} bytes a turn"
        return f"{self.turns} turns, {self.rate:,.0f}/s, {costs}, {seen}, {size}, {self.memory / 1e6:.0f} MB"


def build(folder: Path) -> Path:
    program = folder / "load"
    subprocess.run(["gcc", "-O2", "-Wall", "-o", program, *SOURCES], check=True)
    return program


def plan(wire: Wire, players: Sequence[Player], games: Sequence[Played], *, is_http: bool, think_us: int = 0) -> str:
    """The file that `load.c` reads."""
    words = wire._asdict() | {"is_http": int(is_http), "think_us": think_us}
    where = "/api/matches" if is_http else "/ws/game"
    lines: list[tuple[str, ...]] = [("set", name, str(value)) for name, value in words.items()]
    lines += [("game", *game.actions) for game in games]
    lines += [("player", f"{where}/{player.match}", player.key) for player in players]
    return "".join("\t".join(line) + "\n" for line in lines)


def run(program: Path, server: Server, text: str, command: str = "play") -> Figures:
    """Connects all players of a plan, runs the command, and disconnects them."""
    with connect(program, server, text) as load:
        stdin, stdout = pipes(load.process)
        before = server.cpu_seconds()
        stdin.write(command + "\n")
        stdin.flush()
        found: dict[str, Any] = json.loads(read_line(load.process, stdout))
        cpu, memory = server.cpu_seconds() - before, server.memory_bytes()
        assert found["client_cpu_s"] < MAX_CLIENT_LOAD * found["wall_s"], f"the client was the bottleneck: {found}"
        seen = np.fromfile(load.latencies, np.uint32)[: found["seen"]] / 1e3
        wall, own = found["wall_s"], found["client_cpu_s"]
        return Figures(found["moves"], found["polls"], wall, cpu, own, found["bytes_in"], memory, seen)
