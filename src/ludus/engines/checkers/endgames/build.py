"""Builds endgame tables in files, slice by slice; an interrupted build can be resumed."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from ludus.core.errors import BadInput
from ludus.engines.checkers.endgames import layout
from ludus.engines.checkers.endgames.counts import check
from ludus.engines.checkers.endgames.layout import Pair
from ludus.engines.checkers.endgames.solver import Progress, solve
from ludus.engines.checkers.endgames.tables import PACKAGED, EndgameTables, WrongTables, load, paths

UNFINISHED: Final = ".part"
LOCK: Final = ".lock"
JOURNAL: Final = ".done"
"""A file with a line for each pair of slices that is solved and on disk, in order."""


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
    """Builds the tables of up to `pieces` pieces, starting from the largest available; can be stopped at any step.

    EndgameTables that are finished are left as they are.
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
