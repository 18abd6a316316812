"""Checkers positions, moves and observations as the kernel has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludus.core.bits import reverse
from ludus.core.rules import Player
from ludus.envs.checkers import kernel
from ludus.envs.encoding import Encoding, Observations
from ludus.envs.simulator import Simulator
from ludus.games.checkers.kernel import DARK, QUIET_LIMIT
from ludus.games.checkers.position import Move, Position, bit_of, square_of

DROPPED = 1 << 62
"""The square of the other side for which `kings_key` has no room."""


def _high() -> Observations:
    high = np.ones((6, 8, 8), np.int8)
    high[5] = QUIET_LIMIT
    high.flags.writeable = False
    return high


class CheckersEncoding(Encoding):
    """An action is a direction and a square; six planes show the board from the mover's side."""

    game = "checkers"
    kernel: ClassVar[Any] = kernel
    high: ClassVar[Observations] = _high()
    aec_envs: ClassVar[Mapping[str, str]] = MappingProxyType(
        {f"checkers-v{version}": f"ludus.envs.checkers_v{version}:env" for version in (3, 4, 5)}
    )

    def encode_position(self, position: Position) -> Sequence[int]:
        own, other, kings = position.own, position.other, position.kings
        if position.mover is Player.SECOND:
            own, other, kings = reverse(own), reverse(other), reverse(kings)
        return own, other, kings, position.mover.value, position.quiet

    def decode_words(self, words: Sequence[int]) -> Position:
        own, other, kings, player, quiet = words
        if player == Player.FIRST:
            return Position(own, other, kings, Player.FIRST, quiet)
        return Position(reverse(other), reverse(own), reverse(kings), Player(player), quiet)

    def decode_position(self, column: Sequence[int]) -> Position:
        """A position; in mid-chain it is still the jumper's move."""
        rows = kernel.OWN, kernel.OTHER, kernel.KINGS, kernel.PLAYER, kernel.QUIET
        return self.decode_words([column[row] for row in rows])

    def decode_observations(self, observations: Observations, players: NDArray[Any]) -> NDArray[np.int64]:
        planes = np.packbits(observations[:, :5].reshape(-1, 5, 64) != 0, axis=2, bitorder="little").view(np.int64)
        men, kings, other_men, other_kings, chain = planes[:, :, 0].T
        columns = np.zeros((len(observations), self.kernel.WORDS), np.int64)
        columns[:, kernel.OWN], columns[:, kernel.OTHER] = men | kings, other_men | other_kings
        columns[:, kernel.KINGS], columns[:, kernel.CHAIN] = kings | other_kings, chain
        columns[:, kernel.QUIET], columns[:, kernel.PLAYER] = observations[:, 5, 0, 0], players
        return columns

    def decode_history(self, column: Sequence[int], history: Sequence[int]) -> tuple[Position, ...]:
        """The history holds the kings' squares, or -1 before a position that was set up; no man has moved since."""
        if not column[kernel.QUIET]:
            return ()
        now = self.decode_position(column)
        return tuple(_earlier(now, quiet, key) for quiet, key in enumerate(history[: now.quiet]) if key >= 0)

    def encode_move(self, position: Position, move: Move) -> list[int]:
        """Directions and squares are the mover's: the second player's board is turned by 180 degrees."""
        squares = [bit_of(square).bit_length() - 1 for square in move.path]
        if position.mover is Player.SECOND:
            squares = [63 - square for square in squares]
        return [((there > here) * 2 + (there % 8 > here % 8)) * 64 + here for here, there in pairwise(squares)]

    def write_action(self, position: Position, action: int) -> str:
        """An action's origin and landing, such as `9-14` and `14x23`."""
        direction, here = divmod(action, 64)
        step = (8 if direction >= 2 else -8) + (1 if direction & 1 else -1)
        if position.mover is Player.SECOND:
            here, step = 63 - here, -step
        is_jump = position.other >> here + step & 1
        there = here + step * (1 + is_jump)
        return f"{square_of(1 << here)}{'x' if is_jump else '-'}{square_of(1 << there)}"

    def flip(self, observations: Observations) -> Observations:
        return observations[:, [2, 3, 0, 1, 4, 5], ::-1, ::-1]


def _earlier(now: Position, quiet: int, key: int) -> Position:
    """The position after `quiet` quiet moves, whose mover saw the kings of `key`."""
    is_same = (now.quiet - quiet) % 2 == 0
    mover = now.mover if is_same else now.mover.other
    other = now.other if is_same else now.own
    first, second = decode_kings(key, (other & now.kings).bit_count())
    if mover is Player.SECOND:
        first, second = reverse(second), reverse(first)
    return Position(now.first & ~now.kings | first, now.second & ~now.kings | second, first | second, mover, quiet)


def decode_kings(key: int, others: int) -> tuple[int, int]:
    """The mover's kings and the other side's in a key made by `kings_key`; the other side has `others` kings."""
    light = key & ~DARK
    other = (light & kernel.EVEN_ROWS) << 1 | (light & ~kernel.EVEN_ROWS) >> 1
    return key & DARK, other if other.bit_count() == others else other | DROPPED


class CheckersPlanes(Simulator):
    """The first planes of the observation, planes last, as PettingZoo's `checkers_v3` had them."""

    def __init__(self, planes: int, dtype: type[np.generic], version: str = "checkers_v4") -> None:
        super().__init__(version)
        self._arguments = planes, dtype, version
        self._planes = planes
        self._dtype = dtype
        self._last = self._observation[:planes].transpose(1, 2, 0)
        self.high = self._planes_last(self.high)

    def observe(self, player: int) -> NDArray[Any]:
        if player == self.player:
            return np.ascontiguousarray(self._last, self._dtype)
        return self._planes_last(self._encoding.flip(self._observation[None])[0])

    def _planes_last(self, planes: NDArray[Any]) -> NDArray[Any]:
        return np.ascontiguousarray(planes[: self._planes].transpose(1, 2, 0), self._dtype)
