"""`ludus perft`: counts all lines of play, to be compared with published tables."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from ludus.cli.terminal import GameArgument, counted
from ludus.core.perft import Part, parts
from ludus.core.rules import Player, Rules
from ludus.games import GAMES


def perft(
    game: GameArgument,
    depth: Annotated[int, typer.Argument(help="How many moves deep.", min=0, max=24, show_default=False)],
    fen: Annotated[
        str | None, typer.Option(help="The position to count from: FEN for checkers, XGID or GNU ID for backgammon.")
    ] = None,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Count each roll as often as it falls: 36 in all, not 21.")
    ] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Run the rules in the interpreter, not compiled.")] = False,
) -> None:
    """Count all lines of play from a position.

    In backgammon a move is a whole play, white starts, and all 21 rolls are counted.
    """
    rules = GAMES[game]
    position = rules.notation.read_position(fen) if fen else start(rules)
    if not plain:
        rules = compile_rules(rules)
    began = time.perf_counter()
    total = count(rules, parts(rules, position, depth, weighted=weighted), weighted)
    took = time.perf_counter() - began
    lines = f"{counted(total, 'line')} of {counted(depth, 'move')}"
    typer.echo(f"{lines} in {took:.2f} s ({total / max(took, 1e-9):,.0f} a second)")


def start(rules: Rules[Any, Any]) -> Any:
    """The standard start; in backgammon with white on roll, as published counts have it."""
    position = rules.variants["standard"]
    return position._replace(mover=Player.FIRST) if rules.chances(position) else position


def compile_rules(rules: Rules[Any, Any]) -> Rules[Any, Any]:
    """The compiled rules, once everything in them has been compiled or loaded from the cache."""
    from rich.console import Console

    with Console(stderr=True).status(f"compiling {rules.name} (once; later runs take it from a cache)"):
        quick = rules.compiled()
        quick.perft(start(quick), 1)
    return quick


def count(rules: Rules[Any, Any], cut: list[Part[Any]], weighted: bool) -> int:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    done = track(cut, "counting", console=console, transient=True, disable=not console.is_terminal)
    return sum(part.weight * rules.perft(part.position, part.depth, weighted=weighted) for part in done)
