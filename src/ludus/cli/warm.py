"""`ludus warm`: compiles the engines now, so that nobody waits for it later."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from ludus.engines.levels import LEVELS
from ludus.players import HOUSE
from ludus.players.trained import game_of


def prepare(game: str, players: Iterable[str]) -> None:
    """Compiles the engine of a game where one of these players needs it and nobody has done so, saying it."""
    from rich.console import Console

    from ludus.engines.warmth import is_warm
    from ludus.engines.warmth import warm as compile_engines

    if any(map(needs_engine, players)) and not is_warm([game]):
        with Console(stderr=True).status(f"compiling the engine of {game}, once for this machine"):
            list(compile_engines([game]))


def needs_engine(player: str) -> bool:
    """Whether whoever goes by this name thinks with an engine of the house, be it with other weights."""
    return player.removeprefix(HOUSE) in LEVELS or game_of(player) is not None


def warm() -> None:
    """Compile the engines, once for this machine; otherwise that happens when a bot first thinks."""
    from rich.console import Console

    from ludus.engines.warmth import is_warm
    from ludus.engines.warmth import warm as compile_engines

    if is_warm():
        typer.echo("The engines are compiled.")
        return
    with Console(stderr=True).status("compiling the engines") as status:
        for game in compile_engines():
            status.update(f"compiling the engine of {game}")
    typer.echo("The engines are compiled.")
