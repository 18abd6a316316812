"""Compiling the engines before anybody waits for them. It is done once on a machine, and again when their code changes.

Numba keeps what it compiled in files of its own; here only a mark is kept that names the most important of these.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Final

from ludus.core.kernel import compiled
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


KERNELS: Final = {
    "checkers": (("ludus.engines.checkers.root", "deepen"),),
    "backgammon": (("ludus.engines.backgammon.survey", "look"), ("ludus.engines.backgammon.bearoff", "write_rolls")),
}
"""What engines call of their compiled code: all else is within these."""


def is_warm(games: Iterable[str] = GAMES) -> bool:
    """Whether these were compiled, and what came of it is still there."""
    return all(_is_kept(mark(game)) for game in games)


def _is_kept(mark: Path) -> bool:
    try:
        files = mark.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return bool(files) and all(Path(file).exists() for file in files)


def warm(games: Iterable[str] = GAMES) -> Iterator[str]:
    """Compiles game after game, naming each before."""
    for game in games:
        yield game
        ready(game)
        with suppress(OSError):  # a machine that keeps no mark does this again, in a second or two
            mark(game).parent.mkdir(parents=True, exist_ok=True)
            mark(game).write_text("\n".join(map(str, _compiled_files(game))), encoding="utf-8")


def ready(game: str) -> None:
    """Loads the engines of a game into this thread, so that no limit of seconds has to pay for it."""
    rules = GAMES[game]
    for text in POSITIONS[game]:
        position = rules.notation.read_position(text)
        assert rules.turn(position) is not Turn.DICE
        analyst(game).analyse(rules, position, Limit(nodes=5_000), (), 2)


def _compiled_files(game: str) -> Iterator[Path]:
    """Where Numba has put the kernels of a game."""
    for module, name in KERNELS[game]:
        function = getattr(compiled(import_module(module)), name)
        yield from Path(function.stats.cache_path).glob(f"*.{function.py_func.__qualname__}-*.nb[ic]")


def mark(game: str) -> Path:
    """A file that is there once this very code was compiled, by this Python with this Numba."""
    digest = hashlib.sha256(f"{sys.version}{version('numba')}{PACKAGE}".encode())
    for path in sorted(path for part in PARTS for path in (PACKAGE / part).rglob("*.py")):
        digest.update(path.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "ludus" / f"warm-{game}-{digest.hexdigest()[:16]}"
