"""`ludus replay`: steps through a game file in the terminal."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from ludus.cli.terminal import GameOption, counted, drawn
from ludus.core.errors import BadInput, MalformedRecord
from ludus.core.game import Game
from ludus.core.notation import MOST_TEXT, Problems
from ludus.core.rules import Rules
from ludus.games import GAMES

SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out games that can't be read, and say why, instead of stopping.")
]
MOST_SHOWN = 10
"""Skipped games that are shown with their problem."""
KEYS = "Enter: next, b: back, a number: go there, e: end, f: flip, q: quit"


def replay(
    file: Annotated[Path, typer.Argument(help="A game file, such as PDN or MAT.", show_default=False)],
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Which game of the file.")] = 1,
    game: GameOption = None,
    every: Annotated[bool, typer.Option("--all", help="Print every position without prompting.")] = False,
    skip_bad: SkipBadOption = False,
) -> None:
    """Step through a recorded game."""
    record = read_game(open_file(file, game), number, skip_bad=skip_bad)
    for name, value in record.tags.items():
        typer.echo(f"{name}: {value}")
    if every or not sys.stdin.isatty():
        for ply in range(len(record.moves) + 1):
            show(record, ply, flipped=False)
    else:
        step_through(record)


class GameFile(NamedTuple):
    """Read once: a shell's `<(…)` has nothing to say the second time."""

    path: Path
    rules: Rules[Any, Any]
    text: str


def open_file(path: Path, game: str | None) -> GameFile:
    """A file of this game or, if none is named, of the one that the file's name or its contents belong to."""
    text = read_text(path)
    if game:
        return GameFile(path, GAMES[game], text)
    by_name = (rules for rules in GAMES.values() if rules.notation.suffix == path.suffix.lower())
    by_text = (rules for rules in GAMES.values() if rules.notation.recognizes(text))
    rules = next(by_name, None) or next(by_text, None)
    if rules is None:
        known = ", ".join(rules.notation.suffix for rules in GAMES.values())
        raise BadInput(
            f"{path}: the name ends in none of {known}, and the text doesn't tell either; name the game with --game"
        )
    return GameFile(path, rules, text)


def read_game(file: GameFile, number: int, *, skip_bad: bool = False) -> Game[Any, Any]:
    """Reads a file only as far as the game wanted; games that are skipped don't count."""
    from rich.console import Console

    with Console(stderr=True).status(f"reading {file.path}"):
        try:
            return nth_game(file, number, skip_bad=skip_bad)
        except MalformedRecord as error:
            raise BadInput(f"{file.path}: {error}") from error


def nth_game(file: GameFile, number: int, *, skip_bad: bool) -> Game[Any, Any]:
    skipped: Problems = []
    games = file.rules.notation.each_game(file.text, errors="skip" if skip_bad else "raise", skipped=skipped)
    read, record = 0, None
    for read, record in enumerate(islice(games, number), start=1):  # noqa: B007  # only the last one is wanted
        pass
    report_skipped(file.path, skipped)
    if record is None or read < number:
        raise BadInput(f"{file.path} has {counted(read, 'game')}; there is no number {number}")
    return record


def report_skipped(path: Path, skipped: Problems) -> None:
    if not skipped:
        return
    typer.echo(f"{path}: skipped {counted(len(skipped), 'game')}", err=True)
    for problem in skipped[:MOST_SHOWN]:
        typer.echo(f"  {problem}", err=True)
    if len(skipped) > MOST_SHOWN:
        typer.echo(f"  and {len(skipped) - MOST_SHOWN} more", err=True)


def read_text(file: Path) -> str:
    """The file's text, cut off one character past the longest that is accepted."""
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(MOST_TEXT + 1)
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None


def show(record: Game[Any, Any], ply: int, *, flipped: bool) -> None:
    rules, is_last = record.rules, ply == len(record.moves)
    marked: tuple[int, ...] = ()
    typer.echo()
    if ply:
        before, move = record.positions[ply - 1], record.moves[ply - 1]
        marked = rules.touched(before, move)
        mover = rules.turn(before).player
        who = "dice" if mover is None else rules.players[mover]
        typer.echo(f"{ply}/{len(record.moves)}  {who}: {rules.notation.write_move(before, move)}")
    if ply in record.comments:
        typer.echo(f"  ({record.comments[ply]})")
    board = rules.board(record.positions[ply], record.outcome if is_last else None)
    typer.echo(drawn(board, flipped=flipped, highlight=marked))
    if is_last:
        typer.echo(result(record))


def step_through(record: Game[Any, Any]) -> None:
    ply, flipped = 0, False
    typer.echo(KEYS)
    while True:
        show(record, ply, flipped=flipped)
        try:
            answer = input(f"{ply}/{len(record.moves)}> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
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
    """The result of a game in a sentence."""
    outcome = game.outcome
    if outcome is None:
        return "The game is not finished."
    reason = outcome.reason.replace("_", " ")
    if outcome.winner is None:
        return f"A draw: {reason}."
    points = f", {outcome.points} points" if outcome.points > 1 else ""
    return f"{game.rules.players[outcome.winner].capitalize()} wins{points}: {reason}."
