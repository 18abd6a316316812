"""The checkers board as a picture."""

from __future__ import annotations

from typing import NamedTuple

from ludus.core.board import Picture
from ludus.games.checkers.position import Position


class CheckersBoard(NamedTuple):
    position: Position

    def picture(self, *, flipped: bool = False) -> Picture:
        return Picture(1, 1, ())

    def svg(self, size: float | None = None, *, flipped: bool = False) -> str:
        return self.picture(flipped=flipped).svg(size)

    def text(self, *, colour: bool = False, flipped: bool = False) -> str:
        return ""

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg()
