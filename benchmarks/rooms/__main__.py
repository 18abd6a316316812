"""`python -m benchmarks.rooms`: our server, boardgame.io's and a bare echo play the same games, on one core each.

`--quick` plays a few games of each to check that everything works; `--without ours` leaves our server out.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.envs.peers import CACHE
from benchmarks.report import heading, machine, row
from benchmarks.rooms import boardgame_peer, load, table
from benchmarks.rooms.boardgame_peer import Boardgame
from benchmarks.rooms.echo_peer import Echo
from benchmarks.rooms.games import fixed_games
from benchmarks.rooms.measure import Bench, Size
from benchmarks.rooms.ours import Ludus
from benchmarks.rooms.process import client_core, server_core

SIZES = (Size(50, 2, 6), Size(500, 1, 2), Size(500, 0, 1, think_us=500_000))
QUICK = (Size(10, 0, 1), Size(10, 0, 1, think_us=20_000))
LIVE, QUICK_LIVE = 1_000, 20


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.rooms", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--without", choices=["ours"], default="")
    options = parser.parse_args()
    assert server_core() != client_core(), "the players need a core of their own"
    boardgame_peer.set_up()
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        folder = Path(name)
        print(f"Rooms, {machine()}, load {os.getloadavg()[0]:.1f} at the start, fdatasync {sync_ms(folder):.2f} ms")
        bench = Bench(load.build(folder), folder, fixed_games())
        found = list(rows(bench, QUICK if options.quick else SIZES, QUICK_LIVE if options.quick else LIVE, options))
    if found:
        print()
        heading("what", "ours", "peer", "ratio", "aim")
    for cells in found:
        row(*cells)


def rows(bench: Bench, sizes: tuple[Size, ...], live: int, options: argparse.Namespace) -> Iterator[table.Row]:
    closed = [size for size in sizes if not size.think_us]
    echo_targets = [Echo(), Echo(shows_game=True)]
    peer = Boardgame()
    echoes = [bench.run(target, closed)[0] for target in echo_targets]
    theirs, their_memory = bench.run(peer, sizes, live)
    if options.without:
        return
    ours, memory = bench.run(Ludus(), sizes, live)
    for size in sizes:
        yield from table.rows_of_size(size, ours[size], theirs[size], peer.name)
        for target, echo in zip(echo_targets, echoes, strict=True):
            if size in echo:
                most = 0 if target.wire.both else table.MOST_ECHOES
                yield table.row_of_echo(size, ours[size], echo[size], target.name, most)
    whole, _ = bench.run(Ludus(is_compact=False), closed[:1])
    yield from table.rows_of_contract(closed[0], whole[closed[0]], ours[closed[0]])
    yield from table.rows_of_memory(live, memory, their_memory, peer.name)
    yield table.row_of_client(ours)


def sync_ms(folder: Path, times: int = 100) -> float:
    """The cost of one durable write of a page on this disk, a lower bound for acknowledging a move."""
    took = []
    with (folder / "sync").open("wb", buffering=0) as file:
        for _ in range(times):
            began = time.perf_counter()
            file.write(bytes(4096))
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - began)
    return statistics.median(took) * 1e3


if __name__ == "__main__":
    main()
