"""`ludus rollout`: plays a position out many times, or compares the plays of a roll that way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from ludus.cli.annotated import cube_to_json
from ludus.cli.match import interruptible
from ludus.cli.precompile import prepare
from ludus.cli.terminal import counted, output
from ludus.core.errors import BadInput
from ludus.engines import adapter, analyst
from ludus.engines.estimate import DEVIATIONS, Estimate
from ludus.games import GAMES
from ludus.games.backgammon.position import Cube, CubeAction, Position, Stage

if TYPE_CHECKING:
    from ludus.engines.backgammon.rollout import Rollout, Rollouts, Settings

GAME: Final = "backgammon"
CANDIDATES: Final = 3
CUBE_MOVES: Final = ("no double", "double, take")
BEST: Final = {CubeAction.NO_DOUBLE: "no double", CubeAction.DOUBLE: "double"}
ANSWERS: Final = {CubeAction.TAKE: "taken", CubeAction.DROP: "dropped", CubeAction.BEAVER: "beavered"}
BEAVER: Final = "double, beaver"
CHANCES: Final = ("win", "gammon", "backgammon", "lose gammon", "lose backgammon")

app = typer.Typer()


class Candidate(NamedTuple):
    """A position to roll out, and the play or the decision about the cube that leads to it."""

    start: Position
    move: str | None = None


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
    cube: Annotated[
        bool | None,
        typer.Option("--cube/--no-cube", help="Use the cube in trials; by default, if the position has one."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for the dice; the same seed gives the same result.")] = 0,
    cores: Annotated[int, typer.Option(min=0, help="Number of processes; 0 means one per core.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play a backgammon position out many times, and take the luck of the rolls off the result.

    With dice, the best plays of the roll are compared, with the same dice for all of them. Where the player on roll may
    double, no double is compared with a double that is taken.
    """
    from ludus.core.cores import cores as all_cores
    from ludus.engines.backgammon.rollout import Rollouts, Settings

    position: Any = GAMES[GAME].notation.read_position(what)
    if cube is not None:
        position = position._replace(cube=(position.cube or Cube()) if cube else None)
    settings = Settings(trials, plies, truncate or None, seed=seed)
    prepare(GAME, ["hard"])
    candidates = _candidates(position, plays or [], lines)
    rollouts = Rollouts([candidate.start for candidate in candidates], position, settings)
    with progress_bar(trials) as update, interruptible("the trials"):
        for done in rollouts.run(cores or all_cores()):
            update(done)
    if as_json:
        typer.echo(json.dumps(_as_json(position, candidates, rollouts, settings), indent=1))
    else:
        _print(position, candidates, rollouts, settings)


def _candidates(position: Position, texts: Sequence[str], lines: int) -> list[Candidate]:
    """The plays named, or else the best ones; before the roll, the decision about the cube or the position itself."""
    if position.dice:
        return _plays(position, texts, lines)
    from ludus.engines.backgammon.rollout import cube_starts

    if texts:
        raise BadInput("--play is for a position with dice")
    starts = cube_starts(position)
    return [Candidate(position)] if starts is None else list(map(Candidate, starts, CUBE_MOVES))


def _plays(position: Position, texts: Sequence[str], lines: int) -> list[Candidate]:
    rules: Any = GAMES[GAME]
    if texts:
        plays = dict.fromkeys(rules.notation.read_move(position, text) for text in texts)
    else:
        best = analyst(GAME).analyse(rules, position, adapter(GAME).default_limit, (), lines)
        plays = dict.fromkeys(line.move for line in best)
    men_only = position._replace(match=None)  # a play that ends a game would start the match's next one
    afters = [rules.play(men_only, play) for play in plays]
    if all(map(rules.outcome, afters)):
        raise BadInput("every play ends the game, so there is nothing to roll out")
    write = rules.notation.write_move
    pairs = zip(afters, plays, strict=True)
    return [Candidate(after._replace(match=position.match), write(position, play)) for after, play in pairs]


@contextmanager
def progress_bar(trials: int) -> Iterator[Any]:
    """Shows progress on a terminal; yields a function to call with the number of trials done."""
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
    results = rollouts.results
    typer.echo(_title(position, results[0], settings))
    if len(candidates) == 1 and not position.dice:
        _print_position(results[0])
    else:
        _print_candidates(candidates, rollouts)
    if _is_cube_decision(position, candidates):
        _print_decision(position, rollouts)
    study = adapter(GAME).study
    for remark in study.remarks(position) if study else ():
        typer.echo(f"  {remark}")
    ratios = [result.variance_ratio for result in results if result.variance_ratio]
    if ratios:
        typer.echo(
            f"  95 % error bars; each trial says as much as {min(ratios):,.0f} would without the adjustment for luck"
        )


def _title(position: Position, result: Rollout, settings: Settings) -> str:
    until = f"{counted(settings.truncate, 'roll')} each" if settings.truncate else "played out"
    ahead = f"plays {counted(settings.plies, 'roll')} ahead" if settings.plies else "plays at sight"
    cube = "without the cube" if position.cube is None else "with the cube"
    return f"{counted(result.trials, 'trial')}, {until}, {ahead}, {cube}, seed {settings.seed}"


def _print_position(result: Rollout) -> None:
    """Prints a position. Because of its error an estimate may be below zero; zero is shown. One trial has no error."""
    typer.echo(f"  equity  {_bar(result.equity)}, with the luck of the rolls {_bar(result.plain_equity)}")
    chances, errors = result.chances, result.errors
    lose = 1 - chances.win, *chances[3:]
    for name, shares, spreads in (("win", chances[:3], errors[:3]), ("lose", lose, (errors.win, *errors[3:]))):
        bars = [f" ± {100 * DEVIATIONS * error:.2f}" if result.trials > 1 else "" for error in spreads]
        texts = [f"{100 * max(share, 0.0):.2f} %{bar}" for share, bar in zip(shares, bars, strict=True)]
        typer.echo(f"  {name:6}  {texts[0]}, gammon {texts[1]}, backgammon {texts[2]}")


def _print_candidates(candidates: Sequence[Candidate], rollouts: Rollouts) -> None:
    from rich.table import Table

    results, order, table = rollouts.results, _order(rollouts), Table(box=None, pad_edge=False)
    table.add_column("", min_width=len(BEAVER) if rollouts.has_beavers else None)
    for head in ("equity", "behind", *CHANCES):
        table.add_column(head, justify="right")
    for i in order:
        behind = "" if i == order[0] else _bar(rollouts.difference(i, order[0]))
        shares = (f"{100 * max(chance, 0.0):.1f}" for chance in results[i].chances)
        table.add_row(candidates[i].move, _bar(results[i].equity), behind, *shares)
    output().print(table)


def _is_cube_decision(position: Position, candidates: Sequence[Candidate]) -> bool:
    """Whether it is a decision about the cube, not plays of a roll or a position in which no one may double."""
    return not position.dice and len(candidates) > 1


def _print_decision(position: Position, rollouts: Rollouts) -> None:
    """Prints the decision. A dropped double wins the cube's value, so the others are compared with 1."""
    from ludus.engines.backgammon.rollout import cube_result

    found = cube_result(rollouts)
    if found.double_beaver is not None:
        typer.echo(f"{BEAVER}  {_bar(found.double_beaver)}")
    typer.echo(f"{'double, pass':<{len(BEAVER) if found.has_beavers else 0}}  {found.double_pass:+.4f}")
    best = "too good to double" if found.is_too_good else BEST[found.best]
    typer.echo(f"  best: {best}; a double should be {ANSWERS[found.response]}")
    if _is_beavered(position):
        typer.echo(f"  this beaver should be {ANSWERS[found.beaver_response]}")


def _is_beavered(position: Position) -> bool:
    """Whether a beaver awaits an answer."""
    return position.cube is not None and position.cube.stage is Stage.BEAVERED


def _bar(estimate: Estimate) -> str:
    if estimate.error is None:
        return f"{estimate.mean:+.4f}"
    return f"{estimate.mean:+.4f} ± {DEVIATIONS * estimate.error:.4f}"


def _effective_pips(position: Position) -> dict[str, float]:
    """The effective pip counts of the sides that are bearing off."""
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
        "cube": position.cube is not None,
        "seed": settings.seed,
        "decision": _decision_to_json(position, rollouts) if _is_cube_decision(position, candidates) else None,
        "effectivePips": {name: round(count, 4) for name, count in _effective_pips(position).items()},
        "results": [
            {
                "move": candidates[i].move,
                "equity": _estimate(results[i].equity),
                "plainEquity": _estimate(results[i].plain_equity),
                "difference": _estimate(rollouts.difference(i, order[0])),
                "chances": [round(chance, 6) for chance in results[i].chances],
                "errors": [round(error, 6) for error in results[i].errors] if results[i].trials > 1 else None,
            }
            for i in order
        ],
    }


def _decision_to_json(position: Position, rollouts: Rollouts) -> dict[str, Any]:
    """The same as `cube` in `ludus analyse --json` (here `cube` is a setting), and the answer to an open beaver."""
    from ludus.engines.backgammon.rollout import cube_result

    found = cube_result(rollouts)
    answer = found.beaver_response.value if _is_beavered(position) else None
    return cube_to_json(found.equities) | {"beaver_response": answer}


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    return {"mean": round(estimate.mean, 6), "error": None if estimate.error is None else round(estimate.error, 6)}
