"""`ludus train`: makes a network by self-play."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.core.errors import BadInput

if TYPE_CHECKING:
    from ludus.training.backgammon.learner import Learner

TRAINABLE = ("backgammon",)


def refuse_other(game: str) -> str:
    if game not in TRAINABLE:
        raise typer.BadParameter(f"{game!r} cannot be trained; there is {', '.join(TRAINABLE)}.")
    return game


def train(
    game: Annotated[
        str, typer.Argument(help="Which game.", metavar="|".join(TRAINABLE), callback=refuse_other, show_default=False)
    ],
    device: Annotated[str, typer.Option(help="Where to play and learn: cpu or cuda.")] = "cpu",
    minutes: Annotated[float, typer.Option(help="Stop after so long; --resume goes on later.", min=0)] = 60.0,
    out: Annotated[Path, typer.Option(help="Folder for checkpoint, weights and curve.")] = Path("runs/backgammon"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the training in the folder.")] = False,
    seed: Annotated[int, typer.Option(help="Of dice and first weights.", min=0)] = 1,
    generations: Annotated[
        int | None, typer.Option(help="How long the whole training is; by default what suits the device.", min=1)
    ] = None,
    every: Annotated[int, typer.Option(help="Generations between two measurements.", min=1)] = 100,
) -> None:
    """Train a value network by self-play.

    The folder gets checkpoint.pt, network.npz (the weights) and curve.png.
    """
    try:
        from ludus.training.backgammon.session import open_learner
    except ModuleNotFoundError as error:
        raise BadInput(f"training needs {error.name}: pip install 'ludus[train]'") from error
    learner = open_learner(out, device, resume=resume, seed=seed, generations=generations)
    follow(learner, out, minutes, every)
    typer.echo(f"{game}: {learner.generation} of {learner.plan.generations} generations; the weights are in {out}")


def follow(learner: Learner, out: Path, minutes: float, every: int) -> None:
    """Trains with a progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    from ludus.training.backgammon.session import train as run

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task: Any = progress.add_task("training", total=learner.plan.generations, completed=learner.generation)
        run(
            learner, out, 60 * minutes, every,
            lambda now: progress.update(task, completed=now.generation),
            lambda text: typer.echo(text),
        )  # fmt: skip
