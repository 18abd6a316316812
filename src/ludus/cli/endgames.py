"""`ludus endgames`: tables of all checkers positions with few pieces."""

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
    from ludus.engines.checkers.endgames.counts import Counts
    from ludus.engines.checkers.endgames.tables import Tables, Verdict
    from ludus.games.checkers.position import Position

app = typer.Typer(name="endgames", help="Tables of checkers with few pieces.", no_args_is_help=True)

FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="The folder of larger tables; $LUDUS_ENDGAMES or the user's data folder where none is named.",
        show_default=False,
    ),
]
VALUES: Final = ("unknown", "lost", "drawn", "won")


@app.command()
def build(
    pieces: Annotated[int, typer.Option(help="Of how many pieces at most.", min=2, max=6, show_default=False)],
    out: FolderOption = None,
) -> None:
    """Make tables of more pieces than the package has: five in minutes, six in about an hour.

    Stop it at any time: the same command goes on where it was.
    """
    from rich.console import Console

    from ludus.engines.checkers.endgames import build as building
    from ludus.engines.checkers.endgames import layout, tables

    folder = out or tables.home()
    try:
        _watch(building.build(pieces, folder), layout.total(pieces), Console(stderr=True))
    except OSError as error:
        raise BadInput(f"cannot build in {folder}: {error.strerror}") from error
    _tell(tables.Tables(pieces, folder))


def _watch(steps: Iterator[Step], total: int, console: Console) -> None:
    """A bar that is half through a pair of slices when all its positions have been looked at once."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:32}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("compiling", total=total)
        for pair, stage in steps:
            so_far = "" if stage.plies is None else f", ends within {stage.plies}"
            progress.update(task, completed=pair.start + stage.opened // 2, description=f"{pair}{so_far}")


@app.command()
def check(out: FolderOption = None) -> None:
    """Count what the tables say and compare it with the known numbers."""
    from ludus.engines.checkers.endgames import tables

    _tell(tables.inside(out) if out else tables.load())


def _tell(found: Tables) -> None:
    from ludus.engines.checkers.endgames.build import check
    from ludus.engines.checkers.endgames.counts import KNOWN

    typer.echo(f"up to {found.pieces} pieces, {found.folder or 'in the package'}")
    wld, _ = found.wld, found.lengths  # a file that is missing or cut short is told of now
    for pieces in range(2, found.pieces + 1):
        _tell_counts(pieces, check(pieces, wld), is_known=pieces in KNOWN)


def _tell_counts(pieces: int, counts: Counts, *, is_known: bool) -> None:
    values = f"{counts.won:,} won, {counts.lost:,} lost, {counts.drawn:,} drawn"
    typer.echo(f"{pieces} pieces: {counts.positions:,} positions, {values}{', as known' * is_known}")


@app.command()
def probe(
    fen: Annotated[str, typer.Argument(help="A position, such as W:WK1:BK32.", show_default=False)],
    out: FolderOption = None,
) -> None:
    """Say who wins a position, in how many moves, and what each move leads to."""
    from ludus.engines.checkers.endgames import tables

    rules = GAMES["checkers"]
    position: Position = rules.notation.read_position(fen)
    found = tables.inside(out) if out else tables.load()
    if (verdict := found.of(position)) is None:
        raise BadInput(f"there are tables of up to {found.pieces} pieces; this position is not in them")
    typer.echo(f"{rules.players[position.mover]} to move: {_words(verdict)}")
    for text, worth in sorted(_worths(found, position), key=lambda pair: _rank(pair[1]), reverse=True):
        typer.echo(f"  {text}: {_words(worth)}")


def _worths(found: Tables, position: Position) -> Iterator[tuple[str, Verdict]]:
    """Each move and what it leads to, for who makes it."""
    rules = GAMES["checkers"]
    for move in rules.moves(position):
        after = found.of(rules.play(position, move))
        assert after  # a move leads to no position with more pieces
        yield rules.notation.write_move(position, move), _turned(after)


def _rank(verdict: Verdict) -> tuple[int, int]:
    """Quick wins are better than slow ones, and slow losses than quick ones."""
    return verdict.value, -verdict.plies if VALUES[verdict.value] == "won" else verdict.plies


def _turned(verdict: Verdict) -> Verdict:
    """The same from the other side, one move earlier."""
    return verdict._replace(value=4 - verdict.value, plies=verdict.plies + 1)


def _words(verdict: Verdict) -> str:
    if verdict.value == VALUES.index("drawn"):
        return "drawn"
    return f"{VALUES[verdict.value]} in {verdict.plies}"
