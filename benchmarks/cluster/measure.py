"""Rounds of games on a platform, with the CPU time of the servers, the database and the bus apart."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import asyncpg

from benchmarks.cluster.platform import Backends, ClusterLudus, Platform
from benchmarks.cluster.sockets import open_sockets
from benchmarks.rooms import load
from benchmarks.rooms.measure import Bench, Size, Summary, summary


class Costs(NamedTuple):
    """Microseconds of CPU time for a move."""

    servers: float
    database: float
    bus: float

    @property
    def total(self) -> float:
        return sum(self)


class Measured(NamedTuple):
    summary: Summary
    costs: Costs


class ClusterBench(NamedTuple):
    bench: Bench
    backends: Backends
    target: ClusterLudus

    def measure(self, platform: Platform, size: Size, *, spread: bool, spectators: int = 0) -> Measured:
        """`spread`: the two players of a game are on different processes. Spectators are on the first."""
        rounds = [self._round(platform, size, spread, spectators) for _ in range(size.warm + size.rounds)][size.warm :]
        return Measured(summary([figures for figures, _ in rounds]), min(costs for _, costs in rounds))

    def _round(self, platform: Platform, size: Size, spread: bool, spectators: int) -> tuple[load.Figures, Costs]:
        bench, target = self.bench, self.target
        players = target.players(platform.first, size.pairs)
        plan = load.plan(target.wire, players, bench.games, think_us=size.think_us, spread=spread)
        with load.connect(bench.program, platform, plan) as connected, self._watched(platform, spectators, size.pairs):
            before = self.backends.cpu_seconds()
            figures = connected.play(platform)
            after = self.backends.cpu_seconds()
            target.check(platform.first, bench.games, figures.first)
        database, bus = (1e6 * (now - then) / figures.moves for now, then in zip(after, before, strict=True))
        costs = Costs(figures.cost_us, database, bus)
        where = "opposite processes" if spread else "one process"
        print(
            f"    {size}, players on {where}: {figures}, {database:.0f} µs of PostgreSQL, {bus:.0f} µs of Redis",
            flush=True,
        )
        return figures, costs

    def _watched(self, platform: Platform, spectators: int, pairs: int) -> AbstractContextManager[None]:
        if not spectators:
            return nullcontext()
        return open_sockets(platform.first, spectators, asyncio.run(_newest_tables(self.backends.database, pairs)))


async def _newest_tables(database: str, number: int) -> list[str]:
    connection = await asyncpg.connect(database)
    rows = await connection.fetch("SELECT id FROM tables ORDER BY opened_at DESC LIMIT $1", number)
    await connection.close()
    return [id for (id,) in rows]


def half_load(pairs: int, rate: float, rounds: int) -> Size:
    """As many games, at half the rate: everybody thinks as long as that takes."""
    return Size(pairs, 0, rounds, think_us=round(2 * pairs / rate * 1e6))


def moves_a_second(costs: Sequence[float], cores: int = 1) -> float:
    """What as many cores can do that do nothing else."""
    return cores * 1e6 / sum(costs)
