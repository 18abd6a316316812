"""The openings of backgammon: the first four turns, whatever the cube and the score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ludus.core.game import Game
from ludus.games import GAMES
from ludus.games.backgammon.position import Play, Position, Roll
from ludus.games.backgammon.rules import Move
from ludus.openings import Book, Name

PLIES: Final = 8
"""Four rolls and four plays: hardly any two games are the same for longer."""
NAMES: Final[Mapping[str, str]] = {
    "31: 8/5 6/5": "Making the five point",
    "42: 8/4 6/4": "Making the four point",
    "53: 8/3 6/3": "Making the three point",
    "61: 13/7 8/7": "Making the bar point",
    "65: 24/13": "Lover's leap",
}


def _key(position: Position) -> str:
    """The position as seen by the player on roll."""
    men = "/".join(f"{plane:x}" for plane in (*position.own, *position.other))
    dice = "".join(map(str, position.dice)) or ("start" if position.mover is None else "")
    return f"{men}/{dice}"


def _move(position: Position, move: Move) -> str:
    if isinstance(move, Roll):
        return f"{max(move)}{min(move)}"
    return GAMES["backgammon"].notation.write_move(position, move) if isinstance(move, Play) else ""


def _names() -> dict[str, Name]:
    return {_after(*opening.split(": ")): Name(text) for opening, text in NAMES.items()}


def _after(roll: str, play: str) -> str:
    game = Game(GAMES["backgammon"])
    game.play(roll)
    game.play(play)
    return _key(game.position)


def _plain(position: Position) -> Position:
    return Position(*position[:4])


BOOK: Final = Book(_key, _move, PLIES, _plain, _names)
