"""`ludus rollout`: plays a position out many times, or compares the plays of a roll that way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from ludus.cli.analyse import read_position
from ludus.cli.match import interruptible
from ludus.cli.precompile import prepare
from ludus.cli.terminal import counted, output
from ludus.core.errors import BadInput
from ludus.core.rules import Player
from ludus.engines.estimate import DEVIATIONS, Estimate
from ludus.games import GAMES
from ludus.games.backgammon.position import Play, Position

if TYPE_CHECKING:
    from ludus.engines.backgammon.rollout import Rollout, Rollouts, Settings

GAME: Final = "backgammon"
CANDIDATES: Final = 3
CHANCES: Final = ("win", "gammon", "backgammon", "lose gammon", "lose backgammon")

app = typer.Typer()


class Candidate(NamedTuple):
    """A position to roll out; `play` leads to it, if there are several."""

    start: Position
    play: Play | None = None


@app.command()
def rollout(
    what: Annotated[str, typer.Argument(metavar="POSITION", help="An XGID or a GNU ID.", show_default=False)],
    trials: Annotated[int, typer.Option(min=1, max=1_000_000, help="Games for each position.")] = 1296,
    plies: Annotated[int, typer.Option(min=0, max=2, help="Rolls that the plays of a trial look ahead.")] = 0,
    truncate: Annotated[
        int, typer.Option(min=0, max=1000, help="Rolls after which a trial is evaluated; 0 plays it out.")
    ] = 0,
    plays: Annotated[
        list[str] | None, typer.Option("--play", help="A play of the roll to compare; repeat it.", show_default=False)
    ] = None,
    lines: Annotated[int, typer.Option(min=1, max=50, help="How many of the best plays to compare.")] = CANDIDATES,
    seed: Annotated[int, typer.Option(help="Seed for the dice; the same seed gives the same result.")] = 0,
    cores: Annotated[int, typer.Option(min=0, help="Number of processes; 0 means one per core.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play a backgammon position out many times, and take the luck of the rolls off the result.

    With dice, the best plays of the roll are compared, with the same dice for all of them.
    """
    from ludus.core.cores import cores as all_cores
    from ludus.engines.backgammon.rollout import Rollouts, Settings

    _, position = read_position(what, GAME)
    settings = Settings(trials, plies, truncate or None, seed)
    prepare(GAME, ["hard"])
    candidates = _candidates(position, plays or [], lines)
    player = position.mover or Player.FIRST
    rollouts = Rollouts([candidate.start for candidate in candidates], player, settings)
    with progress_bar(trials) as update, interruptible():
        for done in rollouts.run(cores or all_cores()):
            update(done)
    if as_json:
        typer.echo(json.dumps(_as_json(position, candidates, rollouts, settings), indent=1))
    else:
        _print(position, candidates, rollouts, settings)


def _candidates(position: Position, texts: Sequence[str], lines: int) -> list[Candidate]:
    """The position itself before the roll; after it the plays named, or else the best ones."""
    rules: Any = GAMES[GAME]
    if not position.dice:
        if texts:
            raise BadInput("--play is for a position with dice")
        return [Candidate(position)]
    if texts:
        found = dict.fromkeys(rules.notation.read_move(position, text) for text in texts)
    else:
        from ludus.engines import adapter, analyst

        best = analyst(GAME).analyse(rules, position, adapter(GAME).default_limit, (), lines)
        found = dict.fromkeys(line.move for line in best)
    afters = [Candidate(rules.play(position, play), play) for play in found]
    if any(rules.outcome(after.start) for after in afters):
        raise BadInput("a play ends the game, so there is nothing to roll out")
    return afters


@contextmanager
def progress_bar(trials: int) -> Iterator[Any]:
    """On a terminal; yields a function to call with the number of trials done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("trials", total=trials)
        yield lambda done: progress.update(task, completed=done)


def _order(rollouts: Rollouts) -> list[int]:
    """The candidates, best first."""
    results = rollouts.results
    return sorted(range(len(results)), key=lambda i: results[i].equity.mean, reverse=True)


def _print(position: Position, candidates: Sequence[Candidate], rollouts: Rollouts, settings: Settings) -> None:
    results, order = rollouts.results, _order(rollouts)
    typer.echo(_title(results[0], settings))
    if position.dice:
        _print_plays(position, candidates, rollouts, order)
    else:
        _print_position(results[0])
    for name, count in _effective_pips(position).items():
        typer.echo(f"  effective pip count of {name}: {count:.2f}")
    ratios = [result.variance_ratio for result in results if result.variance_ratio]
    if ratios:
        typer.echo(
            f"  95 % error bars; each trial says as much as {min(ratios):,.0f} would without the adjustment for luck"
        )


def _title(result: Rollout, settings: Settings) -> str:
    until = f"{counted(settings.truncate, 'roll')} each" if settings.truncate else "played out"
    ahead = f"plays {counted(settings.plies, 'roll')} ahead" if settings.plies else "plays at sight"
    return f"{counted(result.trials, 'trial')}, {until}, {ahead}, without the cube, seed {settings.seed}"


def _print_position(result: Rollout) -> None:
    typer.echo(f"  equity  {_bar(result.equity)}, with the luck of the rolls {_bar(result.plain_equity)}")
    chances, errors = result.chances, result.errors
    lose = 1 - chances.win, *chances[3:]
    for name, shares, spreads in (("win", chances[:3], errors[:3]), ("lose", lose, (errors.win, *errors[3:]))):
        texts = [
            f"{100 * share:.2f} % ± {100 * DEVIATIONS * error:.2f}"
            for share, error in zip(shares, spreads, strict=True)
        ]
        typer.echo(f"  {name:6}  {texts[0]}, gammon {texts[1]}, backgammon {texts[2]}")


def _print_plays(position: Position, candidates: Sequence[Candidate], rollouts: Rollouts, order: Sequence[int]) -> None:
    from rich.table import Table

    results, table = rollouts.results, Table(box=None, pad_edge=False)
    for head in ("play", "equity", "behind", *CHANCES):
        table.add_column(head, justify="left" if head == "play" else "right")
    for i in order:
        behind = "" if i == order[0] else _bar(rollouts.difference(i, order[0]))
        shares = (f"{100 * chance:.1f}" for chance in results[i].chances)
        table.add_row(_play_text(position, candidates[i]), _bar(results[i].equity), behind, *shares)
    output().print(table)


def _play_text(position: Position, candidate: Candidate) -> str | None:
    return candidate.play and GAMES[GAME].notation.write_move(position, candidate.play)


def _bar(estimate: Estimate) -> str:
    if estimate.error is None:
        return f"{estimate.mean:+.4f}"
    return f"{estimate.mean:+.4f} ± {DEVIATIONS * estimate.error:.4f}"


def _effective_pips(position: Position) -> dict[str, float]:
    """Of the sides that are bearing off."""
    from ludus.engines.backgammon.tables import effective_pips

    sides = zip(GAMES[GAME].players, (position.white, position.black), strict=True)
    return {name: count for name, men in sides if (count := effective_pips(men)) is not None}


def _as_json(
    position: Position, candidates: Sequence[Candidate], rollouts: Rollouts, settings: Settings
) -> dict[str, Any]:
    results, order = rollouts.results, _order(rollouts)
    return {
        "trials": results[0].trials,
        "plies": settings.plies,
        "truncate": settings.truncate,
        "seed": settings.seed,
        "effectivePips": {name: round(count, 4) for name, count in _effective_pips(position).items()},
        "results": [
            {
                "play": _play_text(position, candidates[i]),
                "equity": _estimate(results[i].equity),
                "plainEquity": _estimate(results[i].plain_equity),
                "difference": _estimate(rollouts.difference(i, order[0])),
                "chances": [round(chance, 6) for chance in results[i].chances],
                "errors": [round(error, 6) for error in results[i].errors],
            }
            for i in order
        ],
    }


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    return {"mean": round(estimate.mean, 6), "error": None if estimate.error is None else round(estimate.error, 6)}
