"""Checkers perft from the start, one core: our compiled kernel and a C program for the same job.

Numba compiles for the processor it runs on, so gcc does too (`-march=native`).
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from benchmarks.report import cpu_seconds, row
from ludus.games.checkers.rules import Checkers

DEPTH, LINES = 11, 85_242_128
BUILD = ("gcc", "-O3", "-march=native")


def run() -> None:
    rules = Checkers().compiled()
    start = rules.variants["standard"]
    assert rules.perft(start, DEPTH) == LINES
    ours = LINES / cpu_seconds(lambda: rules.perft(start, DEPTH))
    peer = LINES / by_c()
    name = f"{peer:,.0f} (C, {' '.join(BUILD)})"
    row(f"checkers perft {DEPTH}, lines/s", f"{ours:,.0f}", name, f"{ours / peer:.2f}", "≥ 0.6")


def by_c() -> float:
    """Seconds of CPU the C program takes, the best of three."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "perft"
        subprocess.run([*BUILD, "-o", program, Path(__file__).with_name("perft.c")], check=True)
        runs = [subprocess.check_output([program, str(DEPTH)], text=True).split() for _ in range(3)]
    assert all(int(lines) == LINES for lines, _ in runs)
    return min(float(seconds) for _, seconds in runs)
