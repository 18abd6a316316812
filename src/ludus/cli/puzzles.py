"""`ludus puzzles`: mines puzzles from games, and checks them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ludus.cli.database import DatabaseOption, DataOption, open_store
from ludus.cli.match import interruptible
from ludus.cli.play import refuse_unwritable
from ludus.cli.precompile import prepare
from ludus.cli.replay import SkipBadOption, open_file, read_text, report_skipped
from ludus.cli.terminal import GameArgument, counted
from ludus.core.errors import BadInput, MalformedRecord
from ludus.core.notation import Problems
from ludus.games import GAMES

if TYPE_CHECKING:
    from ludus.puzzles.sources import Source, SourceGame

app = typer.Typer(name="puzzles", help="Mine puzzles from games, and check them.", no_args_is_help=True)

MOST_STORED: Final = 10_000
JobsOption = Annotated[int, typer.Option(help="Number of processes; 0 means one per core.", min=0)]


@app.command()
def mine(
    game: GameArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.", show_default=False)],
    number: Annotated[int, typer.Option("--number", "-n", min=1, max=100_000, help="How many to find.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed for the games; the same seed gives the same puzzles.")] = 0,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Mine the games of this file (PDN, MAT) instead of self-played ones; repeat it.",
            show_default=False,
        ),
    ] = None,
    stored: Annotated[
        bool, typer.Option("--stored", help="Mine this server's finished games, as far as they are public.")
    ] = False,
    skip_bad: SkipBadOption = False,
    jobs: JobsOption = 0,
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Find positions with one clear best move in self-played, recorded or stored games.

    Stop it at any time; what was found so far is written.
    """
    from ludus.core.cores import cores
    from ludus.engines import analyst
    from ludus.puzzles import write
    from ludus.puzzles.mining import mine as mined
    from ludus.puzzles.sources import Recorded, SelfPlay

    refuse_unwritable(out)
    analyst(game)  # raises if there is none
    source: Source = SelfPlay(game, seed)
    if files or stored:
        records = recorded(game, files or [], skip_bad=skip_bad)
        source = Recorded((*records, *(asyncio.run(stored_games(game, data, database)) if stored else ())))
    prepare(game, ["hard"])
    found, games, positions = list[Any](), 0, 0
    with progress_bar("puzzles", number) as update, interruptible("the puzzles"):
        for each in mined(game, source, jobs or cores()):
            games, positions = games + 1, positions + each.positions
            found += each.puzzles
            update(len(found), f"{counted(games, 'game')}, {counted(positions, 'position')}")
            if len(found) >= number:
                break
    save(out, write(found[:number]))
    typer.echo(
        f"{out}: {counted(len(found[:number]), 'puzzle')} from {counted(games, 'game')},"
        f" {counted(positions, 'position')}"
    )


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A file of puzzles.", show_default=False)],
    depth_factor: Annotated[
        int, typer.Option(min=1, max=1000, help="About how many times as much to search as mining does.")
    ] = 10,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write those that pass, with their new margins, to this file.")
    ] = None,
    jobs: JobsOption = 0,
) -> None:
    """Check by a deeper search that every puzzle has one best move; fails if one has not."""
    from ludus.core.cores import cores
    from ludus.puzzles import read, write
    from ludus.puzzles.checking import check as checked

    if out:
        refuse_unwritable(out)
    try:
        puzzles = read(read_text(file))
    except MalformedRecord as error:
        raise BadInput(f"{file}: {error}") from error
    for game in dict.fromkeys(puzzle.game for puzzle in puzzles):
        prepare(game, ["hard"])
    passed, failed = list[Any](), 0
    with progress_bar("checked", len(puzzles)) as update:
        for done, each in enumerate(checked(puzzles, depth_factor, jobs or cores()), 1):
            if each.problem:
                failed += 1
                typer.echo(f"{each.puzzle.id}: {each.problem}")
            else:
                passed.append(each.puzzle)
            update(done, f"{failed:,} failed")
    if out:
        save(out, write(passed))
    typer.echo(f"{file}: {len(passed):,} of {counted(len(puzzles), 'puzzle')} passed at {depth_factor} times the depth")
    if failed:
        raise typer.Exit(1)


def recorded(game: str, files: list[Path], *, skip_bad: bool) -> tuple[SourceGame, ...]:
    from ludus.puzzles.sources import SourceGame

    found = []
    for path in files:
        file, skipped = open_file(path, game), Problems()
        games = file.rules.notation.each_game(file.text, errors="skip" if skip_bad else "raise", skipped=skipped)
        try:
            for number, record in enumerate(games, 1):
                found.append(SourceGame(record.positions, f"{path.name[:100]}, game {number}"))
        except MalformedRecord as error:
            raise BadInput(f"{path}: {error}") from error
        report_skipped(path, skipped)
    return tuple(found)


async def stored_games(game: str, data: Path | None, database: str | None) -> list[SourceGame]:
    """The newest finished games of a server."""
    from ludus.core.game import Game
    from ludus.puzzles.sources import SourceGame
    from ludus.service.finished import is_listed
    from ludus.service.proof import moves
    from ludus.service.table import Opening, replayed

    found = []
    async with open_store(data, database) as (store, _):
        for row in filter(is_listed, await store.ended_tables(game, MOST_STORED)):
            events = await store.events(row.id)
            record = replayed(Game(GAMES[game], Opening.from_data(events[0].data).variant), moves(events))
            found.append(SourceGame(record.positions, f"stored game {row.id[:100]}"))
    return found


def save(out: Path, text: str) -> None:
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out}: {error.strerror}") from None


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Any]:
    """Shows progress on a terminal; yields a function to call with the number done and a remark."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done, remark: progress.update(task, completed=done, description=f"{title} ({remark})")
