"""`ludus replay`: steps through a game file in the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from ludus.cli.terminal import GameOption, counted, drawn
from ludus.core.errors import BadInput, MalformedRecord
from ludus.core.game import Game
from ludus.core.notation import MOST_BYTES, Problems, decode
from ludus.core.rules import Rules
from ludus.games import GAMES, find_game

SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out games that can't be read, and say why, instead of stopping.")
]
MOST_SHOWN = 10
"""The most skipped games that are shown with their problem."""
KEYS = "Enter: next, b: back, a number: go there, g2: second game of a match, e: end, f: flip, q: quit"

GAME_KEY = re.compile("g[0-9]{1,3}")


def replay(
    file: Annotated[Path, typer.Argument(help="A game file, such as PDN or MAT.", show_default=False)],
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Which game in the file.")] = 1,
    game: GameOption = None,
    every: Annotated[bool, typer.Option("--all", help="Print every position without prompting.")] = False,
    skip_bad: SkipBadOption = False,
) -> None:
    """Step through a recorded game."""
    record = read_game(open_file(file, game), number, skip_bad=skip_bad)
    for name, value in record.tags.items():
        typer.echo(f"{name}: {value}")
    list_games(record)
    if every or not sys.stdin.isatty():
        for ply in range(len(record.moves) + 1):
            show(record, ply, flipped=False)
    else:
        step_through(record)


class GameFile(NamedTuple):
    """A game file, read only once, since a shell's `<(…)` is empty the second time."""

    path: Path
    rules: Rules[Any, Any]
    text: str


def open_file(path: Path, game: str | None) -> GameFile:
    """A file of this game or, if none is named, of the game that the file's name or its contents indicate."""
    text = read_text(path)
    if game:
        return GameFile(path, GAMES[game], text)
    rules = find_game(path.name, text)
    if rules is None:
        known = ", ".join(rules.notation.suffix for rules in GAMES.values())
        raise BadInput(
            f"{path}: the name ends in none of {known}, and the text doesn't tell either; name the game with --game"
        )
    return GameFile(path, rules, text)


def read_game(file: GameFile, number: int, *, skip_bad: bool = False) -> Game[Any, Any]:
    """Reads a file only up to the game with this number; skipped games don't count."""
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
    if _goes_on(record, games):
        typer.echo(f"{file.path}: the match goes on in another record: --number {number + 1}", err=True)
    return record


def _goes_on(record: Game[Any, Any], rest: Iterator[Game[Any, Any]]) -> bool:
    """Whether the next record continues the same match, which can't be one record if games are missing from it."""
    score, names = record.rules.score, ("White", "Black")
    if record.outcome or score(record.position) is None:
        return False
    with suppress(MalformedRecord):
        for following in islice(rest, 1):
            is_fresh = following.variant is not None or score(following.start) is None
            return not is_fresh and all(following.tags.get(name) == record.tags.get(name) for name in names)
    return False


def report_skipped(path: Path, skipped: Sequence[object]) -> None:
    if not skipped:
        return
    typer.echo(f"{path}: skipped {counted(len(skipped), 'game')}", err=True)
    for problem in skipped[:MOST_SHOWN]:
        typer.echo(f"  {problem}", err=True)
    if len(skipped) > MOST_SHOWN:
        typer.echo(f"  and {len(skipped) - MOST_SHOWN} more", err=True)


def read_text(file: Path) -> str:
    """The file's text, as far as needed to notice that it is too long."""
    try:
        with file.open("rb") as opened:
            return decode(opened.read(MOST_BYTES))
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None


def show(record: Game[Any, Any], ply: int, *, flipped: bool) -> None:
    rules, is_last = record.rules, ply == record.length
    marked: tuple[int, ...] = ()
    typer.echo()
    if ply:
        before, move = record.position_at(ply - 1), record.move_at(ply - 1)
        marked = rules.touched(before, move)
        mover = rules.maker(before, move)
        who = "dice" if mover is None else rules.players[mover]
        typer.echo(f"{ply}/{record.length}  {who}: {rules.notation.write_move(before, move)}")
    if ply in record.comments:
        typer.echo(f"  ({record.comments[ply]})")
    if ended := result_of_game(record, ply):
        typer.echo(ended)
    board = rules.board(record.position_at(ply), record.outcome if is_last else None)
    typer.echo(drawn(board, flipped=flipped, highlight=marked))
    if is_last:
        typer.echo(result(record))


def list_games(record: Game[Any, Any]) -> None:
    """The games of a match, each with the number of its last move."""
    for number, ply in enumerate(game_ends(record), start=1):
        typer.echo(f"Game {number}, to move {ply}: {result_of_game(record, ply)}")


def game_ends(record: Game[Any, Any]) -> list[int]:
    """The numbers of the moves that ended the games of a match."""
    return [ply for ply in range(1, record.length + 1) if result_of_game(record, ply)]


def step_through(record: Game[Any, Any]) -> None:
    ply, flipped = 0, False
    typer.echo(KEYS)
    while True:
        show(record, ply, flipped=flipped)
        try:
            answer = input(f"{ply}/{record.length}> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            return
        if answer.startswith("q"):
            return
        flipped ^= answer == "f"
        ply = max(0, min(record.length, _goal(answer, ply, record)))


def _goal(answer: str, ply: int, record: Game[Any, Any]) -> int:
    if answer.isascii() and answer.isdigit():
        return int(answer[:6])
    if GAME_KEY.fullmatch(answer):
        starts = [0, *game_ends(record)]
        return starts[max(0, min(len(starts), int(answer[1:])) - 1)]
    match answer:
        case "":
            return ply + 1
        case "b":
            return ply - 1
        case "e":
            return record.length
        case "f":
            return ply
    typer.echo(KEYS)
    return ply


def result_of_game(record: Game[Any, Any], ply: int) -> str:
    """How the move before this ply ended a game of a match, in a sentence; empty if it didn't."""
    if not ply:
        return ""
    rules, after = record.rules, record.position_at(ply)
    outcome = rules.game_ended(record.position_at(ply - 1), record.move_at(ply - 1), after)
    if outcome is None or outcome.winner is None:
        return ""
    points, reason = counted(outcome.points, "point"), outcome.reason.replace("_", " ")
    score = rules.score(after) or (0, 0)
    standing = ", ".join(f"{name} {number}" for name, number in zip(rules.players, score, strict=True))
    return f"{rules.players[outcome.winner].capitalize()} wins {points}: {reason}. The score: {standing}."


def result(game: Game[Any, Any]) -> str:
    """The result of a game, or of a match, in a sentence."""
    outcome, score = game.outcome, game.rules.score(game.position)
    kind = "game" if score is None else "match"
    if outcome is None:
        return f"The {kind} is not finished."
    reason = outcome.reason.replace("_", " ")
    if outcome.winner is None:
        return f"A draw: {reason}."
    winner = game.rules.players[outcome.winner].capitalize()
    if score is not None:
        return f"{winner} wins the match, {score[outcome.winner]}-{score[outcome.winner.other]}: {reason}."
    points = f", {outcome.points} points" if outcome.points > 1 else ""
    return f"{winner} wins{points}: {reason}."
