"""All moves of many games at once, and the states they lead to.

A move is a whole one: all steps of a play, all jumps of a chain, or a decision about the cube. Its after-state is the
game before the dice are rolled for the next move, so it does not depend on chance.
"""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import IllegalAction, LudusError, MalformedAction, UnknownOption
from ludus.envs.batched.states import StateFormat, not_rolled
from ludus.envs.sampling.arrays import dtype_of, is_real, readable_row

Array = TypeVar("Array")


class Afterstates(NamedTuple, Generic[Array]):
    """One row per move; those of game `i` are rows `offsets[i]` to `offsets[i + 1]`, none for a game that is over.

    `reward + discount * value` is a move's worth to the player who makes it, if `value` is the observation's worth to
    `to_play`, the player who acts next. `discount` is -1 if that is the other player, 1 if it is the same one, and 0 if
    the game is over.
    """

    offsets: Array
    states: Array
    actions: Array
    """The actions that make up the move, padded with -1."""
    observation: Array
    reward: Array
    discount: Array
    terminated: Array
    to_play: Array

    @property
    def counts(self) -> Any:
        """How many moves each game has."""
        return self._segments.count_rows(self.offsets)

    @property
    def games(self) -> Any:
        """The game of each row."""
        return self._segments.name_games(self)

    def best(self, worth: Any) -> Any:
        """The index of each game's move with the greatest worth; -1 in a game without moves."""
        moves: Any = self.states
        if np.shape(worth) != (len(moves),):
            raise MalformedAction(f"there are {len(moves)} moves, and values of shape {np.shape(worth)}")
        values = readable_row(worth)
        if not is_real(values):
            raise MalformedAction(f"the values of moves are real numbers, not {dtype_of(values)}")
        return self._segments.find_best(self.offsets, values)

    @property
    def _segments(self) -> Any:
        """The functions for the device that the arrays are on."""
        if isinstance(self.offsets, np.ndarray):
            from ludus.envs.batched.afterstates import cpu

            return cpu
        from ludus.envs.batched.afterstates import cuda

        return cuda


class Listing(NamedTuple):
    """The states whose moves are listed."""

    states: Any
    afterstates: Afterstates[Any]


class NotListed(IllegalAction):
    def __init__(self) -> None:
        super().__init__("the games have changed since their moves were listed; call afterstates() first")


def check_listable(kernel: Any, name: str) -> None:
    if not hasattr(kernel, "MOST_MOVES"):
        raise UnknownOption(f"{name} lists no moves, so it has no after-states")


def no_moves(form: StateFormat, state: NDArray[np.int64], game: int) -> LudusError:
    """The error for a game without moves: one that goes on has some, unless it waits for dice."""
    return not_rolled(game) if form.is_waiting(state[None]).any() else form.broken()


def read_chosen(chosen: Any, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The chosen move's index in each game."""
    try:
        numbers = np.asarray(chosen)
    except (TypeError, ValueError):
        raise MalformedAction(f"moves are chosen by a row of {len(counts)} integers") from None
    if numbers.shape != counts.shape or numbers.dtype.kind not in "iu":
        raise MalformedAction(
            f"moves are chosen by a row of {len(counts)} integers, not {numbers.dtype} of shape {numbers.shape}"
        )
    wrong = np.flatnonzero((numbers < 0) | (numbers >= counts))
    if len(wrong):
        game = wrong[0]
        raise MalformedAction(f"game {game} has {counts[game]} moves, and number {numbers[game]} is chosen")
    return numbers.astype(np.int64)
