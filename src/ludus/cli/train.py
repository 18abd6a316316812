"""`ludus train`: makes a network, or the weights of an evaluation, by self-play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.core.errors import BadInput
from ludus.players.trained import game_of

TRAINABLE = ("checkers", "backgammon")


def refuse_other(game: str) -> str:
    if game not in TRAINABLE:
        raise typer.BadParameter(f"{game!r} cannot be trained; there is {', '.join(TRAINABLE)}.")
    return game


def train(
    game: Annotated[
        str, typer.Argument(help="Which game.", metavar="|".join(TRAINABLE), callback=refuse_other, show_default=False)
    ],
    device: Annotated[str, typer.Option(help="Where to play and learn: cpu or, for backgammon, cuda.")] = "cpu",
    minutes: Annotated[float, typer.Option(help="Stop after about so long; --resume goes on later.", min=0)] = 60.0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for checkpoint, weights and curve; runs/GAME by default.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the training in the folder.")] = False,
    seed: Annotated[int, typer.Option(help="Of dice and first weights.", min=0)] = 1,
    generations: Annotated[
        int | None, typer.Option(help="How long the whole training is; by default what suits the device.", min=1)
    ] = None,
    every: Annotated[
        int | None, typer.Option(help="Generations between two measurements; 1 for checkers, 100 else.", min=1)
    ] = None,
    start: Annotated[Path | None, typer.Option(help="Weights to begin with; a network may be less wide.")] = None,
    width: Annotated[int | None, typer.Option(help="Of a new network's wide layer.", min=1)] = None,
    rate: Annotated[float | None, typer.Option(help="Of learning, at the beginning.", min=0)] = None,
    nodes: Annotated[int | None, typer.Option(help="Checkers: positions a move, at first.", min=1)] = None,
    games: Annotated[int | None, typer.Option(help="Checkers: games of a generation.", min=1)] = None,
) -> None:
    """Train an engine by self-play.

    The folder gets a checkpoint, the weights (network.npz or weights.npz) and curve.png.
    """
    folder = out or Path("runs") / game
    if resume:
        given = {"start": start, "width": width, "rate": rate, "nodes": nodes, "games": games}
        refuse_given("a training goes on as it began", "a new one", **given)
    refuse_other_weights(start, game)
    learner: Any
    try:
        if game == "checkers":
            refuse_given("checkers has no network", "backgammon", width=width, rate=rate)
            from ludus.training.checkers import session

            asked = session.Wish(seed, generations, start, nodes, games)
            learner = session.open_learner(folder, device, asked, resume=resume)
        else:
            refuse_given("backgammon is not learned by search", "checkers", nodes=nodes, games=games)
            from ludus.training.backgammon.session import Wish, open_learner

            wish = Wish(seed=seed, generations=generations, start=start, width=width, rate=rate)
            learner = open_learner(folder, device, wish, resume=resume)
    except ModuleNotFoundError as error:
        raise BadInput(f"training needs {error.name}: pip install 'ludus[train]'") from error
    follow(game, learner, folder, minutes, every or (1 if game == "checkers" else 100))
    typer.echo(f"{game}: {learner.generation} of {learner.plan.generations} generations; the weights are in {folder}")


def refuse_other_weights(start: Path | None, game: str) -> None:
    """A file that is not there is told of where it is read."""
    if start and start.is_file() and game_of(str(start)) != game:
        raise BadInput(f"{start} is no file of weights for {game}")


def refuse_given(why: str, where: str, **options: Any) -> None:
    """Options that mean something only there."""
    if given := [name for name, value in options.items() if value is not None]:
        raise BadInput(f"{why}: --{given[0]} is for {where}")


def follow(game: str, learner: Any, out: Path, minutes: float, every: int) -> None:
    """Trains with a progress bar on a terminal."""
    from importlib import import_module

    from rich.console import Console
    from rich.progress import Progress

    run = import_module(f"ludus.training.{game}.session").train
    console = Console(stderr=True)
    before, last = learner.generation, learner.plan.generations
    if not learner.is_done:
        typer.echo(f"{game}: generations {before + 1} to {last}; Ctrl-C stops and keeps what was learned", err=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task: Any = progress.add_task("training", total=learner.plan.generations, completed=learner.generation)
        run(
            learner, out, 60 * minutes, every,
            lambda now: progress.update(task, completed=now.generation + now.part),
            lambda text: typer.echo(text),
        )  # fmt: skip
    if learner.generation == before and not learner.is_done:
        typer.echo("no generation was finished in that time: give it more --minutes", err=True)
