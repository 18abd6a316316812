"""Builds endgame tables in files by retrograde analysis, slice by slice; an interrupted build can be resumed."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ludus.core.errors import BadInput
from ludus.core.kernel import compiled
from ludus.engines.checkers.endgames import layout, retrograde
from ludus.engines.checkers.endgames.layout import Bytes, Pair
from ludus.engines.checkers.endgames.retrograde import DRAWN, Work
from ludus.engines.checkers.endgames.tables import PACKAGED, EndgameTables, WrongTables, check, load, paths
from ludus.games.checkers.kernel import MOST_MOVES, WORDS

UNFINISHED: Final = ".part"
LOCK: Final = ".lock"
JOURNAL: Final = ".done"
"""A file with a line for each pair of slices that is solved and on disk, in order."""


CHUNK: Final = 1 << 19
"""The number of positions between two progress reports."""
MAX_DISTANCE: Final = 2 * 255 + 1
"""The largest value in `distances`: a byte holds up to 255 moves of one side."""


class Progress(NamedTuple):
    """Positions initialized and, once all are, the plies up to which distances are known."""

    initialized: int
    plies: int | None = None


class Step(NamedTuple):
    pair: Pair
    progress: Progress


class PartialTables:
    """Unfinished tables: the two files under temporary names, and the journal beside them."""

    def __init__(self, folder: Path, pieces: int) -> None:
        self.pieces = pieces
        self._finished = paths(folder, pieces)
        self._files = [path.with_name(path.name + UNFINISHED) for path in self._finished]
        self._journal = self._finished[0].with_suffix(JOURNAL)
        self.wld, self.lengths = self._open(0, layout.total(pieces) // 4), self._open(1, layout.total(pieces))

    def _open(self, number: int, size: int) -> np.memmap[tuple[int], np.dtype[np.uint8]]:
        path = self._files[number]
        if not path.exists() or path.stat().st_size != size:
            self._journal.unlink(missing_ok=True)
            _make(path, size)
        return np.memmap(path, np.uint8, mode="r+")

    def done(self) -> int:
        """How many pairs are solved and on disk."""
        lines = self._journal.read_text().splitlines() if self._journal.exists() else []
        if lines != _names(self.pieces, len(lines)):
            raise WrongTables(f"{self._journal} was not written by this program; remove it to start over")
        return len(lines)

    def copy(self, tables: EndgameTables) -> None:
        """Starts from finished tables of fewer pieces, which use the same indices."""
        self.wld[: tables.wld.size] = tables.wld
        self.lengths[: tables.lengths.size] = tables.lengths
        self.commit(len(layout.pairs(tables.pieces)))

    def commit(self, done: int) -> None:
        """Flushes all slices to disk, then records that the first `done` pairs are solved."""
        self.wld.flush()
        self.lengths.flush()
        fresh = self._journal.with_name(self._journal.name + UNFINISHED)
        with fresh.open("w") as file:
            file.writelines(f"{name}\n" for name in _names(self.pieces, done))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._journal)

    def finish(self) -> None:
        """Renames the files; the lengths first, because tables count as present once both files are."""
        for unfinished, finished in reversed(list(zip(self._files, self._finished, strict=True))):
            unfinished.replace(finished)
        self._journal.unlink()


@contextmanager
def _build_lock(path: Path) -> Iterator[None]:
    """An exclusive lock on the build; the system releases it when the process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"these tables are being built by another process, which holds {path}") from None
        try:
            yield
        finally:
            path.unlink()


def _names(pieces: int, first: int) -> list[str]:
    return [str(pair) for pair in layout.pairs(pieces)[:first]]


def _make(path: Path, size: int) -> None:
    """Creates a file of zeros with its disk space allocated: a mapped file on a full disk would kill the process."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)


def build(pieces: int, folder: Path) -> Generator[Step, None, None]:
    """Builds the tables of up to `pieces` pieces, starting from the largest available ones; can be stopped at any step.

    Finished tables are left as they are.
    """
    if not layout.MIN_PIECES <= pieces <= layout.MAX_PIECES:
        raise BadInput(f"tables have {layout.MIN_PIECES} to {layout.MAX_PIECES} pieces, not {pieces}")
    if is_finished(pieces, folder):
        return
    with _build_lock(paths(folder, pieces)[0].with_suffix(LOCK)):
        partial = PartialTables(folder, pieces)
        if partial.done() == 0 and pieces > PACKAGED:
            partial.copy(load(pieces - 1, folder))
        yield from _solve(partial)
        for number in range(2, pieces + 1):
            check(number, partial.wld)
        partial.finish()


def is_finished(pieces: int, folder: Path) -> bool:
    """Whether both files exist in full length; a build renames them only after checking them."""
    sizes = layout.total(pieces) // 4, layout.total(pieces)
    return all(
        path.is_file() and path.stat().st_size == size
        for path, size in zip(paths(folder, pieces), sizes, strict=True)
    )  # fmt: skip


def _solve(partial: PartialTables) -> Iterator[Step]:
    done, wld, lengths = partial.done(), np.asarray(partial.wld), np.asarray(partial.lengths)
    for pair in layout.pairs(partial.pieces)[done:]:
        yield from (Step(pair, progress) for progress in solve(pair, wld, lengths))
        done += 1
        partial.commit(done)


def solve(pair: Pair, wld: Bytes, lengths: Bytes) -> Iterator[Progress]:
    """Solves a pair and finally writes its values into the tables, which hold all earlier slices."""
    code = compiled(retrograde)
    work = _work(pair, wld, lengths)
    initialized = 0
    for chunk in _chunks(pair):
        code.init_slice(work, *chunk)
        initialized += chunk[-1] - chunk[-2]
        yield Progress(initialized)
    level, found = 1, 1
    while found or level <= _longest(work):
        found = sum(code.retract_level(work, *chunk, level) for chunk in _chunks(pair))
        yield Progress(initialized, level - 1)
        level += 1
    _write(code, pair, work)


def _work(pair: Pair, wld: Bytes, lengths: Bytes) -> Work:
    room = pair.end - pair.start
    kernel_layout, out = layout.kernel_layout(pair.pieces), np.zeros(MOST_MOVES * WORDS, np.int64)
    return Work(np.zeros(room, np.uint16), np.zeros(room, np.uint8), pair.start, wld, lengths, kernel_layout, out)


def _chunks(pair: Pair) -> Iterator[tuple[tuple[int, ...], int, int, int]]:
    """The slices of the pair in chunks: each chunk is a slice's piece numbers, its start, and a range of places."""
    for part in pair.slices:
        for first in range(0, part.size, CHUNK):
            yield tuple(part), layout.offset(part) - pair.start, first, min(first + CHUNK, part.size)


def _longest(work: Work) -> int:
    """The longest distance, found chunk by chunk to save memory."""
    parts = (work.distances[first : first + CHUNK] for first in range(0, work.distances.size, CHUNK))
    return max(int(np.where(part == DRAWN, 0, part).max()) for part in parts)


def _write(code: Any, pair: Pair, work: Work) -> None:
    if (longest := _longest(work)) > MAX_DISTANCE:
        raise WrongTables(f"a game of {pair} lasts {longest - 1} moves, more than the tables can hold")
    work.wld[pair.start // 4 : pair.end // 4] = 0  # an interrupted build may have started writing here
    for part in pair.slices:
        code.write_slice(work, layout.offset(part) - pair.start, part.size)
