"""`ludus bench`: the engines' speed, and a signature that a refactoring must not change."""

from __future__ import annotations

from typing import Annotated

import typer

from ludus.cli.terminal import NAMES, complete_game, output, refuse_unknown
from ludus.core.errors import BadInput
from ludus.games import GAMES


def bench(
    game: Annotated[
        str | None,
        typer.Argument(
            help="Which game; all of them if none is named.",
            metavar=NAMES,
            callback=refuse_unknown,
            autocompletion=complete_game,
        ),
    ] = None,
) -> None:
    """Count the engines' work on fixed positions: the signature changes only if an engine thinks differently."""
    from rich.console import Console
    from rich.table import Table

    from ludus.engines import adapter
    from ludus.engines.bench import count

    if game and not adapter(game).bench_positions:
        raise BadInput(f"{game} has no positions to bench")
    for name in [game] if game else [name for name in GAMES if adapter(name).bench_positions]:
        table, nodes, seconds = Table(box=None, pad_edge=False), 0, 0.0
        for head in ("move", "nodes", "nodes/s", "position"):
            is_number, is_position = head.startswith("nodes"), head == "position"
            table.add_column(head, justify="right" if is_number else "left", no_wrap=not is_position, overflow="fold")
        with Console(stderr=True).status(f"{name}: {len(adapter(name).bench_positions)} positions"):
            for found in count(name):
                rate = f"{found.nodes / max(found.seconds, 1e-9):,.0f}"
                table.add_row(found.move, f"{found.nodes:,}", rate, found.position)
                nodes, seconds = nodes + found.nodes, seconds + found.seconds
        output().print(table)
        typer.echo(f"{name}: signature {nodes}, {nodes / max(seconds, 1e-9):,.0f} nodes a second\n")
