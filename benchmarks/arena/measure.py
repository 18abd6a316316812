"""Rounds: fresh matches on a server that stays, checked before their figures count."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.arena import load
from benchmarks.arena.door import Door
from benchmarks.arena.games import Played
from benchmarks.arena.load import Figures
from benchmarks.rooms.process import Server, serve


class Size(NamedTuple):
    """So many matches at once, in so many rounds that count; before them come some that do not."""

    pairs: int
    warm: int
    rounds: int
    is_http: bool
    think_us: int = 0

    def __str__(self) -> str:
        pace = f", {self.pairs / self.think_us * 1e6:,.0f} turns/s" if self.think_us else ""
        return f"{'HTTP' if self.is_http else 'WebSocket'}, {self.pairs:,} matches{pace}"


class Summary(NamedTuple):
    """Of several rounds: the best rate and cost, to which noise can only add, and the usual latencies, in ms."""

    rate: float
    cost_us: float
    seen_p50: float
    seen_p99: float


class Bench(NamedTuple):
    program: Path
    folder: Path
    games: Sequence[Played]

    @contextmanager
    def open(self, door: Door) -> Iterator[Server]:
        print(door.name, flush=True)
        folder = self.folder / door.name.replace(" ", "-")
        folder.mkdir()
        command, env = door.command(folder)
        with serve(command, env, folder / "log.txt") as server:
            yield server

    def measure(self, door: Door, server: Server, size: Size) -> Summary:
        rounds = [self.round(door, server, size) for _ in range(size.warm + size.rounds)][size.warm :]
        return Summary(
            rate=max(one.rate for one in rounds),
            cost_us=min(one.cost_us for one in rounds),
            seen_p50=statistics.median(one.seen_ms(0.5) for one in rounds),
            seen_p99=statistics.median(one.seen_ms(0.99) for one in rounds),
        )

    def round(self, door: Door, server: Server, size: Size) -> Figures:
        players = door.players(server, size.pairs)
        plan = load.plan(door.wire, players, self.games, is_http=size.is_http, think_us=size.think_us)
        figures = load.run(self.program, server, plan)
        door.check(server, self.games)
        print(f"    {size}: {figures}", flush=True)
        return figures

    def idle(self, door: Door, server: Server, agents: int, seconds: int) -> float:
        """The share of a core that so many agents cost who only wait for their turn, on long polls."""
        players = door.players(server, agents // 2)
        plan = load.plan(door.wire, players, self.games, is_http=True)
        figures = load.run(self.program, server, plan, f"idle {seconds}")
        print(f"    {agents} waiting: {figures.polls} polls, {100 * figures.share:.2f} % of a core", flush=True)
        return figures.share
