"""The endgame tables in memory: the package's, or larger ones in memory-mapped files.

A set of tables is two files. `checkers-N.wld` has two bits per position of up to N pieces: 1 lost, 2 drawn, 3 won for
the side to move. `checkers-N.len` has a byte per position: how many moves that side still makes with best play by both;
0 if drawn. The package has both for four pieces, compressed.
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
from ludus.engines.checkers.endgames.layout import Bytes, Slice
from ludus.games.checkers.position import Position

NO_PIECES: Final = 0
"""The size of empty tables, for players without endgame knowledge."""
PACKAGED: Final = 4
PACKAGED_FILES: Final = ("four.wld.z", "four.len.z")
FOLDER: Final = "LUDUS_ENDGAMES"
"""Environment variable naming the folder of larger tables."""


class NoHome(BadInput):
    pass


class WrongTables(LudusError):
    """Tables that are damaged, truncated, or contradict published counts."""

    code: ClassVar[str] = "wrong_tables"


class TableValue(NamedTuple):
    """`kernel.WIN`, `DRAW` or `LOSS` for the side to move, and the plies until the game ends."""

    value: int
    plies: int


@dataclass(frozen=True)
class EndgameTables:
    """All positions of up to `pieces` pieces; `kernel.probe_wld` takes `wld` and `layout`."""

    pieces: int
    folder: Path | None = None

    @cached_property
    def layout(self) -> Words:
        return layout.kernel_layout(self.pieces)

    @cached_property
    def wld(self) -> Bytes:
        return self._bytes(0, layout.total(self.pieces) // 4)

    @cached_property
    def lengths(self) -> Bytes:
        return self._bytes(1, layout.total(self.pieces))

    def _bytes(self, file: int, size: int) -> Bytes:
        if self.pieces == NO_PIECES:
            return np.zeros(size, np.uint8)
        if self.folder is None:
            compressed = files(__package__).joinpath(PACKAGED_FILES[file]).read_bytes()
            return np.frombuffer(bytearray(zlib.decompress(compressed)), np.uint8)
        return _map_file(paths(self.folder, self.pieces)[file], size)

    def __reduce__(self) -> tuple[object, ...]:
        """Other processes read or map the files themselves."""
        return EndgameTables, (self.pieces, self.folder)

    def probe(self, position: Position) -> TableValue | None:
        """The value of a position; None if the tables don't have it."""
        own, other, kings, side = position.own, position.other, position.kings, position.mover.value
        value = int(kernel.probe_wld(self.wld, self.layout, own, other, kings, side))
        if value == kernel.UNKNOWN:
            return None
        if value == kernel.DRAW or own == 0:
            return TableValue(value, 0)
        if side == 1:
            own, other, kings = reverse(own), reverse(other), reverse(kings)
        moves = int(self.lengths[kernel.index_of(self.layout, own, other, kings)])
        return TableValue(value, 2 * moves - (value == kernel.WIN))


def paths(folder: Path, pieces: int) -> tuple[Path, Path]:
    return folder / f"checkers-{pieces}.wld", folder / f"checkers-{pieces}.len"


def _map_file(path: Path, size: int) -> Bytes:
    """Copy-on-write, because compiled code takes writable arrays."""
    try:
        found = path.stat().st_size
    except OSError as error:
        raise WrongTables(f"cannot read {path}: {error.strerror}") from error
    if found != size:
        raise WrongTables(f"{path} has {found:,} bytes instead of {size:,}; rebuild it")
    return np.asarray(np.memmap(path, np.uint8, mode="c"))


def load(max_pieces: int = layout.MAX_PIECES, folder: Path | None = None) -> EndgameTables:
    """The largest tables of up to `max_pieces` pieces, from the folder or the package; cached."""
    try:
        return _load(max_pieces, folder or default_folder())
    except NoHome:
        return EndgameTables(PACKAGED)


@cache
def _load(max_pieces: int, folder: Path) -> EndgameTables:
    try:
        for pieces in range(max_pieces, PACKAGED, -1):
            if all(path.exists() for path in paths(folder, pieces)):
                return EndgameTables(pieces, folder)
    except PermissionError:  # another user's folder, such as root's
        pass
    return EndgameTables(PACKAGED)


def load_folder(folder: Path) -> EndgameTables:
    """The largest tables in this folder, never the package's.

    One of the two files is enough; if the other is missing, reading it raises.
    """
    for pieces in range(layout.MAX_PIECES, layout.MIN_PIECES - 1, -1):
        if any(path.exists() for path in paths(folder, pieces)):
            return EndgameTables(pieces, folder)
    raise BadInput(f"no finished tables in {folder}: ludus endgames build makes or resumes them")


def default_folder() -> Path:
    """Where larger tables are kept: $LUDUS_ENDGAMES, or the user's data folder."""
    if named := os.environ.get(FOLDER):
        return Path(named)
    try:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    except RuntimeError:
        raise NoHome(f"this user has no home folder; name a folder for tables in {FOLDER}") from None
    return Path(base) / "ludus" / "endgames"


def pack(wld: Bytes, lengths: Bytes) -> dict[str, bytes]:
    """The package's files, made from tables of four pieces."""
    return {name: zlib.compress(array.tobytes(), 9) for name, array in zip(PACKAGED_FILES, (wld, lengths), strict=True)}


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
"""The counts by number of pieces, as counted by independent programs."""


def count_slice(part: Slice, wld: Bytes) -> Counts:
    start = layout.offset(part)
    bytes_of = np.bincount(wld[start // 4 : -(-(start + part.size) // 4)], minlength=256)
    return Counts(*(int(bytes_of @ _in_byte(value)) for value in (kernel.WIN, kernel.LOSS, kernel.DRAW)))


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
