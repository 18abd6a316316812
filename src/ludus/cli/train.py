"""`ludus train`: trains an engine's network or weights by self-play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.core.errors import BadInput, UnknownOption
from ludus.engines.trained import game_of
from ludus.training.run import Options, Run, trainable, trainer


def refuse_other(game: str) -> str:
    try:
        trainer(game)
    except UnknownOption as error:
        raise typer.BadParameter(f"{error}.") from error
    return game


def train(
    game: Annotated[str, typer.Argument(help="The game to train.", callback=refuse_other, show_default=False)],
    device: Annotated[str, typer.Option(help="Where to play and learn: cpu or, for backgammon, cuda.")] = "cpu",
    minutes: Annotated[float, typer.Option(help="Stop after about this long; --resume continues later.", min=0)] = 60.0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for checkpoint, weights and curve; runs/GAME by default.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the training in the folder.")] = False,
    seed: Annotated[int, typer.Option(help="Seed for dice and initial weights.", min=0)] = 1,
    generations: Annotated[
        int | None, typer.Option(help="Length of the whole training; by default what suits the device.", min=1)
    ] = None,
    every: Annotated[
        int | None, typer.Option(help="Generations between two measurements; 1 for checkers, 100 otherwise.", min=1)
    ] = None,
    start: Annotated[Path | None, typer.Option(help="Weights to start from; a network may be less wide.")] = None,
    width: Annotated[int | None, typer.Option(help="Backgammon: width of a new network's input layer.", min=1)] = None,
    rate: Annotated[float | None, typer.Option(help="Backgammon: initial learning rate.", min=0)] = None,
    nodes: Annotated[int | None, typer.Option(help="Checkers: nodes per move, at first.", min=1)] = None,
    games: Annotated[int | None, typer.Option(help="Checkers: games per generation.", min=1)] = None,
    kept: Annotated[
        int | None,
        typer.Option(help="Backgammon, with --start: plays of a roll to evaluate, chosen by a small network.", min=2),
    ] = None,
    deeper: Annotated[
        int | None, typer.Option(help="Backgammon, --start on a GPU: pairs a turn to decide two rolls ahead.", min=1)
    ] = None,
) -> None:
    """Train an engine by self-play.

    The folder gets a checkpoint, the weights (network.npz or weights.npz) and curve.png.
    """
    folder, own = out or Path("runs") / game, trainer(game)
    given = {"width": width, "rate": rate, "nodes": nodes, "games": games, "kept": kept, "deeper": deeper}
    if resume:
        refuse_new(start=start, **given)
    refuse_others(game, **given)
    refuse_other_weights(start, game)
    options = Options(seed, generations, start, width, rate, nodes, games, kept, deeper)
    run = Run.open(game, folder, device, options, resume=resume)
    follow(game, run, minutes, every or own.MEASURE_EVERY)
    done = f"{run.learner.generation} of {run.learner.generations} generations"
    typer.echo(f"{game}: {done}; the weights are in {folder}")


def refuse_new(**options: Any) -> None:
    """Refuses options that only a new training takes."""
    if given := [name for name, value in options.items() if value is not None]:
        raise BadInput(f"--{given[0]} is for a new training: a resumed one keeps its plan")


def refuse_others(game: str, **options: Any) -> None:
    """Refuses options that only other games take."""
    own = trainer(game).OPTIONS
    if given := [name for name, value in options.items() if value is not None and name not in own]:
        others = [other for other in trainable() if given[0] in trainer(other).OPTIONS]
        raise BadInput(f"--{given[0]} is for {', '.join(others)}, not for {game}")


def refuse_other_weights(start: Path | None, game: str) -> None:
    """Refuses another game's weights; a missing file is reported when it is read."""
    if start and start.is_file() and game_of(str(start)) != game:
        raise BadInput(f"{start} is not a weights file for {game}")


def follow(game: str, run: Run, minutes: float, every: int) -> None:
    """Trains, with a progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    learner, console = run.learner, Console(stderr=True)
    before, last = learner.generation, learner.generations
    if not learner.is_done:
        typer.echo(f"{game}: generations {before + 1} to {last}; Ctrl-C stops and keeps what was learned", err=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task: Any = progress.add_task("training", total=last, completed=before)
        run.train(
            60 * minutes, every,
            lambda now: progress.update(task, completed=now.generation + now.progress),
            typer.echo,
        )  # fmt: skip
    if learner.generation == before and not learner.is_done:
        typer.echo("no generation was finished in that time: give it more --minutes", err=True)
