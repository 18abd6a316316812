"""`python -m benchmarks.arena`: our server and a bare Starlette echo play the same games, on one core each.

`--quick` plays a few games of each, to see that everything works.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.arena import load
from benchmarks.arena.echo_peer import Echo
from benchmarks.arena.games import fixed_games
from benchmarks.arena.measure import Bench, Size, Summary
from benchmarks.arena.ours import Ludus
from benchmarks.envs.peers import CACHE
from benchmarks.report import heading, machine, row
from benchmarks.rooms.__main__ import sync_ms
from benchmarks.rooms.process import client_core, server_core
from benchmarks.rooms.table import Row, compare

SIZES = tuple(
    size for is_http in (False, True) for size in (Size(200, 1, 4, is_http), Size(200, 0, 1, is_http, think_us=500_000))
)
QUICK = tuple(Size(10, 0, 1, is_http, think_us) for is_http in (False, True) for think_us in (0, 20_000))
IDLE, QUICK_IDLE = (1_000, 65), (20, 3)
"""Waiting agents, and for how many seconds; each poll is held for 30."""
MOST_ECHOES = 4
MOST_IDLE = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.arena", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    assert server_core() != client_core(), "the players need a core of their own"
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        folder = Path(name)
        print(f"Arena, {machine()}, load {os.getloadavg()[0]:.1f} at the start, fdatasync {sync_ms(folder):.2f} ms")
        bench = Bench(load.build(folder), folder, fixed_games())
        found = list(rows(bench, QUICK if options.quick else SIZES, QUICK_IDLE if options.quick else IDLE))
    print()
    heading("what", "ours", "peer", "ratio", "aim")
    for cells in found:
        row(*cells)


def rows(bench: Bench, sizes: Sequence[Size], idle: tuple[int, int]) -> Iterator[Row]:
    echo, traffic, ours = Echo(), Echo(is_traffic=True), Ludus()
    found: dict[str, dict[Size, Summary]] = {}
    for target in (echo, traffic, ours):
        with bench.open(target) as server:
            found[target.name] = {size: bench.measure(target, server, size) for size in sizes}
            share = bench.idle(target, server, *idle) if target is ours else 0.0
    for size in sizes:
        yield from rows_of_size(size, found[ours.name][size], found[echo.name][size], echo.name)
        mine, its = found[ours.name][size], found[traffic.name][size]
        if not size.think_us:
            yield compare(f"{size}, CPU of the server, µs a turn", mine.cost_us, its.cost_us, traffic.name)
    aim = f"< {MOST_IDLE:.0%}" + ("" if share < MOST_IDLE else ", missed")
    yield Row(f"{idle[0]:,} idle long polls, share of a core", f"{share:.2%}", aim=aim)


def rows_of_size(size: Size, ours: Summary, echo: Summary, name: str) -> Iterator[Row]:
    if not size.think_us:
        yield compare(f"{size}, turns/s on one core", ours.rate, echo.rate, name)
        yield compare(f"{size}, CPU of the server, µs a turn", ours.cost_us, echo.cost_us, name, most=MOST_ECHOES)
    for what, mine, its in (("p50", ours.seen_p50, echo.seen_p50), ("p99", ours.seen_p99, echo.seen_p99)):
        yield compare(f"{size}, from an action to the opponent's turn, {what}, ms", mine, its, name, digits=2)


if __name__ == "__main__":
    main()
