"""The openings of checkers: the names that players have given them, and the deck of three-move ballots.

`ballots.txt` has the 156 ballots of the American Checker Federation's deck (since 2003) in its order. Of the 216
positions after three plies 42 give a man away, and 18 more are barred as lost; R. Pask, The Golden Dozen (2005), names
these.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from ludus.core.game import Game
from ludus.games import GAMES
from ludus.games.checkers.position import Move, Position
from ludus.openings import Book, Name

NAMES: Final[Mapping[str, str]] = {
    "9-13": "Edinburgh",
    "9-14": "Double Corner",
    "10-14": "Denny",
    "10-15": "Kelso",
    "11-15": "Old Faithful",
    "11-16": "Bristol",
    "12-16": "Dundee",
    "11-15 21-17": "Switcher",
    "11-15 22-17 15-19": "Dyke",
    "11-15 22-17 8-11 17-13 15-18": "Maid of the Mill",
    "11-15 22-18": "Single Corner",
    "11-15 23-18 8-11": "Cross",
    "11-15 23-19 8-11 22-17 3-8": "Alma",
    "11-15 23-19 8-11 22-17 4-8": "Old Fourteenth",
    "11-15 23-19 8-11 22-17 9-13": "Laird and Lady",
    "11-15 23-19 8-11 22-17 11-16": "Glasgow",
    "11-15 23-19 9-13": "Will o' the Wisp",
    "11-15 23-19 9-14 22-17 5-9": "Fife",
    "11-15 23-19 9-14 22-17 6-9": "Souter",
    "11-15 23-19 9-14 22-17 7-11": "Whilter",
    "11-15 23-19 9-14 27-23": "Defiance",
    "11-15 24-19 15x24 28x19": "Second Double Corner",
    "11-15 24-20": "Ayrshire Lassie",
}


def ballots() -> tuple[str, ...]:
    """The three moves of each ballot, in the order of the deck."""
    text = files("ludus.openings.checkers").joinpath("ballots.txt").read_text(encoding="ascii")
    return tuple(text.splitlines())


def _key(position: Position) -> str:
    """A key with colours, since no opening leads to the same position with the colours swapped."""
    first, second, kings, mover, _quiet = position
    return f"{mover.value}/{first:x}/{second:x}/{kings:x}"


def _move(position: Position, move: Move) -> str:
    return GAMES["checkers"].notation.write_move(position, move)


def _names() -> dict[str, Name]:
    named = {_after(moves): Name(text) for moves, text in NAMES.items()}
    for number, moves in enumerate(ballots(), 1):
        key = _after(moves)
        named[key] = Name(named[key].text if key in named else "", number)
    return named


def _after(moves: str) -> str:
    game = Game(GAMES["checkers"])
    for text in moves.split():
        game.play(text)
    return _key(game.position)


BOOK: Final = Book(_key, _move, names=_names)
