"""`ludus match`: plays two programs against each other and reports the score with its error bars."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.play import refuse_unwritable
from ludus.cli.precompile import prepare
from ludus.cli.terminal import (
    BeaversOption,
    CubeOption,
    GameArgument,
    JacobyOption,
    MatchLengthOption,
    complete_player,
    complete_variant,
    counted,
)
from ludus.core.errors import BadInput, LudusError
from ludus.core.rules import Player
from ludus.engines import adapter
from ludus.engines.levels import LEVELS
from ludus.games import ABOUT, GAMES

if TYPE_CHECKING:
    from ludus.engines.estimate import Estimate
    from ludus.series.plan import Plan, Played
    from ludus.series.score import Count, Score

CONTENDER = (
    f"{', '.join(LEVELS)}, random, a policy or weights (.npz), module:function, or an agent's http(s)://address."
)


def match(
    game: GameArgument,
    one: Annotated[
        str,
        typer.Argument(
            metavar="A", help=f"A contender: {CONTENDER}", show_default=False, autocompletion=complete_player
        ),
    ],
    two: Annotated[
        str,
        typer.Argument(
            metavar="B",
            help="The other one, named the same way.",
            show_default=False,
            autocompletion=complete_player,
        ),
    ],
    games: Annotated[int, typer.Option(help="Number of games; must be even.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed for dice and choices; the same seed gives the same games.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write the games to this file.")] = None,
    jobs: Annotated[int, typer.Option(help="Number of processes; 0 means one per core.", min=0)] = 1,
    opening: Annotated[int, typer.Option(help="Random moves at the start of each pair of games.")] = 0,
    variant: Annotated[
        str, typer.Option(help="The starting position by name.", autocompletion=complete_variant)
    ] = "standard",
    match_length: MatchLengthOption = None,
    cube: CubeOption = None,
    jacoby: JacobyOption = None,
    beavers: BeaversOption = None,
    move_seconds: Annotated[float, typer.Option(help="Time limit per move for an agent at an address.")] = 60.0,
) -> None:
    """Play a series of games between two programs, without a server.

    Games come in pairs with sides swapped and, in backgammon, the same dice.
    """
    from ludus.core.cores import cores
    from ludus.series.plan import Plan
    from ludus.series.run import play
    from ludus.series.score import Score

    choices = {"match_length": match_length, "cube": cube, "jacoby": jacoby, "beavers": beavers}
    variant = GAMES[game].variant_name(variant, **choices)
    plan = Plan(game, (one, two), games, seed, opening, variant, move_seconds)
    if out:
        refuse_unwritable(out)
    score, played, failure = Score(), list[Any](), None
    pairs = play(plan, jobs or cores())
    prepare(game, [*plan.contenders, *(["hard"] if adapter(game).luck else [])])
    try:
        with progress_bar(plan) as update, interruptible():
            for pair in pairs:
                score.add(pair)
                played += pair if out else ()
                update(score)
    except LudusError as error:
        failure = error
    if score.games or not failure:  # games before a failure still count
        report(plan, score)
        if out:
            save(plan, played, out)
    if failure:
        raise failure


@contextmanager
def interruptible(results: str = "the games") -> Iterator[None]:
    """Ctrl-C ends the series but still prints the report."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"stopped; here are {results} so far", err=True)


@contextmanager
def progress_bar(plan: Plan) -> Iterator[Any]:
    """Shows the score so far on a terminal; yields a function to call with each new score."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title(plan), total=plan.games)

        def show(score: Score) -> None:
            description = f"{title(plan)}  {results(plan, score.count())}  {percent(score.share)}"
            progress.update(task, completed=score.games, description=description)

        yield show


def title(plan: Plan) -> str:
    from ludus.series.contender import display_name

    return " - ".join(map(display_name, plan.contenders))


def report(plan: Plan, score: Score) -> None:
    if not score.games:
        raise BadInput("no pair of games was completed")
    rules = GAMES[plan.game]
    with_options = "" if plan.variant == "standard" else f" ({plan.variant})"
    typer.echo(f"{title(plan)}: {_number(plan, score.games)} of {plan.game}{with_options}, seed {plan.seed}")
    lines = {"result": results(plan, score.count()), "score": share_text(score), "Elo": elo_text(score)}
    if plan.is_match:
        lines |= {"won": won_text(score.share_estimate)}
    elif rules.most_points > 1:
        lines |= {"points": points_text(score.points)}
    if score.adjusted is not None:
        lines |= {"without luck": adjusted_text(plan, score.adjusted)}
    if rules.most_points > 1 and not plan.is_match:
        lines |= {f"{name}s": wins_text(score, points) for points, name in enumerate(ABOUT[plan.game].wins[1:], 2)}
    lines |= {f"as {rules.players[player]}": results(plan, score.count([player])) for player in Player}
    for name, text in lines.items():
        typer.echo(f"  {name:12} {text}")
    if (number := score.different_games) < score.games:
        few = f"Only {counted(number, 'different game')} among them"
        typer.echo(f"  {few}; --opening N varies the openings.")


def results(plan: Plan, count: Count) -> str:
    drawn = f"={count.drawn} " if GAMES[plan.game].has_draws else ""
    return f"+{count.won} {drawn}-{count.lost}"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def share_text(score: Score) -> str:
    low, high = score.interval
    return f"{percent(score.share)} (95 %: {100 * low:.1f} to {100 * high:.1f})"


def elo_text(score: Score) -> str:
    from ludus.series.score import elo

    low, high = score.interval
    return f"{signed(elo(score.share))} (95 %: {signed(elo(low))} to {signed(elo(high))})"


def signed(value: float) -> str:
    return f"{'+' if value > 0 else '-'}∞" if math.isinf(value) else f"{value:+.0f}"


def points_text(points: Estimate) -> str:
    mean, error = points
    return f"{mean:+.3f} a game" if error is None else f"{mean:+.3f} ± {error:.3f} a game (standard error)"


def won_text(share: Estimate) -> str:
    mean, error = share
    return percent(mean) if error is None else f"{percent(mean)} ± {100 * error:.1f} (standard error)"


def adjusted_text(plan: Plan, adjusted: Estimate) -> str:
    return won_text(adjusted._replace(mean=adjusted.mean + 0.5)) if plan.is_match else points_text(adjusted)


def _number(plan: Plan, number: int) -> str:
    """The number of games or matches; a series has at least two."""
    return f"{number:,} matches" if plan.is_match else counted(number, "game")


def wins_text(score: Score, points: int) -> str:
    return "+{} -{}".format(*score.worth(points))


def save(plan: Plan, played: list[Played], out: Path) -> None:
    from ludus.series.records import write

    try:
        out.write_text(write(plan, played), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out}: {error.strerror}") from None
    typer.echo(f"  {_number(plan, len(played))} written to {out}")
