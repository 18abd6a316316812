"""Where each slice of the endgame tables lies, and in which order slices can be solved."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ludus.core.bits import Words
from ludus.engines.checkers.endgames import kernel

FEWEST_PIECES: Final = 2
MOST_PIECES: Final = 6
ALIGNMENT: Final = 64
"""Slices begin at a multiple of this many positions, a whole number of bytes in every file."""

Bytes = NDArray[np.uint8]


class Slice(NamedTuple):
    """All positions with these numbers of men and kings of the side to move and of the other."""

    men: int
    kings: int
    others_men: int
    others_kings: int

    @property
    def pieces(self) -> int:
        return sum(self)

    @property
    def turned(self) -> Slice:
        """The slice after a move that neither takes nor crowns."""
        return Slice(self.others_men, self.others_kings, self.men, self.kings)

    @property
    def size(self) -> int:
        """How many positions there are."""
        free = 32 - self.men - self.others_men
        return (
            _start(self.men, self.others_men, self.men + 1)
            * comb(free, self.kings)
            * comb(free - self.kings, self.others_kings)
        )

    def __str__(self) -> str:
        sides = (_side(self.men, self.kings), _side(self.others_men, self.others_kings))
        return " v ".join(sides)


def _side(men: int, kings: int) -> str:
    """Men and kings as a few letters: `2K1` is two kings and a man."""
    return f"{kings}K" * bool(kings) + str(men) * bool(men)


class Pair(NamedTuple):
    """Two slices that lead to each other and are solved together, or one that leads to itself."""

    slices: tuple[Slice, ...]
    start: int
    """The number of the first position."""
    end: int

    @property
    def pieces(self) -> int:
        return self.slices[0].pieces

    @property
    def size(self) -> int:
        return sum(part.size for part in self.slices)

    def __str__(self) -> str:
        return str(self.slices[0])


@cache
def pairs(pieces: int) -> tuple[Pair, ...]:
    """All slices of up to so many pieces in an order in which captures and crownings lead back to earlier ones."""
    found, start = [], 0
    for part in sorted(_slices(pieces), key=lambda part: (part.pieces, part.men + part.others_men, part)):
        if part <= part.turned:
            parts = (part,) if part == part.turned else (part, part.turned)
            end = start + sum(_room(one) for one in parts)
            found.append(Pair(parts, start, end))
            start = end
    return tuple(found)


def _slices(pieces: int) -> list[Slice]:
    slices = (Slice(*numbers) for numbers in product(range(pieces), repeat=4))
    return [part for part in slices if part.pieces <= pieces and part.men + part.kings and sum(part.turned[:2])]


def _room(part: Slice) -> int:
    return -(-part.size // ALIGNMENT) * ALIGNMENT


def total(pieces: int) -> int:
    """The room of all slices of up to so many pieces."""
    return max((pair.end for pair in pairs(pieces)), default=0)


def _start(men: int, others_men: int, on_top: int) -> int:
    """How many ways the men can stand with fewer than `on_top` of the mover's on the top row."""
    return sum(comb(4, r) * comb(24, men - r) * comb(28 - men + r, others_men) for r in range(min(on_top, men + 1)))


@cache
def words(pieces: int) -> Words:
    """The `layout` of the kernel for tables of up to so many pieces."""
    layout = np.zeros(kernel.LAYOUT_WORDS, np.int64)
    for n, size in product(range(33), range(8)):
        layout[n * 8 + size] = comb(n, size)
    for men, others_men, on_top in product(range(MOST_PIECES), range(MOST_PIECES), range(8)):
        layout[kernel.STARTS + (men * 8 + others_men) * 8 + on_top] = _start(men, others_men, on_top)
    for pair in pairs(pieces):
        start = pair.start
        for part in pair.slices:
            layout[kernel.OFFSETS + _key(part)] = start
            start += _room(part)
    layout[kernel.MOST] = pieces
    return cast("Words", layout)


def _key(part: Slice) -> int:
    men, kings, others_men, others_kings = part
    return ((men * 8 + kings) * 8 + others_men) * 8 + others_kings


def offset(part: Slice) -> int:
    """The number of the slice's first position; it is the same in tables of any number of pieces."""
    return int(words(max(part.pieces, 2))[kernel.OFFSETS + _key(part)])
