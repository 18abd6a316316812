"""The two columns of a MAT file, and the cube that some of their cells tell of.

A cell is a roll with its play, `31: 8/5 6/5`, something done with the cube, `Doubles => 2`, or the end, `Wins 1 point`.
Cells are told apart by how they begin, since a long one runs into the next column; a cell alone in its row is the
right one if there is a gap before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.errors import BadInput
from ludus.core.rules import Player

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST: Final = 500
"""No row needs more characters than that."""
COLUMN: Final = 27
"""The width of the left column."""
GAP: Final = 8
"""So many blanks after a row's number, and the first cell is in the right column."""
MARGIN: Final = 20
"""The same for a line without a number."""

NUMBER: Final = re.compile(r" *[0-9]{1,6}\)")
BEGINNING: Final = re.compile(
    r"(?<![0-9/])([1-6]{2}):|\b(double|redouble|beaver|raccoon|take|drop|win)s?\b", re.IGNORECASE | re.ASCII
)
WORDS: Final = {
    "double": "Doubles",
    "redouble": "Doubles",
    "beaver": "Beavers",
    "raccoon": "Raccoons",
    "take": "Takes",
    "drop": "Drops",
    "win": "Wins",
}
OFFERS: Final = frozenset({"Doubles", "Beavers", "Raccoons"})
OFFER: Final = re.compile(r"=> *([1-9][0-9]{0,8})")
WIN: Final = re.compile(r"([0-9]{1,12}) points?(?: and the match)?\W*", re.IGNORECASE | re.ASCII)
CUBE_TEXT: Final = re.compile(
    r"Doubles => [1-9][0-9]{0,8}(?:; (?:Beavers|Raccoons) => [1-9][0-9]{0,8}){0,9}(?:; (?:Takes|Drops))?"
)


class Cell(NamedTuple):
    """What it begins with, two dice or one of the words, and the text behind that."""

    player: Player
    head: str
    text: str


def read_cells(line: str) -> Iterator[Cell]:
    if len(line) > LONGEST:
        raise BadInput(f"{line[:40].strip()!r}... is longer than a row can be")
    line = line.expandtabs()
    number = NUMBER.match(line)
    at = number.end() if number else 0
    found = list(BEGINNING.finditer(line, at))
    if line[at : found[0].start() if found else None].strip():
        raise BadInput(f"{line.strip()[:40]!r} is not a row such as   1) 31: 8/5 6/5   62: 24/18 13/11")
    if len(found) > 2:
        raise BadInput("a row has two cells, one for each player")
    ends = [*(match.start() for match in found[1:]), len(line)]
    for match, end, player in zip(found, ends, _players(found, at, GAP if number else MARGIN), strict=False):
        yield Cell(player, match[1] or WORDS[match[2].lower()], line[match.end() : end].strip())


def _players(found: list[re.Match[str]], at: int, gap: int) -> tuple[Player, ...]:
    is_right = len(found) == 1 and found[0].start() - at >= gap
    return (Player.SECOND,) if is_right else (Player.FIRST, Player.SECOND)


def write_rows(cells: Iterable[tuple[Player, str]]) -> Iterator[str]:
    number, left = 1, ""
    for player, text in cells:
        if player is Player.SECOND:
            yield _row(number, left, text)
        elif left:
            yield _row(number, left)
        number += player is Player.SECOND or left != ""
        left = text if player is Player.FIRST else ""
    if left:
        yield _row(number, left)


def _row(number: int, left: str, right: str = "") -> str:
    """A row; the left column is filled up even alone, since GNU Backgammon misreads a short line."""
    return f"{number:3}) {left:<{COLUMN}} {right}"


def write_win(winner: Player, worth: int) -> str:
    return f"{' ' * (34 if winner is Player.SECOND else 6)}Wins {worth} point{'s' * (worth != 1)}"


class Cube:
    """What the game is played for, and who has offered to play for more."""

    def __init__(self) -> None:
        self.stake = 1
        self.offer = 0
        self.offerer: Player | None = None

    def double(self, player: Player, value: int) -> None:
        """Offers to play for `value`; who doubles back has taken what was offered."""
        self.take()
        self.offer, self.offerer = value, player

    def take(self) -> None:
        """Accepts what is offered, if anything is; to roll on is to accept as well."""
        self.stake = self.offer or self.stake
        self.offer, self.offerer = 0, None
