"""`ludus warm`: compiles the engines now, so that nobody waits for it later."""

from __future__ import annotations

import typer


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
