"""The load client: builds it, writes its plan, and computes figures from what it and the server report."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from benchmarks.rooms.games import Played
from benchmarks.rooms.process import Served, client_core

SOURCES = ("load.c", "wire.c")
MAX_CLIENT_LOAD = 0.6
"""Share of its core; a busier client would be the bottleneck."""


class Wire(NamedTuple):
    """A server's protocol; the field names are those of `load.c`."""

    namespace: str
    started: str
    made: str
    move: str
    refused: str = ""
    first: str = ""
    capture: tuple[str, ...] = ()
    acks: bool = True
    both: bool = True
    path: str = "/socket.io/?EIO=4&transport=websocket"


class Player(NamedTuple):
    """The auth payload and the join event, as JSON, and the values of `%0`, `%1`, `%2` in a move."""

    auth: str
    join: str
    fields: tuple[str, ...] = ()


class Figures(NamedTuple):
    """Figures of one round; latencies in milliseconds."""

    moves: int
    wall_s: float
    server_cpu_s: float
    client_cpu_s: float
    bytes_in: int
    memory: int
    seen: Any
    acked: Any
    first: str = ""

    @property
    def rate(self) -> float:
        return self.moves / self.wall_s

    @property
    def cost_us(self) -> float:
        return self.server_cpu_s / self.moves * 1e6

    @property
    def client_us(self) -> float:
        return self.client_cpu_s / self.moves * 1e6

    @property
    def bytes_a_move(self) -> float:
        """Sent to both players."""
        return self.bytes_in / self.moves

    def seen_ms(self, share: float) -> float:
        return float(np.quantile(self.seen, share))

    def acked_ms(self, share: float) -> float:
        return float(np.quantile(self.acked, share))

    def __str__(self) -> str:
        seen = f"seen after {self.seen_ms(0.5):.2f}/{self.seen_ms(0.99):.2f} ms (p50/p99)"
        acked = f"acknowledged after {self.acked_ms(0.5):.2f}/{self.acked_ms(0.99):.2f} ms"
        costs = f"{self.cost_us:.0f} µs of the server, {self.client_us:.1f} µs of the client"
        return f"{self.moves} moves, {self.rate:,.0f}/s, {costs}, {seen}, {acked}, {self.memory / 1e6:.0f} MB"


def build(folder: Path) -> Path:
    program, here = folder / "load", Path(__file__).parent
    subprocess.run(["gcc", "-O2", "-o", program, *(here / name for name in SOURCES)], check=True)
    return program


def plan(
    wire: Wire,
    players: Sequence[Player],
    games: Sequence[Played],
    *,
    most: int = 0,
    think_us: int = 0,
    spread: bool = False,
) -> str:
    """The file that `load.c` reads."""
    words = wire._asdict() | {"acks": int(wire.acks), "both": int(wire.both), "most": most, "think_us": think_us}
    words["spread"] = int(spread)
    captures = {f"capture{i}": key for i, key in enumerate(words.pop("capture"))}
    lines: list[tuple[str, ...]] = [
        ("set", name, str(value)) for name, value in (words | captures).items() if value != ""
    ]
    lines += [("game", *(json.dumps(move, separators=(",", ":")) for move in game.moves)) for game in games]
    lines += [("player", player.auth, player.join, *player.fields) for player in players]
    return "".join("\t".join(line) + "\n" for line in lines)


class Load(NamedTuple):
    """Connected players, ready to play."""

    process: subprocess.Popen[str]
    latencies: Path

    def play(self, server: Served) -> Figures:
        before = server.cpu_seconds()
        output = self._command("play")
        cpu, memory = server.cpu_seconds() - before, server.memory_bytes()
        found: dict[str, Any] = json.loads(output)
        assert found["client_cpu_s"] < MAX_CLIENT_LOAD * found["wall_s"], f"the client was the bottleneck: {found}"
        times = np.fromfile(self.latencies, np.uint32) / 1e3
        seen, acked = times[: found["seen"]], times[found["seen"] :]
        wall, own = found["wall_s"], found["client_cpu_s"]
        return Figures(found["moves"], wall, cpu, own, found["bytes_in"], memory, seen, acked, found["first"])

    def _command(self, word: str) -> str:
        stdin, stdout = pipes(self.process)
        stdin.write(word + "\n")
        stdin.flush()
        return read_line(self.process, stdout)


def pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin and process.stdout
    return process.stdin, process.stdout


def read_line(process: subprocess.Popen[str], stdout: IO[str]) -> str:
    if line := stdout.readline():
        return line
    raise RuntimeError(f"the load client ended with {process.wait()}")


@contextlib.contextmanager
def connect(program: Path, server: Served, text: str) -> Iterator[Load]:
    """Connects all players of a plan and waits until their games have started; disconnects them at the end."""
    written, latencies = program.with_name("plan.txt"), program.with_name("latencies.bin")
    written.write_text(text)
    command = [
        "taskset",
        "--cpu-list",
        str(client_core()),
        str(program),
        server.ports,
        str(written),
        str(latencies),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        stdin, stdout = pipes(process)
        try:
            assert read_line(process, stdout) == "ready\n"
            yield Load(process, latencies)
        finally:
            stdin.close()
