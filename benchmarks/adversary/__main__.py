"""`python -m benchmarks.adversary`: each attack against fifty good games, then all together; see docs/operating.md.

The server has its default limits and a fresh database for each row.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.adversary.attacks import ATTACKS, BY_NAME
from benchmarks.adversary.attacks.pages import SilentConnections
from benchmarks.adversary.row import ATTACKER, Row, Setting, measure
from benchmarks.envs.peers import CACHE
from benchmarks.report import heading, machine, row
from benchmarks.rooms.__main__ import sync_ms

QUIET, ALL = "quiet", "all_together"
GAMES = 50
TOGETHER, ADDRESSES = 1000, 50
"""Connections and addresses of all attacks together."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.adversary", description=__doc__)
    names = [QUIET, *BY_NAME, ALL]
    parser.add_argument("--attack", nargs="+", choices=names, default=names, help="only these rows")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each attack lasts")
    parser.add_argument("--games", type=int, default=GAMES, help="good games at once, 100 at most")
    parser.add_argument("--stored", type=int, default=20_000, help="stored games for game_list_reads")
    parser.add_argument(
        "--workers", type=int, default=1, help="server processes; several share a port, PostgreSQL and Redis"
    )
    parser.add_argument("--list", action="store_true", help="say what the attacks are, and do nothing")
    options = parser.parse_args()
    if options.list:
        for attack in ATTACKS:
            print(f"{attack.name:20} {attack.about}")
        print(f"{ALL:20} all of these at once, on {TOGETHER:,} connections from {ADDRESSES} addresses")
        return
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        folder = Path(name)
        print(f"Adversary, {machine()}, load {os.getloadavg()[0]:.1f} at the start, fdatasync {sync_ms(folder):.2f} ms")
        print(f"{options.games} good games, {options.seconds:g} s for each attack, server processes: {options.workers}")
        heading(*Row.columns())
        setting = Setting(folder, options.games, options.seconds, options.stored, options.workers)
        for found in rows(options.attack, setting):
            row(*found.cells())


def rows(names: list[str], setting: Setting) -> Iterator[Row]:
    for name in names:
        if name == QUIET:
            yield measure(name, {}, setting)
        elif name == ALL:
            numbers = {attack.name: attack.connections for attack in ATTACKS if attack is not SilentConnections}
            numbers[SilentConnections.name] = TOGETHER - sum(numbers.values())
            yield measure(name, numbers, setting, [f"127.20.1.{number + 1}" for number in range(ADDRESSES)])
        else:
            yield measure(name, {name: BY_NAME[name].connections}, setting, [ATTACKER])


if __name__ == "__main__":
    main()
