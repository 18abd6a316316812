"""The values of checkers: squares, pieces, moves, positions.

Squares are numbered 1 to 32 from the top left, as players write them; the kernel's bit is row * 8 + column.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ludus.core.rules import Player
from ludus.games.checkers import kernel

SQUARES = range(1, 33)
MOST_PIECES = 12
"""The most pieces of one side."""


def row_of(square: int) -> int:
    return (square - 1) // 4


def column_of(square: int) -> int:
    return (square - 1) % 4 * 2 + 1 - row_of(square) % 2


@cache
def bit_of(square: int) -> int:
    """The set that holds this square alone."""
    return 1 << row_of(square) * 8 + column_of(square)


def square_of(bit: int) -> int:
    """The square of a set that holds one alone."""
    return (bit.bit_length() - 1) // 2 + 1


class Piece(NamedTuple):
    player: Player
    is_king: bool


class Move(NamedTuple):
    """A step or a whole chain of jumps: the squares visited, in order, and those captured."""

    path: tuple[int, ...]
    captures: tuple[int, ...] = ()

    @property
    def origin(self) -> int:
        return self.path[0]

    @property
    def landing(self) -> int:
        return self.path[-1]


class Position(NamedTuple):
    """Both players' pieces and the kings among them as sets of squares (kernel bits), and whose move it is.

    `quiet` counts the moves of both players since a man moved or a piece was taken.
    """

    first: int
    second: int
    kings: int
    mover: Player
    quiet: int = 0

    @property
    def own(self) -> int:
        return self.first if self.mover is Player.FIRST else self.second

    @property
    def other(self) -> int:
        return self.second if self.mover is Player.FIRST else self.first

    @property
    def is_sound(self) -> bool:
        """Whether such a board can exist; the kernel's buffers are large enough for these positions only."""
        pieces = self.first | self.second
        strays = self.first & self.second | pieces & ~kernel.DARK | self.kings & ~pieces
        return not strays and max(self.first.bit_count(), self.second.bit_count()) <= MOST_PIECES

    def piece_on(self, square: int) -> Piece | None:
        bit = bit_of(square)
        if not (self.first | self.second) & bit:
            return None
        return Piece(Player.FIRST if self.first & bit else Player.SECOND, bool(self.kings & bit))


STANDARD = Position(kernel.FIRST_START, kernel.SECOND_START, 0, Player.FIRST)
