"""Positions and games that people paste, in any notation, as a game that can be stepped through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from ludus.core.errors import LudusError, MalformedPosition, MalformedRecord
from ludus.core.game import Game
from ludus.core.rules import Rules
from ludus.games import GAMES, find_game

MAX_TEXT: Final = 50_000
"""Characters; a long match has fewer."""
MAX_POSITION: Final = 1000
"""Characters of a position."""
MAX_GAMES: Final = 60
"""Games of a file that are read; the rest is left out."""


class Pasted(NamedTuple):
    game: str
    records: Sequence[Game[Any, Any]]
    problems: Sequence[str] = ()
    """Why other games of the file were left out."""


def read(text: str, game: str | None = None) -> Pasted:
    """The game need not be named, but helps where the text could be of several, or of none."""
    if not text.strip():
        raise MalformedPosition("there is no text; paste a position or a game")
    if len(text) > MAX_TEXT:
        raise MalformedRecord(f"a text of more than {MAX_TEXT:,} characters is not read", 1)
    found = next(_positions(text, game), None)
    return _games(text, game) if found is None else found


def _candidates(game: str | None) -> list[Rules[Any, Any]]:
    """The game that is named comes first."""
    return sorted(GAMES.values(), key=lambda rules: rules.name != game)


def _positions(text: str, game: str | None) -> Iterator[Pasted]:
    if len(text) <= MAX_POSITION:
        for rules in _candidates(game):
            try:
                position = rules.notation.read_position(text.strip())
            except LudusError:
                continue
            yield Pasted(rules.name, [Game(rules, start=position)])


def _games(text: str, game: str | None) -> Pasted:
    named = next((rules for rules in _candidates(game)[:1] if rules.name == game), None)
    rules = named if named is not None and named.notation.recognizes(text) else find_game("", text) or named
    if rules is None:
        raise MalformedRecord("this is neither a position nor a game in a notation that is known here", 1)
    problems: list[MalformedRecord] = []
    records = list(islice(rules.notation.each_game(text, errors="skip", skipped=problems), MAX_GAMES))
    if problems and not records:
        if not rules.notation.recognizes(text):
            _read_line(rules, text)  # says what is wrong with the position it was meant to be
        raise problems[0]
    if not any(record.length or record.start != rules.start("standard") for record in records):
        _refuse(rules, text)
    return Pasted(rules.name, records, [str(problem) for problem in problems[:5]])


def _refuse(rules: Rules[Any, Any], text: str) -> None:
    """The text contains no game: it may have been meant as a position, or as moves."""
    _read_line(rules, text)
    raise MalformedRecord("there is neither a position nor a move here", 1)


def _read_line(rules: Rules[Any, Any], text: str) -> None:
    """A text of one line may be meant as a position; raises why it is none."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    if len(lines) == 1:
        rules.notation.read_position(lines[0].strip())
