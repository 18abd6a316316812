"""`ludus precompile`: compiles the engines now, so that the first game does not have to wait."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from ludus.engines.levels import LEVELS
from ludus.engines.trained import game_of
from ludus.players import BOT_PREFIX


def prepare(game: str, players: Iterable[str]) -> None:
    """Compiles the engine of a game if one of these players needs it and it isn't compiled yet; shows a status line."""
    from rich.console import Console

    from ludus.engines import precompile

    if any(map(needs_engine, players)) and not precompile.is_precompiled([game]):
        with Console(stderr=True).status(f"compiling the {game} engine, once for this machine"):
            list(precompile.precompile([game]))


def needs_engine(player: str) -> bool:
    """Whether the player with this name searches with one of our engines, with packaged weights or others."""
    return player.removeprefix(BOT_PREFIX) in LEVELS or game_of(player) is not None


def precompile() -> None:
    """Compile the engines, once for this machine; otherwise that happens when a bot first thinks."""
    from rich.console import Console

    from ludus.engines import precompile

    if not precompile.is_precompiled():
        console = Console(stderr=True)
        with console.status("compiling the engines, once for this machine"):
            for game in precompile.precompile():
                console.print(f"compiling the {game} engine")
    typer.echo("The engines are compiled.")
