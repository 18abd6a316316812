"""Checkers observations with the repetitions that draw a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludus.envs.checkers.encoding import CheckersEncoding
from ludus.envs.checkers.kernel import kings_key
from ludus.envs.checkers.repetition import kernel
from ludus.envs.encoding import Observations
from ludus.games.checkers.position import Position

PLANES = 11
REPEATED = 6
"""The plane with the count of the position; the planes of the steps follow, one per direction."""
FLIPPED = (2, 3, 0, 1, 4, 5, 6, 10, 9, 8, 7)
"""The order of the planes for the other side: both sides' planes, and those of opposite directions, are swapped."""


def _high() -> Observations:
    high = np.full((PLANES, 8, 8), 2, np.int8)
    high[:REPEATED] = CheckersEncoding.high
    high.flags.writeable = False
    return high


class RepetitionEncoding(CheckersEncoding):
    """Adds planes that show how often the position, and those that actions lead to, have occurred."""

    kernel: ClassVar[Any] = kernel
    high: ClassVar[Observations] = _high()

    @property
    def gym_id(self) -> str:
        return "CheckersRepetition-v0"

    @property
    def name(self) -> str:
        return "checkers_v5"

    def decode_observations(self, observations: Observations, players: NDArray[Any]) -> NDArray[np.int64]:
        columns = super().decode_observations(observations, players)
        columns[:, kernel.REPEATED] = observations[:, REPEATED, 0, 0]
        steps = observations[:, REPEATED + 1 :].reshape(-1, 4, 64)
        for first, least in ((kernel.ONCE, 1), (kernel.TWICE, 2)):
            columns[:, first : first + 4] = np.packbits(steps >= least, axis=2, bitorder="little").view(np.int64)[
                :, :, 0
            ]
        return columns

    def encode_history(self, position: Position, past: Sequence[Position]) -> Sequence[int]:
        words = [-1] * (position.quiet + 1)
        for earlier in (*past[max(0, len(past) - position.quiet) :], position):
            own, other, kings, *_ = self.encode_position(earlier)
            words[earlier.quiet] = kings_key(own & kings, other & kings)
        return words

    def flip(self, observations: Observations) -> Observations:
        return observations[:, FLIPPED, ::-1, ::-1]
