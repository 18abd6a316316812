"""The bear-off table with the cube beside GNU Backgammon's: `python -m benchmarks.engines.bearoff`.

`makebearoff`, of the Debian package `gnubg`, computes its own table for six men a side. All equities are compared; its
file has sixteen bits for a number. Times are processor time.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
import time
from math import comb
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.report import heading, machine, row
from ludus.engines.backgammon import tables
from ludus.engines.backgammon.bearoff import CENTRED, OTHERS, OWN, PAIR_MEN, PAIR_RANKS, unrank
from ludus.engines.backgammon.tables import bearoff_tables, cube_pairs
from ludus.games.backgammon.position import Men

POINTS: Final = 6
HEADER: Final = 40
HALF: Final = 32767.5
COLUMNS: Final = {"without a cube": 0, "own cube": 1, "centred cube": 2, "the opponent's cube": 3}
PLACES: Final = f"{os.environ.get('PATH', '')}:/usr/games"


def theirs(program: str) -> tuple[Any, float]:
    """Equities by both ranks, in our order, and the seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pairs.bd"
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        size = f"{POINTS}x{PAIR_MEN}"
        subprocess.run([program, "-t", size, "-f", str(file)], check=True, capture_output=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        numbers = np.frombuffer(file.read_bytes()[HEADER:], "<u2").reshape(PAIR_RANKS, PAIR_RANKS, len(COLUMNS))
    order = [_number(Men(*unrank(rank)).counts[1 : POINTS + 1]) for rank in range(PAIR_RANKS)]
    assert sorted(order) == list(range(PAIR_RANKS))
    return numbers[np.ix_(order, order)] / HALF - 1, seconds


def _number(counts: tuple[int, ...]) -> int:
    """Its number of an arrangement: men are zeros and points are ones, counted as combinations."""
    places, bits = POINTS - 1 + sum(counts), []
    for count in (*counts[:-1], 0):
        bits.append(places)
        places -= count + 1
    ones = sorted(bits)
    return sum(comb(bit, i) for i, bit in enumerate(ones, 1))


def main() -> None:
    program = shutil.which("makebearoff", path=PLACES)
    if program is None:
        raise SystemExit("makebearoff is not installed; it comes with the Debian package gnubg")
    bearoff_tables()
    cube_pairs()  # compiles
    tables._make_cube_pairs.cache_clear()
    before = time.process_time()
    equities = cube_pairs()
    ours = time.process_time() - before
    found, seconds = theirs(program)
    print(f"Bear-off of {PAIR_MEN} men a side, {machine()}\n")
    heading("what", "largest difference", "values")
    values = {
        "without a cube": 2 * bearoff_tables().pairs - 1,
        "own cube": equities[..., OWN],
        "centred cube": equities[..., CENTRED],
        "the opponent's cube": equities[..., OTHERS],
    }
    for name, column in COLUMNS.items():
        off = np.abs(values[name] - found[..., column])[1:, 1:]
        row(name, f"{off.max():.6f}", f"{off.size:,}")
    print()
    heading("seconds", "ours", "makebearoff")
    row("the table with the cube", f"{ours:.2f}", f"{seconds:.1f}")


if __name__ == "__main__":
    main()
