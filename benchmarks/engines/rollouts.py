"""Rollouts beside those of the program GNU Backgammon: `python -m benchmarks.engines.rollouts [--trials N]`.

Both roll the starting position out at sight (0-ply) on one core, adjusted for luck, with stratified dice. Times are
processor time; starting the programs is not counted. GNU Backgammon (the Debian package `gnubg`) stops a cubeless trial
once all men are at home, which ours don't.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import time
from typing import Final

from benchmarks.report import heading, machine, row
from ludus.core.rules import Player
from ludus.engines.backgammon.rollout import Rollout, Settings, rollout
from ludus.engines.backgammon.tables import cube_pairs
from ludus.games.backgammon.position import VARIANTS, Cube, Position

START: Final = VARIANTS["standard"]._replace(mover=Player.FIRST)
SCRIPT: Final = """set threads 1
set automatic game off
new session
set turn 1
set rollout cubeful {cubeful}
set rollout trials {trials}
set rollout varredn on
set rollout quasirandom on
set rollout seed 1
set rollout truncation plies {plies}
set rollout truncation enable {truncated}
set rollout initial off
set rollout limit enable off
set rollout jsd stop off
set rollout chequerplay plies 0
set rollout cubedecision plies 0
set rollout truncation chequerplay plies 0
set rollout truncation cubedecision plies 0
{last}
exit
y
"""
PLACES: Final = f"{os.environ.get('PATH', '')}:/usr/games"


def ours(position: Position, settings: Settings) -> tuple[float, Rollout]:
    """Trials per second, and the result."""
    before = time.process_time()
    found = rollout(position, settings)
    return found.trials / (time.process_time() - before), found


def gnu(program: str, trials: int, *, truncate: int | None, cube: bool) -> float:
    """Trials per second; what the program needs without a rollout is not counted."""
    spent = [_seconds(program, trials, truncate, cube, last) for last in ("show version", "rollout")]
    return trials / (spent[1] - spent[0])


def _seconds(program: str, trials: int, truncate: int | None, cube: bool, last: str) -> float:
    script = SCRIPT.format(
        trials=trials,
        last=last,
        plies=truncate or 0,
        truncated="on" if truncate else "off",
        cubeful="on" if cube else "off",
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "-t", "-q"], input=script, text=True, capture_output=True, check=True)
    assert last != "rollout" or "Rollout done" in done.stdout, done.stdout[-500:]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=720)
    options = parser.parse_args()
    program = shutil.which("gnubg", path=PLACES)
    print(f"Rollouts of the starting position, {machine()}\n")
    heading("what", "ours", "peer", "aim")
    rollout(START, Settings(trials=1))
    cube_pairs()
    for name, truncate, cube in (("played out", None, False), ("10 rolls", 10, False), ("with the cube", None, True)):
        position = START._replace(cube=Cube()) if cube else START
        speed, found = ours(position, Settings(options.trials, truncate=truncate))
        theirs = gnu(program, options.trials, truncate=truncate, cube=cube) if program else None
        assert found.equity.error and found.variance_ratio
        row(
            f"trials a second, {name}, {options.trials:,} trials",
            f"{speed:.1f}",
            "not installed" if theirs is None else f"{theirs:.1f} (gnubg 0-ply)",
            "" if theirs is None else f"≥ 1 ×; here {speed / theirs:.1f} ×",
        )
        row(
            f"equity, {name}",
            f"{found.equity.mean:+.4f} ± {found.equity.error:.4f}, with luck {found.plain_equity.mean:+.3f}",
            "",
            f"variance / 100; here / {found.variance_ratio:.0f}",
        )


if __name__ == "__main__":
    main()
