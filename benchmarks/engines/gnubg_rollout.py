"""Rollouts of cube decisions by the program GNU Backgammon, which prints them in its text export only."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

SCRIPT: Final = """set threads 1
set automatic game off
set automatic roll off
new match {length}
set xgid {xgid}
set rollout cubeful on
set rollout trials {trials}
set rollout varredn on
set rollout quasirandom on
set rollout seed 1
set rollout truncation enable off
set rollout initial off
set rollout limit enable off
set rollout jsd stop off
set rollout chequerplay plies 0
set rollout cubedecision plies 0
hint
analyse rollout cube
export position text {file}
exit
y
"""
EQUITY: Final = re.compile(
    r"^\d\. (no (?:re)?double|(?:re)?double, take) +([+-]\d+\.\d+)", re.IGNORECASE | re.MULTILINE
)


class CubeEquities(NamedTuple):
    """Of the player on roll: without a double, and with one that is taken."""

    no_double: float
    take: float


def cube_rollout(program: str, xgid: str, length: int, trials: int) -> CubeEquities:
    """Played out at 0-ply, adjusted for luck; `program` is where gnubg is."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "position.txt"
        script = SCRIPT.format(length=length, xgid=xgid, trials=trials, file=file)
        subprocess.run([program, "-t", "-q"], input=script, text=True, capture_output=True, check=True, cwd=folder)
        text = file.read_text()
    if "Rollout details" not in text:
        raise ValueError(f"no rollout of {xgid}: {text[-500:]}")
    found = {name.lower().startswith("no"): float(value) for name, value in EQUITY.findall(text)}
    return CubeEquities(found[True], found[False])
