"""`ludus explorer`: the counts of the opening explorer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from ludus.cli.database import DatabaseOption, DataOption, is_alone, open_store
from ludus.cli.personal_data import YesOption, confirm
from ludus.cli.terminal import counted

if TYPE_CHECKING:
    from ludus.service.ports.store import Store

app = typer.Typer(name="explorer", help="The opening explorer.", no_args_is_help=True)

BATCH: Final = 64
"""Games that are counted at once; there are no players to delay."""


@app.callback()
def _explorer() -> None:
    """Keeps the command's name, which Typer would drop if there were only one command."""


@app.command()
def rebuild(data: DataOption = None, database: DatabaseOption = None, yes: YesOption = False) -> None:
    """Count all stored games again. A running server does it in the background.

    What was counted of games that are no longer stored is lost.
    """
    confirm("Forget all counts of the opening explorer, also those of deleted games, and count again?", yes=yes)
    asyncio.run(_rebuild(data, database))


async def _rebuild(data: Path | None, database: str | None) -> None:
    async with open_store(data, database) as (store, _):
        is_here = await is_alone(store)
    async with open_store(data, database) as (store, _):  # without a lease: a server may start in the meantime
        games = await store.recount_games()
        if not is_here:
            typer.echo(f"{counted(games, 'game')} queued; the server counts them in the background.")
            return
        await _count(store, games)
    typer.echo(f"{counted(games, 'game')} counted.")


async def _count(store: Store, games: int) -> None:
    """Counts the games; if this is killed, a server continues."""
    from ludus.service.explorer import Explorer

    explorer, done = Explorer(store), 0
    with _progress(games) as show:
        while taken := await explorer.count(BATCH):
            done += taken
            show(done)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """Shows progress on a terminal; yields a function to call with the number done."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as shown:
        task = shown.add_task("counting games", total=total)
        yield lambda done: shown.update(task, completed=done)
