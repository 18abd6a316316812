"""`python -m benchmarks.adversary`: each attack against fifty good games, then all together; see docs/operating.md.

The server has its default limits and a fresh database for each row.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from benchmarks.adversary.attacks import ATTACKS, BY_NAME
from benchmarks.adversary.row import Row, Setting, measure
from benchmarks.envs.peers import CACHE
from benchmarks.report import heading, machine, row
from benchmarks.rooms.__main__ import sync_ms

QUIET = "quiet"
GAMES = 50


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.adversary", description=__doc__)
    parser.add_argument("--attack", action="append", choices=[QUIET, *BY_NAME], help="only this one; may be repeated")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each attack lasts")
    parser.add_argument("--games", type=int, default=GAMES, help="good games at once")
    parser.add_argument("--list", action="store_true", help="say what the attacks are, and do nothing")
    options = parser.parse_args()
    if options.list:
        for attack in ATTACKS:
            print(f"{attack.name:20} {attack.about}")
        return
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        folder = Path(name)
        print(f"Adversary, {machine()}, load {os.getloadavg()[0]:.1f} at the start, fdatasync {sync_ms(folder):.2f} ms")
        setting = Setting(folder, options.games, options.seconds)
        print(f"{options.games} good games, {options.seconds:g} s for each attack")
        heading(*Row.columns())
        for name in options.attack or [QUIET, *BY_NAME]:
            row(*measure(name, {} if name == QUIET else {name: BY_NAME[name].connections}, setting).cells())


if __name__ == "__main__":
    main()
