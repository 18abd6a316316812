"""Openings: which positions and moves of a game count as the same, how far its openings go, and what they are called.

A game's book is `ludus.openings.NAME`, or the `openings` module of a third-party package, as `BOOK`. A game without one
has openings of twenty moves, told apart by the text of their positions, and no names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple, cast

from ludus.core.rules import Player, Rules
from ludus.games import GAMES, layer

PLIES: Final = 20


class Name(NamedTuple):
    text: str
    """The name that players use; empty if there is none."""
    ballot: int = 0
    """Its number in the deck from which openings are drawn; 0 if it is not in it."""


class Book(NamedTuple):
    """The openings of a game. Rolls are moves, as everywhere."""

    key: Callable[[Any], str]
    """A text that is equal for positions in which the same side can play the same moves with the same prospects."""
    move: Callable[[Any, Any], str]
    """A move in notation, the same for both sides; empty for one that belongs to no opening, such as a double."""
    plies: int = PLIES
    """How many moves an opening has at most."""
    plain: Callable[[Any], Any] = lambda position: position
    """The position without what the key ignores; every move of the opening is legal in it."""
    names: Callable[[], Mapping[str, Name]] = dict
    """The names, by the key of the position that an opening leads to."""


class Ply(NamedTuple):
    """A move of an opening."""

    key: str
    """The key of the position in which it was made."""
    move: str
    player: Player
    """The player who made it; for a roll, the one who had to play it."""


@cache
def book(game: str) -> Book:
    found = layer(game, "openings")
    if found is not None:
        return cast("Book", found.BOOK)
    notation = GAMES[game].notation
    return Book(notation.write_position, notation.write_move)


@cache
def names(game: str) -> Mapping[str, Name]:
    return book(game).names()


def name_of(game: str, position: Any) -> Name | None:
    return names(game).get(book(game).key(position))


class Reader:
    """Reads the opening of a game that is played move by move."""

    def __init__(self, rules: Rules[Any, Any]) -> None:
        self._rules, self._book = rules, book(rules.name)
        self.plies: list[Ply] = []
        self._rolls: list[tuple[str, str]] = []
        """Keys and texts of rolls that nobody has played yet."""

    @property
    def is_done(self) -> bool:
        return len(self.plies) >= self._book.plies

    def add(self, position: Any, move: Any) -> None:
        text = "" if self.is_done else self._book.move(position, move)
        if not text:
            return
        made = self._book.key(position), text
        player = self._rules.maker(position, move)
        if player is None:
            self._rolls.append(made)
            return
        self.plies += [Ply(key, text, player) for key, text in (*self._rolls, made)][
            : self._book.plies - len(self.plies)
        ]
        self._rolls.clear()
