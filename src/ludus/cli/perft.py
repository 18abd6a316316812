"""`ludus perft`: counts all lines of play, to compare with published tables."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from ludus.cli.terminal import GameArgument, counted
from ludus.core.perft import Part, parts
from ludus.core.rules import Rules
from ludus.games import ABOUT, GAMES


def perft(
    game: GameArgument,
    depth: Annotated[int, typer.Argument(help="How many moves deep.", min=0, max=24, show_default=False)],
    fen: Annotated[
        str | None, typer.Option(help="The position to count from: FEN (checkers), XGID or GNU ID (backgammon).")
    ] = None,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Weight each roll by its probability: 36 rolls, not 21.")
    ] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Run the rules in the interpreter, not compiled.")] = False,
) -> None:
    """Count all lines of play from a position.

    In a game with dice every roll is counted once; in backgammon white starts and a move is a whole play.
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
    """The position from which published counts start."""
    text = ABOUT[rules.name].perft_start
    return rules.notation.read_position(text) if text else rules.variants["standard"]


def compile_rules(rules: Rules[Any, Any]) -> Rules[Any, Any]:
    """Returns once everything is compiled or loaded from the cache."""
    from rich.console import Console

    with Console(stderr=True).status(f"compiling {rules.name} (once; later runs use the cache)"):
        quick = rules.compiled()
        quick.perft(start(quick), 1)
    return quick


def count(rules: Rules[Any, Any], cut: list[Part[Any]], weighted: bool) -> int:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    done = track(cut, "counting", console=console, transient=True, disable=not console.is_terminal)
    return sum(part.weight * rules.perft(part.position, part.depth, weighted=weighted) for part in done)
