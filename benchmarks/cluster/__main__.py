"""`python -m benchmarks.cluster`: one and two processes on PostgreSQL and Redis, one on SQLite, and boardgame.io.

All play the same games in one run. With two cores, servers, database, bus and players share them, so a rate says less
than the CPU time of a move; the table has both. `--quick` plays a few games to check that everything works.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cluster.measure import ClusterBench, Measured, half_load, moves_a_second
from benchmarks.cluster.platform import ClusterLudus, backends, platform
from benchmarks.envs.peers import CACHE
from benchmarks.report import heading, machine, row
from benchmarks.rooms import boardgame_peer, load
from benchmarks.rooms.__main__ import sync_ms
from benchmarks.rooms.boardgame_peer import Boardgame
from benchmarks.rooms.games import fixed_games
from benchmarks.rooms.measure import Bench, Size, Summary
from benchmarks.rooms.ours import Ludus
from benchmarks.rooms.process import client_core, server_core
from benchmarks.rooms.table import Row, compare

SIZE, QUICK = Size(50, 2, 6), Size(10, 0, 1)
HALF_ROUNDS = 3
LEAST_SPEEDUP = 1.6
MOST_LATENCY = 3
MOST_COST = 2


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.cluster", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    size = QUICK if parser.parse_args().quick else SIZE
    assert server_core() != client_core(), "the players need a core of their own"
    boardgame_peer.set_up()
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        folder = Path(name)
        print(f"Cluster, {machine()}, load {os.getloadavg()[0]:.1f} at the start, fdatasync {sync_ms(folder):.2f} ms")
        found = list(rows(Bench(load.build(folder), folder, fixed_games()), size))
    print()
    heading("what", "ours", "beside", "ratio", "aim")
    for cells in found:
        row(*cells)


def rows(bench: Bench, size: Size) -> Iterator[Row]:
    peer = bench.run(Boardgame(), [size])[0][size]
    sqlite = bench.run(Ludus(), [size])[0][size]
    with backends() as behind:
        cluster = ClusterBench(bench, behind, ClusterLudus(behind, bench.folder))
        print("one process on PostgreSQL and Redis", flush=True)
        with platform(behind, 1, bench.folder / "one") as single:
            one = cluster.measure(single, size, spread=False)
        print("two processes on PostgreSQL and Redis", flush=True)
        with platform(behind, 2, bench.folder / "two") as double:
            two = cluster.measure(double, size, spread=True)
            together = cluster.measure(double, size, spread=False)
            slow = half_load(size.pairs, two.summary.rate, HALF_ROUNDS if size is SIZE else 1)
            inside = cluster.measure(double, slow, spread=False)
            across = cluster.measure(double, slow, spread=True)
    yield from speed_rows(one, two, together, peer)
    yield from latency_rows(slow, inside, across)
    yield from cost_rows(one, two, sqlite)


def speed_rows(one: Measured, two: Measured, together: Measured, peer: Summary) -> Iterator[Row]:
    """By the clock, on cores that the players use too; and by CPU time, as if they had a machine of their own."""
    yield compare("wall-clock moves/s, two processes against one", two.summary.rate, one.summary.rate, "one process")
    mean = (two.costs.servers + together.costs.servers) / 2
    for where, cost, least in (
        ("opponents on different processes", two.costs.servers, 0.0),
        ("opponents on one process", together.costs.servers, 0.0),
        ("opponents where a proxy puts them, half of them together", mean, LEAST_SPEEDUP),
    ):
        name = f"moves/s by CPU time of the servers, two cores against one, {where}"
        ours, single = moves_a_second([cost], cores=2), moves_a_second([one.costs.servers])
        yield compare(name, ours, single, "one process", least=least)
    yield compare("wall-clock moves/s, two processes against boardgame.io", two.summary.rate, peer.rate, "boardgame.io")
    yield compare(
        "moves/s of two cores by CPU time, including PostgreSQL and Redis",
        moves_a_second(two.costs, cores=2),
        moves_a_second([peer.cost_us]),
        "boardgame.io, which uses one",
        least=1,
    )


def latency_rows(size: Size, inside: Measured, across: Measured) -> Iterator[Row]:
    for what, mine, other, most in (
        ("p50", across.summary.seen_p50, inside.summary.seen_p50, 0),
        ("p99", across.summary.seen_p99, inside.summary.seen_p99, MOST_LATENCY),
    ):
        name = f"{size}, move seen on the other process, {what}, ms"
        yield compare(name, mine, other, "same process", digits=2, most=most)


def cost_rows(one: Measured, two: Measured, sqlite: Summary) -> Iterator[Row]:
    yield compare("CPU of the server, µs a move", one.costs.servers, sqlite.cost_us, "SQLite")
    yield compare(
        "the same with PostgreSQL and Redis", one.costs.total, sqlite.cost_us, "SQLite, in the process", most=MOST_COST
    )
    for what, measured in (("one process", one), ("two processes", two)):
        servers, database, bus = measured.costs
        yield Row(f"{what}: servers, PostgreSQL, Redis, µs a move", f"{servers:.0f} + {database:.0f} + {bus:.0f}")


if __name__ == "__main__":
    main()
