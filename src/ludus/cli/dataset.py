"""`ludus dataset`: recorded games as arrays for learning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.replay import SkipBadOption, report_skipped
from ludus.cli.terminal import counted

if TYPE_CHECKING:
    from ludus.envs.dataset import Progress, Summary


def dataset(
    files: Annotated[
        list[Path],
        typer.Argument(help="Game files, such as PDN or MAT, and folders of them.", metavar="FILE", show_default=False),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder to write, which must not exist.", show_default=False)
    ],
    game: Annotated[
        str | None,
        typer.Option(help="The game or the version of its environments, such as backgammon_v0.", metavar="NAME"),
    ] = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Write what players saw and did in recorded games as memory-mapped arrays, to learn from."""
    from rich.console import Console

    from ludus.envs.dataset import GAMELESS, build

    with Console(stderr=True).status("reading") as status:

        def show(progress: Progress) -> None:
            report_skipped(progress.file, progress.problems)
            if progress.is_gameless:
                typer.echo(f"{progress.file}: {GAMELESS}", err=True)
            done = f"{progress.done:,} of {counted(progress.files, 'file')}"
            status.update(f"{done}, {counted(progress.so_far.games, 'game')}")

        summary = build(files, out, game=game, errors="skip" if skip_bad else "raise", progress=show)
    for line in lines(summary, out):
        typer.echo(line)


def lines(summary: Summary, out: Path) -> list[str]:
    found = [f"{out}: {counted(summary.games, 'game')}, {counted(summary.actions, 'action')}"]
    if summary.empty:
        found.append(f"{counted(summary.empty, 'game')} without moves left out")
    if summary.skipped:
        found.append(f"{counted(summary.skipped, 'game')} skipped, listed in {out / 'skipped.txt'}")
    if summary.gameless:
        found.append(f"{counted(summary.gameless, 'file')} without games, listed in {out / 'skipped.txt'}")
    return found
