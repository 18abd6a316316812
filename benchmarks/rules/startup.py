"""What a person waits for: imports, help, the first compilation and the cached one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from benchmarks.report import row

COMPILE = (
    "from ludus.cli.perft import compile_rules; from ludus import GAMES; [compile_rules(r) for r in GAMES.values()]"
)


def run() -> None:
    bare = wall([sys.executable, "-c", "pass"])
    row("`import ludus`, ms", f"{(wall([sys.executable, '-c', 'import ludus']) - bare) * 1e3:.0f}", "", "", "< 100")
    row("`ludus --help`, s", f"{wall([sys.executable, '-m', 'ludus', '--help']):.2f}", "", "", "< 0.5")
    with tempfile.TemporaryDirectory() as folder:
        fresh = os.environ | {"NUMBA_CACHE_DIR": folder}
        row(
            "first compilation of both kernels, s",
            f"{wall([sys.executable, '-c', COMPILE], fresh, 1):.1f}",
            "",
            "",
            "< 30",
        )
        row("the same from the cache, s", f"{wall([sys.executable, '-c', COMPILE], fresh):.1f}", "", "", "")


def wall(command: list[str], env: dict[str, str] | None = None, best_of: int = 5) -> float:
    times = []
    for _ in range(best_of):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=env)
        times.append(time.perf_counter() - began)
    return min(times)
