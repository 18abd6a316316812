"""Builds endgame tables in files, slice after slice; an interrupted build goes on where it was."""

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
from ludus.engines.checkers.endgames.counts import KNOWN, Counts, count_all
from ludus.engines.checkers.endgames.layout import Bytes, Pair
from ludus.engines.checkers.endgames.solution import Stage, solve
from ludus.engines.checkers.endgames.tables import PACKAGED, Tables, WrongTables, load, paths

UNFINISHED: Final = ".part"
LOCK: Final = ".lock"
JOURNAL: Final = ".done"
"""A file with a line for each pair of slices that is solved and on disk, in their order."""


class Step(NamedTuple):
    pair: Pair
    stage: Stage


class Draft:
    """Tables in the making: the two files under names of their own, and the journal beside them."""

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
            raise WrongTables(f"{self._journal} is not of this program; remove it to begin anew")
        return len(lines)

    def copy(self, tables: Tables) -> None:
        """Takes over finished tables of fewer pieces, which have the same numbers."""
        self.wld[: tables.wld.size] = tables.wld
        self.lengths[: tables.lengths.size] = tables.lengths
        self.note(len(layout.pairs(tables.pieces)))

    def note(self, done: int) -> None:
        """Brings all slices to the disk, and after them the news that so many pairs are solved."""
        self.wld.flush()
        self.lengths.flush()
        fresh = self._journal.with_name(self._journal.name + UNFINISHED)
        with fresh.open("w") as file:
            file.writelines(f"{name}\n" for name in _names(self.pieces, done))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._journal)

    def finish(self) -> None:
        """Gives the files their names; the lengths first, since whoever finds both takes them."""
        for unfinished, finished in reversed(list(zip(self._files, self._finished, strict=True))):
            unfinished.replace(finished)
        self._journal.unlink()


@contextmanager
def _lease(path: Path) -> Iterator[None]:
    """Held by the one process that builds these tables; the system gives it back when that process ends."""
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
    """A file of zeros that has its room on the disk: a mapped file that runs out of it would end the process."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)


def build(pieces: int, folder: Path) -> Generator[Step, None, None]:
    """Makes the tables of up to so many pieces, from the largest ones there are; stop and go on at any step.

    Tables that are finished are left as they are.
    """
    if not layout.FEWEST_PIECES <= pieces <= layout.MOST_PIECES:
        raise BadInput(f"tables are of {layout.FEWEST_PIECES} to {layout.MOST_PIECES} pieces, not {pieces}")
    if is_finished(pieces, folder):
        return
    with _lease(paths(folder, pieces)[0].with_suffix(LOCK)):
        draft = Draft(folder, pieces)
        if draft.done() == 0 and pieces > PACKAGED:
            draft.copy(load(pieces - 1, folder))
        yield from _solve(draft)
        for number in range(2, pieces + 1):
            check(number, draft.wld)
        draft.finish()


def is_finished(pieces: int, folder: Path) -> bool:
    """Whether both files are there in full length; a build gives them their names only after it has checked them."""
    sizes = layout.total(pieces) // 4, layout.total(pieces)
    return all(
        path.is_file() and path.stat().st_size == size
        for path, size in zip(paths(folder, pieces), sizes, strict=True)
    )  # fmt: skip


def _solve(draft: Draft) -> Iterator[Step]:
    done, wld, lengths = draft.done(), np.asarray(draft.wld), np.asarray(draft.lengths)
    for pair in layout.pairs(draft.pieces)[done:]:
        yield from (Step(pair, stage) for stage in solve(pair, wld, lengths))
        done += 1
        draft.note(done)


def check(pieces: int, wld: Bytes) -> Counts:
    """Counts the positions of so many pieces; refuses what differs from the known counts."""
    found = count_all(pieces, wld)
    if found != KNOWN.get(pieces, found):
        known = f"{KNOWN[pieces]} are known; remove the files and build them again"
        raise WrongTables(f"of {pieces} pieces {found} were found, but {known}")
    return found
