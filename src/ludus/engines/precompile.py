"""Compiles the engines before they are needed: once per machine, and again when their code changes.

A marker file beside the compiled kernels lists the most important ones of a game.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from ludus.core import kernel_cache
from ludus.core.kernel import compiled
from ludus.core.rules import Turn
from ludus.engines import Limit, adapter, analyst
from ludus.engines.adapters import folders
from ludus.games import GAMES

PACKAGE: Final = Path(__file__).parents[1]


def is_precompiled(games: Iterable[str] = GAMES) -> bool:
    """Whether everything was compiled and is still there."""
    places = marker_places()
    return all(any(_is_kept(place, game) for place in places) for game in games if adapter(game).kernels)


def marker_places() -> list[Path]:
    """Where marker files may be; writable places come first."""
    return kernel_cache.readable()


def _is_kept(place: Path, game: str) -> bool:
    try:
        files = (place / marker_name(game)).read_text(encoding="utf-8").splitlines()
        return bool(files) and all(Path(file).exists() for file in files)
    except OSError:
        return False


def precompile(games: Iterable[str] = GAMES) -> Iterator[str]:
    """Compiles one game after the other, yielding each name first; games without kernels are left out."""
    for game in games:
        if not adapter(game).kernels:
            continue
        yield game
        load(game)
        mark(game)


def mark(game: str) -> None:
    """Records that a game is compiled; its engine was loaded in this process."""
    files = {str(file) for function in _kernels(game) for file in function._cache.files}
    for place in marker_places()[:1] if files and not is_precompiled([game]) else ():
        with suppress(OSError):  # without a marker this runs again next time, which takes a second or two
            (place / marker_name(game)).write_text("\n".join(sorted(files)), encoding="utf-8")


def load(game: str) -> None:
    """Loads the engine of a game in this thread, so that loading does not count against a limit of seconds."""
    rules = GAMES[game]
    for text in adapter(game).warmup_positions:
        position = rules.notation.read_position(text)
        assert rules.turn(position) is not Turn.DICE
        analyst(game).analyse(rules, position, Limit(nodes=5_000), (), 2)


def _kernels(game: str) -> Iterator[Any]:
    for module, name in adapter(game).kernels:
        yield getattr(compiled(import_module(module)), name)


@cache
def marker_name(game: str) -> str:
    """The marker's name, which changes with the code, Python, Numba and the processor."""
    from llvmlite.binding import get_host_cpu_name

    processor = os.environ.get("NUMBA_CPU_NAME") or get_host_cpu_name()  # an image names one for all its hosts
    digest = hashlib.sha256(f"{sys.version}{version('numba')}{processor}".encode())
    for folder in (PACKAGE / "core", *folders(game)):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return f"precompiled-{game}-{digest.hexdigest()[:16]}"
