"""Rounds of new matches on one server, checked before their figures count."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.arena import load
from benchmarks.arena.games import Played
from benchmarks.arena.load import Figures
from benchmarks.arena.target import Target
from benchmarks.rooms.process import Server, serve


class Size(NamedTuple):
    """Matches at once, warm-up rounds, and rounds that count."""

    pairs: int
    warm: int
    rounds: int
    is_http: bool
    think_us: int = 0

    def __str__(self) -> str:
        pace = f", {self.pairs / self.think_us * 1e6:,.0f} turns/s" if self.think_us else ""
        return f"{'HTTP' if self.is_http else 'WebSocket'}, {self.pairs:,} matches{pace}"


class Summary(NamedTuple):
    """Of several rounds: the best rate and cost, since noise only worsens them, and median latencies in ms."""

    rate: float
    cost_us: float
    seen_p50: float
    seen_p99: float


class Bench(NamedTuple):
    program: Path
    folder: Path
    games: Sequence[Played]

    @contextmanager
    def open(self, target: Target) -> Iterator[Server]:
        print(target.name, flush=True)
        folder = self.folder / target.name.replace(" ", "-")
        folder.mkdir()
        command, env = target.command(folder)
        with serve(command, env, folder / "log.txt") as server:
            yield server

    def measure(self, target: Target, server: Server, size: Size) -> Summary:
        rounds = [self.round(target, server, size) for _ in range(size.warm + size.rounds)][size.warm :]
        return Summary(
            rate=max(one.rate for one in rounds),
            cost_us=min(one.cost_us for one in rounds),
            seen_p50=statistics.median(one.seen_ms(0.5) for one in rounds),
            seen_p99=statistics.median(one.seen_ms(0.99) for one in rounds),
        )

    def round(self, target: Target, server: Server, size: Size) -> Figures:
        players = target.players(server, size.pairs)
        plan = load.plan(target.wire, players, self.games, is_http=size.is_http, think_us=size.think_us)
        figures = load.run(self.program, server, plan)
        target.check(server, self.games)
        print(f"    {size}: {figures}", flush=True)
        return figures

    def idle(self, target: Target, server: Server, agents: int, seconds: int) -> float:
        """The share of a core that waiting agents cost on long polls."""
        players = target.players(server, agents // 2)
        plan = load.plan(target.wire, players, self.games, is_http=True)
        figures = load.run(self.program, server, plan, f"idle {seconds}")
        print(f"    {agents} waiting: {figures.polls} polls, {100 * figures.share:.2f} % of a core", flush=True)
        return figures.share
