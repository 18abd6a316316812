"""The state of a game as a row of integers, which `save` returns and `restore` takes.

| words | |
|---|---|
| 0 | the tag: `STATE_FORMAT` in the low 16 bits, above them the CRC-32 of the encoding's name |
| 1 | the outcome: 0 while the game continues, else how it ended and the points |
| 2 ... | the kernel's column, `WORDS` integers |
| ... | the kernel's history, `HISTORY` integers |

The low two bits of an outcome say how the game ended: 1 won, 2 drawn, 3 truncated. The bits above them are the first
player's points, negative if the second player won.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import GameIsOver, MalformedState, UnknownOption
from ludus.envs.batched.driver import HEADER, OUTCOME, TAG
from ludus.envs.encoding import Encoding, games, versions

STATE_FORMAT = 1
"""Raised when the meaning of a word changes."""
TAG_BITS = 16


class StateFormat:
    """The rows of one encoding's games."""

    def __init__(self, encoding: Encoding, kind: str = "", more: int = 0) -> None:
        """Environments of another `kind` add a few words of their own."""
        kernel = encoding.kernel
        self.name = encoding.name + kind
        self.tag = tag_of(self.name)
        self.words = self.width(kernel) + more
        self.column = slice(HEADER, HEADER + int(kernel.WORDS))
        self.history = slice(self.column.stop, self.width(kernel))
        self.more = slice(self.history.stop, self.words)
        self.bounds, self.waiting = self.bounds_of(kernel), self.waiting_of(kernel)

    @staticmethod
    def width(kernel: Any) -> int:
        return HEADER + int(kernel.WORDS) + int(kernel.HISTORY)

    @staticmethod
    def bounds_of(kernel: Any) -> tuple[tuple[int, int], ...]:
        """The column's rows that index arrays, and their greatest values."""
        return (kernel.PLAYER, 1), *getattr(kernel, "BOUNDS", ())

    @staticmethod
    def waiting_of(kernel: Any) -> tuple[int, int]:
        """The row and the bit that say that a game waits for dice; no bit in a game without any."""
        row, bit = getattr(kernel, "WAITING", (0, 0))
        return row, bit

    def check(self, states: Any, number: int | None = None) -> NDArray[np.int64]:
        """Returns the saved states, of any number of games or of `number`, or raises if they aren't saved states."""
        self.check_shape(states, number)
        rows = np.asarray(states)
        tags = rows[:, TAG]
        if (tags != self.tag).any():
            raise self.foreign(int(tags[tags != self.tag][0]))
        for word, high in self.bounds:
            values = rows[:, HEADER + word]
            if len(values) and not 0 <= values.min() <= values.max() <= high:
                raise self.broken()
        return rows

    def check_shape(self, states: Any, number: int | None) -> None:
        shape, kind = tuple(getattr(states, "shape", ())), str(getattr(states, "dtype", type(states).__name__))
        is_good = len(shape) == 2 and shape[1] == self.words and number in (None, shape[0])
        if not is_good or kind.removeprefix("torch.") != "int64":
            expected = f"int64 of shape ({'any' if number is None else number}, {self.words})"
            raise MalformedState(f"states of {self.name} are {expected}, not {kind} of shape {shape}")

    def check_open(self, rows: NDArray[np.int64]) -> None:
        """Raises if a game is over: a batch starts a new game when one ends, so it can't hold a finished one."""
        over = np.flatnonzero(rows[:, OUTCOME])
        if len(over):
            raise GameIsOver(f"the game in row {over[0]} is over")

    def check_rolled(self, rows: NDArray[np.int64]) -> None:
        """Raises if a game waits for dice: nothing can be played before they are rolled."""
        waiting = np.flatnonzero(self.is_waiting(rows))
        if len(waiting):
            raise not_rolled(int(waiting[0]))

    def is_waiting(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which games wait for dice."""
        row, bit = self.waiting
        return np.asarray((rows[:, HEADER + row] & bit != 0) & (rows[:, OUTCOME] == 0))

    def foreign(self, tag: int) -> MalformedState:
        """The error about the first wrong tag."""
        name, version = _name_of(tag >> TAG_BITS), tag & (1 << TAG_BITS) - 1
        if name is None:
            return MalformedState(f"these are not states of {self.name}: the tag in word 0 is unknown")
        if name != self.name:
            return MalformedState(f"these are states of {name}, not of {self.name}")
        return MalformedState(f"these states have format {version}, and this version of Ludus reads {STATE_FORMAT}")

    def broken(self) -> MalformedState:
        return MalformedState(f"no state of {self.name} has these words")


def not_rolled(game: int) -> UnknownOption:
    return UnknownOption(f"the dice of game {game} have not been rolled")


def tag_of(name: str) -> int:
    return crc32(name.encode()) << TAG_BITS | STATE_FORMAT


def _name_of(mark: int) -> str | None:
    names = (encoding.name for game in games() for encoding in versions(game).values())
    return next((name for name in names if crc32(name.encode()) == mark), None)
