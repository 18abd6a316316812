"""Where each slice of the endgame tables is stored, and the order in which slices are solved."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ludus.core.bits import Words
from ludus.engines.checkers.endgames import kernel

MIN_PIECES: Final = 2
MAX_PIECES: Final = 6
ALIGNMENT: Final = 64
"""Slices start at a multiple of this many positions, a whole number of bytes in either file."""

Bytes = NDArray[np.uint8]


class Slice(NamedTuple):
    """All positions with these numbers of men and kings of the side to move and of the opponent."""

    men: int
    kings: int
    others_men: int
    others_kings: int

    @property
    def pieces(self) -> int:
        return sum(self)

    @property
    def flipped(self) -> Slice:
        """The slice after a move that neither captures nor crowns."""
        return Slice(self.others_men, self.others_kings, self.men, self.kings)

    @property
    def size(self) -> int:
        """The number of positions."""
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
    """`2K1` is two kings and a man."""
    return f"{kings}K" * bool(kings) + str(men) * bool(men)


class Pair(NamedTuple):
    """Two slices that lead to each other and are solved together, or one that leads to itself."""

    slices: tuple[Slice, ...]
    start: int
    """Index of the first position."""
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
    """All slices of up to this many pieces, ordered so that captures and crownings lead to earlier ones."""
    found, start = [], 0
    for part in sorted(_slices(pieces), key=lambda part: (part.pieces, part.men + part.others_men, part)):
        if part <= part.flipped:
            parts = (part,) if part == part.flipped else (part, part.flipped)
            end = start + sum(_aligned_size(one) for one in parts)
            found.append(Pair(parts, start, end))
            start = end
    return tuple(found)


def _slices(pieces: int) -> list[Slice]:
    slices = (Slice(*numbers) for numbers in product(range(pieces), repeat=4))
    return [part for part in slices if part.pieces <= pieces and part.men + part.kings and sum(part.flipped[:2])]


def _aligned_size(part: Slice) -> int:
    return -(-part.size // ALIGNMENT) * ALIGNMENT


def total(pieces: int) -> int:
    """Positions in the tables of up to this many pieces, padding included."""
    return max((pair.end for pair in pairs(pieces)), default=0)


def _start(men: int, others_men: int, on_top: int) -> int:
    """Arrangements of the men with fewer than `on_top` of the mover's on the top row."""
    return sum(comb(4, r) * comb(24, men - r) * comb(28 - men + r, others_men) for r in range(min(on_top, men + 1)))


@cache
def kernel_layout(pieces: int) -> Words:
    """The kernel's `layout` for tables of up to this many pieces. Cached; do not mutate."""
    layout = np.zeros(kernel.LAYOUT_WORDS, np.int64)
    for n, size in product(range(33), range(8)):
        layout[n * 8 + size] = comb(n, size)
    for men, others_men, on_top in product(range(MAX_PIECES), range(MAX_PIECES), range(8)):
        layout[kernel.STARTS + (men * 8 + others_men) * 8 + on_top] = _start(men, others_men, on_top)
    for pair in pairs(pieces):
        start = pair.start
        for part in pair.slices:
            layout[kernel.OFFSETS + _key(part)] = start
            start += _aligned_size(part)
    layout[kernel.MAX_PIECES] = pieces
    return cast("Words", layout)


def _key(part: Slice) -> int:
    men, kings, others_men, others_kings = part
    return ((men * 8 + kings) * 8 + others_men) * 8 + others_kings


def offset(part: Slice) -> int:
    """Index of the slice's first position, the same in tables of any size."""
    return int(kernel_layout(max(part.pieces, 2))[kernel.OFFSETS + _key(part)])
