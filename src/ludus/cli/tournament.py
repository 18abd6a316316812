"""`ludus tournament`: programs play each other, and a cross table shows the standings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.match import CONTENDER, interruptible
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
from ludus.games import GAMES

if TYPE_CHECKING:
    from ludus.series.tournament import Task, Tournament
    from ludus.tournaments.records import Result

TITLES = {"round-robin": "round robin", "swiss": "Swiss system", "knockout": "knock-out"}


def tournament(
    game: GameArgument,
    entrants: Annotated[
        list[str],
        typer.Argument(
            metavar="ENTRANT…",
            help=f"The entrants, strongest first; list one twice to enter it twice: {CONTENDER}",
            show_default=False,
            autocompletion=complete_player,
        ),
    ],
    system: Annotated[str, typer.Option("--format", help=f"{', '.join(TITLES)}.")] = "round-robin",
    rounds: Annotated[
        int | None, typer.Option(help="Rounds of the Swiss system, or how often everyone meets everyone.", min=1)
    ] = None,
    games: Annotated[int, typer.Option(help="Games in each meeting, with sides swapped.", min=1)] = 2,
    seed: Annotated[int, typer.Option(help="Seed for dice and choices; the same seed gives the same games.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write the games to this file.")] = None,
    jobs: Annotated[int, typer.Option(help="Number of processes; 0 means one per core.", min=0)] = 1,
    opening: Annotated[int, typer.Option(help="Random moves at the start of each meeting's games.")] = 0,
    variant: Annotated[
        str, typer.Option(help="The starting position by name.", autocompletion=complete_variant)
    ] = "standard",
    match_length: MatchLengthOption = None,
    cube: CubeOption = None,
    jacoby: JacobyOption = None,
    beavers: BeaversOption = None,
    move_seconds: Annotated[float, typer.Option(help="Time limit per move for an agent at an address.")] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play a tournament between programs, without a server, and print the cross table.

    Winning more games of a meeting scores 1; an equal number is ½ for both.
    """
    from ludus.core.cores import cores
    from ludus.series.tournament import Tournament, TournamentPlan

    choices = {"match_length": match_length, "cube": cube, "jacoby": jacoby, "beavers": beavers}
    variant = GAMES[game].variant_name(variant, **choices)
    plan = TournamentPlan(game, tuple(entrants), system, rounds, games, seed, opening, variant, move_seconds)
    if out:
        refuse_unwritable(out)
    played, failure = Tournament(plan), None
    prepare(game, list(dict.fromkeys(plan.entrants)))
    try:
        with progress_bar(played) as update, interruptible():
            for task in played.run(jobs or cores()):
                update(task)
    except LudusError as error:
        failure = error
    if played.rounds or not failure:  # rounds before a failure still count
        report(played, as_json=as_json)
        if out:
            save(played, out)
    if failure:
        raise failure


@contextmanager
def progress_bar(played: Tournament) -> Iterator[Any]:
    """Shows progress on a terminal; yields a function to call with each finished game."""
    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), TextColumn("{task.completed} games"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(TITLES[played.plan.format])

        def show(task: Task) -> None:
            description = f"{TITLES[played.plan.format]}, round {task.round + 1} of {played.number_of_rounds}"
            progress.update(bar, advance=1, description=description)

        yield show


def report(played: Tournament, *, as_json: bool) -> None:
    if not played.rounds:
        raise BadInput("no round was completed")
    if as_json:
        typer.echo(json.dumps(_as_json(played), indent=1))
        return
    from ludus.series.tournament import names

    plan = played.plan
    with_options = "" if plan.variant == "standard" else f" ({plan.variant})"
    number = f"{len(played.rounds)} of {counted(played.number_of_rounds, 'round')}"
    typer.echo(
        f"{TITLES[plan.format].capitalize()} of {counted(len(plan.entrants), 'entrant')} at {plan.game}{with_options}, "
        f"{number if len(played.rounds) < played.number_of_rounds else counted(len(played.rounds), 'round')}, "
        f"{counted(plan.games, 'game')} in each meeting, seed {plan.seed}"
    )
    shown, table = names(plan), played.standings
    ranks = {row.seed: rank for rank, row in enumerate(table, 1)}
    cells = _cross_table(played, ranks) if plan.format == "round-robin" else _round_table(played, ranks)
    heads = [str(rank) for rank in range(1, len(table) + 1)] if plan.format == "round-robin" else _round_heads(played)
    rows = [["", "", "score", *heads, "Buchholz", "S-B"]]
    rows += [
        [
            str(rank),
            shown[row.seed],
            _half(row.score),
            *cells[row.seed],
            _half(row.buchholz),
            f"{row.sonneborn_berger:g}",
        ]
        for rank, row in enumerate(table, 1)
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for line in rows:
        padded = [
            cell.ljust(width) if at == 1 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        typer.echo(("  " + "  ".join(padded)).rstrip())


def _round_heads(played: Tournament) -> list[str]:
    return [f"R{number}" for number in range(1, len(played.rounds) + 1)]


def _cross_table(played: Tournament, ranks: dict[int, int]) -> list[list[str]]:
    """Each seed's scores against its opponents, in the order of the standings."""
    entrants = len(ranks)
    scores: list[list[float | None]] = [[None] * entrants for _ in range(entrants)]
    for result in _results(played):
        if result.second is not None:
            for one, two, score in (
                (result.first, result.second, result.score),
                (result.second, result.first, result.other_score),
            ):
                scores[one][ranks[two] - 1] = (scores[one][ranks[two] - 1] or 0.0) + score
    return [
        ["·" if ranks[seed] - 1 == at else "" if score is None else _half(score) for at, score in enumerate(row)]
        for seed, row in enumerate(scores)
    ]


def _round_table(played: Tournament, ranks: dict[int, int]) -> list[list[str]]:
    """For each seed and round, the opponent's place and the result: + won, = drawn, - lost."""
    cells = [[""] * len(played.rounds) for _ in ranks]
    for number, results in enumerate(played.rounds):
        for result in results:
            if result.second is None:
                cells[result.first][number] = "bye"
                continue
            cells[result.first][number] = f"{ranks[result.second]}{_sign(result.score)}"
            cells[result.second][number] = f"{ranks[result.first]}{_sign(result.other_score)}"
    return cells


def _sign(score: float) -> str:
    return "=" if score == 0.5 else "+" if score > 0.5 else "-"


def _half(score: float) -> str:
    whole, rest = divmod(score, 1)
    return f"{int(whole) or ''}½" if rest == 0.5 else str(int(whole))


def _results(played: Tournament) -> Iterator[Result]:
    return (result for results in played.rounds for result in results)


def _as_json(played: Tournament) -> dict[str, Any]:
    from ludus.series.tournament import names

    plan, shown = played.plan, names(played.plan)
    return {
        "game": plan.game,
        "variant": plan.variant,
        "format": plan.format,
        "seed": plan.seed,
        "standings": [
            {
                "rank": rank,
                "name": shown[row.seed],
                "score": row.score,
                "buchholz": row.buchholz,
                "sonnebornBerger": row.sonneborn_berger,
                "wins": row.wins,
            }
            for rank, row in enumerate(played.standings, 1)
        ],
        "rounds": [
            [
                {"first": shown[each.first], "bye": True}
                if each.second is None
                else {"first": shown[each.first], "second": shown[each.second], "score": each.score}
                for each in results
            ]
            for results in played.rounds
        ],
    }


def save(played: Tournament, out: Path) -> None:
    from ludus.series.records import game_of
    from ludus.series.tournament import names

    plan, shown = played.plan, names(played.plan)
    event = f"{TITLES[plan.format].capitalize()} of {counted(len(plan.entrants), 'entrant')}, seed {plan.seed}"
    made = []
    for meeting in played.meetings:
        first, second = meeting.pairing
        assert second is not None
        for game in meeting.games:
            tags = {"Event": event, "Round": f"{meeting.round + 1}.{game.number + 1}"}
            made.append(
                game_of(plan.meeting(meeting.round, meeting.pairing), game, (shown[first], shown[second]), tags)
            )
    try:
        out.write_text(GAMES[plan.game].notation.write_games(made), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out}: {error.strerror}") from None
    typer.echo(f"  {counted(len(made), 'game')} written to {out}", err=True)
