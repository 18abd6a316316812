"""Counts of won, lost and drawn positions, and a check against published ones."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ludus.engines.checkers.endgames import layout
from ludus.engines.checkers.endgames.kernel import DRAW, LOSS, WIN
from ludus.engines.checkers.endgames.layout import Bytes, Slice
from ludus.engines.checkers.endgames.tables import WrongTables


class Counts(NamedTuple):
    """Positions that the side to move wins, loses and draws."""

    won: int = 0
    lost: int = 0
    drawn: int = 0

    @property
    def positions(self) -> int:
        return sum(self)


KNOWN: Final = {
    2: Counts(716, 402, 2_370),
    3: Counts(100_250, 87_305, 8_477),
    4: Counts(2_574_304, 1_917_090, 1_717_922),
    5: Counts(71_334_772, 56_993_144, 11_122_892),
}
"""By number of pieces, as counted by independent programs."""


def count_slice(part: Slice, wld: Bytes) -> Counts:
    start = layout.offset(part)
    bytes_of = np.bincount(wld[start // 4 : -(-(start + part.size) // 4)], minlength=256)
    return Counts(*(int(bytes_of @ _in_byte(value)) for value in (WIN, LOSS, DRAW)))


def _in_byte(value: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How often the value occurs in each byte of four positions."""
    return np.array([sum(byte >> bits & 3 == value for bits in (0, 2, 4, 6)) for byte in range(256)], np.int64)


def count_all(pieces: int, wld: Bytes) -> Counts:
    """Counts all positions of exactly this many pieces."""
    pairs = (pair for pair in layout.pairs(pieces) if pair.pieces == pieces)
    slices = [count_slice(part, wld) for pair in pairs for part in pair.slices]
    return Counts(*map(sum, zip(*slices, strict=True)))


def check(pieces: int, wld: Bytes) -> Counts:
    """The counts for this many pieces; raises `WrongTables` if they differ from the known ones."""
    found = count_all(pieces, wld)
    if found != KNOWN.get(pieces, found):
        raise WrongTables(f"{pieces} pieces: {found}, expected {KNOWN[pieces]}; remove the files and rebuild them")
    return found
