"""Compiles the engines before anyone waits for them: once per machine, and again when their code changes.

Numba keeps compiled code in a cache of its own. Here we keep a marker file that lists the most important files in it.
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
from ludus.engines import Limit, adapter, analyst
from ludus.engines.adapters import folders
from ludus.games import GAMES

PACKAGE: Final = Path(__file__).parents[1]


def is_precompiled(games: Iterable[str] = GAMES) -> bool:
    """Whether everything was compiled and is still in Numba's cache."""
    return all(_is_cached(marker(game)) for game in games if adapter(game).kernels)


def _is_cached(marker: Path) -> bool:
    try:
        files = marker.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return bool(files) and all(Path(file).exists() for file in files)


def precompile(games: Iterable[str] = GAMES) -> Iterator[str]:
    """Compiles one game after the other and yields its name first; a game without kernels is left out."""
    for game in games:
        if not adapter(game).kernels:
            continue
        yield game
        load(game)
        with suppress(OSError):  # without a marker this runs again next time, which takes a second or two
            marker(game).parent.mkdir(parents=True, exist_ok=True)
            marker(game).write_text("\n".join(map(str, _cached_files(game))), encoding="utf-8")


def load(game: str) -> None:
    """Loads the engine of a game in this thread, so that loading does not count against a limit of seconds."""
    rules = GAMES[game]
    for text in adapter(game).warmup_positions:
        position = rules.notation.read_position(text)
        assert rules.turn(position) is not Turn.DICE
        analyst(game).analyse(rules, position, Limit(nodes=5_000), (), 2)


def _cached_files(game: str) -> Iterator[Path]:
    """Where Numba has put the kernels of a game."""
    for module, name in adapter(game).kernels:
        function = getattr(compiled(import_module(module)), name)
        yield from Path(function.stats.cache_path).glob(f"*.{function.py_func.__qualname__}-*.nb[ic]")


def marker(game: str) -> Path:
    """The file that exists once this very code was compiled, by this Python with this Numba."""
    digest = hashlib.sha256(f"{sys.version}{version('numba')}{PACKAGE}".encode())
    for folder in (PACKAGE / "core", *folders(game)):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "ludus" / f"precompiled-{game}-{digest.hexdigest()[:16]}"
