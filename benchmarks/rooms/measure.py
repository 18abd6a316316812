"""Rounds of new games on one server, checked before their figures count."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.rooms import load
from benchmarks.rooms.games import Played
from benchmarks.rooms.load import Figures
from benchmarks.rooms.process import Server, serve
from benchmarks.rooms.target import Target

WARM_MOVES = 20
"""Moves of each live game when memory is measured."""


class Size(NamedTuple):
    """Games at once, warm-up rounds, and rounds that count."""

    pairs: int
    warm: int
    rounds: int
    think_us: int = 0

    def __str__(self) -> str:
        pace = f", {self.pairs / self.think_us * 1e6:,.0f} moves/s" if self.think_us else ""
        return f"{2 * self.pairs:,} players{pace}"


class Summary(NamedTuple):
    """Of several rounds: the best rate and cost, since noise only worsens them, and median latencies in ms."""

    rate: float
    cost_us: float
    seen_p50: float
    seen_p99: float
    acked_p99: float
    bytes_a_move: float
    client_us: float
    memory: int


class Memory(NamedTuple):
    """In bytes: of a server with its children, and without them."""

    all: int
    own: int


class Bench(NamedTuple):
    program: Path
    folder: Path
    games: Sequence[Played]

    def run(self, target: Target, sizes: Sequence[Size], live: int = 0) -> tuple[dict[Size, Summary], Memory]:
        """The figures of each size on one server, and its memory with `live` games in progress."""
        print(f"{target.name}", flush=True)
        folder = self.folder / target.name.replace(" ", "-")
        folder.mkdir()
        command, env = target.command(folder)
        with serve(command, env, folder / "log.txt") as server:
            found = {size: self.measure(target, server, size) for size in sizes}
            memory = self.memory_of_live_games(target, server, live) if live else Memory(0, 0)
        return found, memory

    def measure(self, target: Target, server: Server, size: Size) -> Summary:
        rounds = [self.round(target, server, size) for _ in range(size.warm + size.rounds)]
        return summary(rounds[size.warm :])

    def round(self, target: Target, server: Server, size: Size) -> Figures:
        players = target.players(server, size.pairs)
        plan = load.plan(target.wire, players, self.games, think_us=size.think_us)
        with load.connect(self.program, server, plan) as connected:
            figures = connected.play(server)
            target.check(server, self.games, figures.first)
        print(f"    {size}: {figures}", flush=True)
        return figures

    def memory_of_live_games(self, target: Target, server: Server, pairs: int) -> Memory:
        players = target.players(server, pairs)
        plan = load.plan(target.wire, players, self.games, most=WARM_MOVES)
        with load.connect(self.program, server, plan) as connected:
            figures = connected.play(server)
            memory = Memory(server.memory_bytes(), server.own_memory_bytes())
        print(f"    {pairs} live games: {figures}", flush=True)
        return memory


def summary(rounds: Sequence[Figures]) -> Summary:
    return Summary(
        rate=max(one.rate for one in rounds),
        cost_us=min(one.cost_us for one in rounds),
        seen_p50=statistics.median(one.seen_ms(0.5) for one in rounds),
        seen_p99=statistics.median(one.seen_ms(0.99) for one in rounds),
        acked_p99=statistics.median(one.acked_ms(0.99) for one in rounds),
        bytes_a_move=rounds[-1].bytes_a_move,
        client_us=min(one.client_us for one in rounds),
        memory=max(one.memory for one in rounds),
    )
