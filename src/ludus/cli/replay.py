"""`ludus replay`: steps through a game file in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.terminal import GameName, has_colour
from ludus.core.errors import LudusError
from ludus.core.game import Game
from ludus.core.rules import Player, Rules
from ludus.games import GAMES
from ludus.games.backgammon.position import Play
from ludus.games.checkers.position import Move

KEYS = "Enter next, b back, a number goes there, e end, f flip, q quit"
MOST_BYTES = 4_000_000


def replay(
    file: Annotated[Path, typer.Argument(help="A PDN or MAT file.", show_default=False)],
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Which game of the file.")] = 1,
    game: Annotated[GameName | None, typer.Option(help="The game, where the file's name does not tell.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Print every position, without asking.")] = False,
) -> None:
    """Step through a recorded game."""
    rules = rules_for(file, game)
    games = rules.notation.read_games(read_text(file))
    if number > len(games):
        raise LudusError(f"{file} has {len(games)} games, so there is no number {number}")
    record = games[number - 1]
    for name, value in record.tags.items():
        typer.echo(f"{name}: {value}")
    if every or not sys.stdin.isatty():
        for ply in range(len(record.moves) + 1):
            show(record, ply, flipped=False)
    else:
        step_through(record)


def rules_for(file: Path, game: GameName | None) -> Rules[Any, Any]:
    if game:
        return GAMES[game]
    for rules in GAMES.values():
        if rules.notation.suffix == file.suffix.lower():
            return rules
    known = ", ".join(rules.notation.suffix for rules in GAMES.values())
    raise LudusError(f"{file}: the name ends in none of {known}; say which game it is with --game")


def read_text(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise LudusError(f"{file} is larger than {MOST_BYTES:,} bytes")
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise LudusError(f"{file}: {error.strerror}") from None


def show(record: Game[Any, Any], ply: int, *, flipped: bool) -> None:
    rules = record.rules
    typer.echo()
    if ply:
        before = record.positions[ply - 1]
        mover = rules.turn(before).player
        who = "dice" if mover is None else rules.players[mover]
        typer.echo(f"{ply}/{len(record.moves)}  {who}: {rules.notation.write_move(before, record.moves[ply - 1])}")
    if ply in record.comments:
        typer.echo(f"  ({record.comments[ply]})")
    marked = touched(record, ply)
    typer.echo(rules.board(record.positions[ply]).text(colour=has_colour(), flipped=flipped, highlight=marked))
    if ply == len(record.moves):
        typer.echo(result(record))


def touched(record: Game[Any, Any], ply: int) -> list[int]:
    """The squares or points of the last move, as the board numbers them."""
    match record.moves[ply - 1] if ply else None:
        case Move(path):
            return list(path)
        case Play(steps):
            points = {point for step in steps for point in step if point in range(1, 25)}
            is_black = record.positions[ply - 1].mover is Player.SECOND
            return [25 - point if is_black else point for point in points]
    return []


def step_through(record: Game[Any, Any]) -> None:
    ply, flipped = 0, False
    typer.echo(KEYS)
    while True:
        show(record, ply, flipped=flipped)
        try:
            answer = input(f"{ply}/{len(record.moves)}> ").strip().lower()
        except EOFError:
            return
        if answer.startswith("q"):
            return
        flipped ^= answer == "f"
        ply = max(0, min(len(record.moves), _goal(answer, ply, len(record.moves))))


def _goal(answer: str, ply: int, last: int) -> int:
    if answer.isascii() and answer.isdigit():
        return int(answer[:6])
    match answer:
        case "":
            return ply + 1
        case "b":
            return ply - 1
        case "e":
            return last
        case "f":
            return ply
    typer.echo(KEYS)
    return ply


def result(game: Game[Any, Any]) -> str:
    """How a game stands or ended, in a sentence."""
    outcome = game.outcome
    if outcome is None:
        return "The game is not finished."
    reason = outcome.reason.replace("_", " ")
    if outcome.winner is None:
        return f"A draw: {reason}."
    points = f", {outcome.points} points" if outcome.points > 1 else ""
    return f"{game.rules.players[outcome.winner].capitalize()} wins{points}: {reason}."
