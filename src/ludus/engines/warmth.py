"""Compiling the engines before anybody waits for them. It is done once on a machine, and again when their code changes.

Numba keeps what it compiled in files of its own; here only a mark is kept that says it was done.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final

from ludus.core.rules import Turn
from ludus.engines import Limit, analyst
from ludus.games import GAMES

PACKAGE: Final = Path(__file__).parents[1]
PARTS: Final = ("core", "games", "engines")
POSITIONS: Final = {
    "checkers": ("B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12", "W:WK14,K18:BK1"),
    "backgammon": (
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
        "XGID=-FDBB-----------Aacbcc-c--:0:0:-1:21:0:0:0:0:10",
        "XGID=-BBB---------------bbb----:0:0:1:21:0:0:0:0:10",
    ),
}
"""Some that need all there is of an engine: a middle game, an endgame that is known, a bear-off."""


def is_warm() -> bool:
    return mark().exists()


def warm() -> Iterator[str]:
    """Compiles game after game, naming each before."""
    for name, rules in GAMES.items():
        yield name
        for text in POSITIONS[name]:
            position = rules.notation.read_position(text)
            assert rules.turn(position) is not Turn.DICE
            analyst(name).analyse(rules, position, Limit(nodes=5_000), (), 2)
    mark().parent.mkdir(parents=True, exist_ok=True)
    mark().touch()


def mark() -> Path:
    """A file that is there once this very code was compiled, by this Python with this Numba."""
    digest = hashlib.sha256(f"{sys.version}{version('numba')}{PACKAGE}".encode())
    for path in sorted(path for part in PARTS for path in (PACKAGE / part).rglob("*.py")):
        digest.update(path.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "ludus" / f"warm-{digest.hexdigest()[:16]}"
