"""`ludus endgames`: builds, checks and probes endgame tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ludus.core.errors import BadInput
from ludus.games import GAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from ludus.engines.checkers.endgames.build import Step
    from ludus.engines.checkers.endgames.tables import Counts, EndgameTables, TableValue
    from ludus.games.checkers.position import Position

app = typer.Typer(name="endgames", help="Endgame tables for checkers.", no_args_is_help=True)

FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Folder for larger tables; by default $LUDUS_ENDGAMES or the user's data folder.",
        show_default=False,
    ),
]
VALUES: Final = ("unknown", "lost", "drawn", "won")


@app.command()
def build(
    pieces: Annotated[int, typer.Option(help="Maximum number of pieces.", min=2, max=6, show_default=False)],
    out: FolderOption = None,
) -> None:
    """Build tables with more pieces than the package has: five take minutes, six about an hour.

    Stop it at any time; the same command resumes where it left off.
    """
    from rich.console import Console

    from ludus.engines.checkers.endgames import build as building
    from ludus.engines.checkers.endgames import layout, tables

    folder = out or tables.default_folder()
    try:
        _track(building.build(pieces, folder), layout.total(pieces), Console(stderr=True))
    except OSError as error:
        raise BadInput(f"cannot build in {folder}: {error.strerror}") from error
    _print_tables(tables.EndgameTables(pieces, folder))


def _track(steps: Iterator[Step], total: int, console: Console) -> None:
    """Shows a progress bar; a pair of slices is half done when all its positions were visited once."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:32}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("compiling", total=total)
        for pair, step in steps:
            so_far = "" if step.plies is None else f", ends within {step.plies}"
            progress.update(task, completed=pair.start + step.initialized // 2, description=f"{pair}{so_far}")


@app.command()
def check(out: FolderOption = None) -> None:
    """Count the wins, losses and draws in the tables and compare them with the known numbers."""
    from ludus.engines.checkers.endgames import tables

    _print_tables(tables.load_folder(out) if out else tables.load())


def _print_tables(found: EndgameTables) -> None:
    from ludus.engines.checkers.endgames.tables import KNOWN, check

    typer.echo(f"up to {found.pieces} pieces, {found.folder or 'in the package'}")
    wld, _ = found.wld, found.lengths  # raises if a file is missing or cut short
    for pieces in range(2, found.pieces + 1):
        _print_counts(pieces, check(pieces, wld), is_known=pieces in KNOWN)


def _print_counts(pieces: int, counts: Counts, *, is_known: bool) -> None:
    values = f"{counts.won:,} won, {counts.lost:,} lost, {counts.drawn:,} drawn"
    typer.echo(f"{pieces} pieces: {counts.positions:,} positions, {values}{', as known' * is_known}")


@app.command()
def probe(
    fen: Annotated[str, typer.Argument(help="A position (FEN), such as W:WK1:BK32.", show_default=False)],
    out: FolderOption = None,
) -> None:
    """Show who wins a position, in how many moves, and what each move leads to."""
    from ludus.engines.checkers.endgames import tables

    rules = GAMES["checkers"]
    position: Position = rules.notation.read_position(fen)
    found = tables.load_folder(out) if out else tables.load()
    if (result := found.probe(position)) is None:
        raise BadInput(f"the tables have up to {found.pieces} pieces; this position is not in them")
    typer.echo(f"{rules.players[position.mover]} to move: {_words(result)}")
    for text, worth in sorted(_worths(found, position), key=lambda pair: _rank(pair[1]), reverse=True):
        typer.echo(f"  {text}: {_words(worth)}")


def _worths(found: EndgameTables, position: Position) -> Iterator[tuple[str, TableValue]]:
    """Each move with its value to the side that makes it."""
    rules = GAMES["checkers"]
    for move in rules.moves(position):
        after = found.probe(rules.play(position, move))
        assert after  # no move adds pieces
        yield rules.notation.write_move(position, move), _turned(after)


def _rank(result: TableValue) -> tuple[int, int]:
    """Quick wins are better than slow ones, and slow losses than quick ones."""
    return result.value, -result.plies if VALUES[result.value] == "won" else result.plies


def _turned(result: TableValue) -> TableValue:
    """The value from the other side, one move earlier."""
    return result._replace(value=4 - result.value, plies=result.plies + 1)


def _words(result: TableValue) -> str:
    if result.value == VALUES.index("drawn"):
        return "drawn"
    return f"{VALUES[result.value]} in {result.plies}"
