"""The endgame tables in memory: those of the package, or larger ones in files, mapped and read as they are needed.

A set of tables is two files. `checkers-N.wld` has two bits for each position of up to N pieces: 1 lost, 2 drawn, 3 won
for the side to move. `checkers-N.len` has a byte for each: how many moves of that side the game still lasts if both
play their best; 0 also where it is drawn. The package has both for four pieces, compressed.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

import numpy as np

from ludus.core.bits import Words, reverse
from ludus.core.errors import BadInput, LudusError
from ludus.engines.checkers.endgames import kernel, layout
from ludus.engines.checkers.endgames.layout import Bytes
from ludus.games.checkers.position import Position

NO_PIECES: Final = 0
"""Tables of so many pieces know nothing: they are for players who are not to know endgames."""
PACKAGED: Final = 4
PACKAGED_FILES: Final = ("four.wld.z", "four.len.z")
FOLDER: Final = "LUDUS_ENDGAMES"
"""The variable of the environment that names the folder of larger tables."""


class WrongTables(LudusError):
    """Tables that are damaged or cut short, or not what is known of these endgames."""

    code: ClassVar[str] = "wrong_tables"


class Verdict(NamedTuple):
    """`kernel.WIN`, `DRAW` or `LOSS` for the side to move, and after how many moves of both sides the game ends."""

    value: int
    plies: int


@dataclass(frozen=True)
class Tables:
    """All positions of up to `pieces` pieces; `wld` and `layout` are what `kernel.probe` takes."""

    pieces: int
    folder: Path | None = None

    @cached_property
    def layout(self) -> Words:
        return layout.words(self.pieces)

    @cached_property
    def wld(self) -> Bytes:
        return self._bytes(0, layout.total(self.pieces) // 4)

    @cached_property
    def lengths(self) -> Bytes:
        return self._bytes(1, layout.total(self.pieces))

    def _bytes(self, number: int, size: int) -> Bytes:
        if self.pieces == NO_PIECES:
            return np.zeros(size, np.uint8)
        if self.folder is None:
            packed = files(__package__).joinpath(PACKAGED_FILES[number]).read_bytes()
            return np.frombuffer(bytearray(zlib.decompress(packed)), np.uint8)
        return mapped(paths(self.folder, self.pieces)[number], size)

    def __reduce__(self) -> tuple[object, ...]:
        """Another process reads or maps the files itself."""
        return Tables, (self.pieces, self.folder)

    def verdict(self, own: int, other: int, kings: int, side: int) -> Verdict | None:
        """What a position is, in the kernel's words; None where there is no table for it."""
        value = int(kernel.probe(self.wld, self.layout, own, other, kings, side))
        if value == kernel.UNKNOWN:
            return None
        if value == kernel.DRAW or own == 0:
            return Verdict(value, 0)
        if side == 1:
            own, other, kings = reverse(own), reverse(other), reverse(kings)
        moves = int(self.lengths[kernel.number(self.layout, own, other, kings)])
        return Verdict(value, 2 * moves - (value == kernel.WIN))

    def of(self, position: Position) -> Verdict | None:
        return self.verdict(position.own, position.other, position.kings, position.mover.value)


def paths(folder: Path, pieces: int) -> tuple[Path, Path]:
    return folder / f"checkers-{pieces}.wld", folder / f"checkers-{pieces}.len"


def mapped(path: Path, size: int) -> Bytes:
    """A file's bytes, read as they are needed; writable in memory alone, as all arrays that compiled code is given."""
    try:
        found = path.stat().st_size
    except OSError as error:
        raise WrongTables(f"cannot read {path}: {error.strerror}") from error
    if found != size:
        raise WrongTables(f"{path} has {found:,} bytes instead of {size:,}; build it again")
    return np.asarray(np.memmap(path, np.uint8, mode="c"))


def load(most: int = layout.MOST_PIECES, folder: Path | None = None) -> Tables:
    """The largest tables there are of up to `most` pieces, in the folder or in the package; the same ones each time."""
    return _load(most, folder or home())


@cache
def _load(most: int, folder: Path) -> Tables:
    for pieces in range(most, PACKAGED, -1):
        if all(path.exists() for path in paths(folder, pieces)):
            return Tables(pieces, folder)
    return Tables(PACKAGED)


def inside(folder: Path) -> Tables:
    """The largest tables of this very folder, however few pieces they are of; the package's do not stand in for them.

    One file of the two is enough to be taken: that the other is missing is told when it is read.
    """
    for pieces in range(layout.MOST_PIECES, layout.FEWEST_PIECES - 1, -1):
        if any(path.exists() for path in paths(folder, pieces)):
            return Tables(pieces, folder)
    raise BadInput(f"there are no finished tables in {folder}: ludus endgames build makes them, or goes on with them")


def home() -> Path:
    """Where larger tables are kept: $LUDUS_ENDGAMES, or a folder of the user's own."""
    if named := os.environ.get(FOLDER):
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "ludus" / "endgames"


def packed(wld: Bytes, lengths: Bytes) -> dict[str, bytes]:
    """The package's files, to be written anew from tables of four pieces."""
    return {name: zlib.compress(array.tobytes(), 9) for name, array in zip(PACKAGED_FILES, (wld, lengths), strict=True)}
