"""Games as values: pure functions from states to states, for searches."""

from __future__ import annotations

import abc
from functools import partial
from typing import Any, Generic, NamedTuple

from ludus.core.errors import UnknownOption
from ludus.envs.batched.afterstates import Afterstates
from ludus.envs.batched.environment import Array, Environment, Step, as_host_array
from ludus.envs.options import check_integer


class View(NamedTuple, Generic[Array]):
    """What the player to move sees, a row per game."""

    observation: Array
    action_mask: Array
    to_play: Array


class Chance(NamedTuple, Generic[Array]):
    """All rolls with which the turns of some games could have begun.

    Those of game `i` are rows `offsets[i]` to `offsets[i + 1]`; their weights are integers, and the probability of one
    is its weight divided by the sum of the game's.
    """

    states: Array
    weights: Array
    offsets: Array


class StatelessEnv(abc.ABC, Environment[Array]):
    """Functions that don't change their arguments and return new arrays; made by `ludus.envs.stateless`.

    States are those of `Batch.save`. A game that ends stays as it is.
    """

    def __reduce__(self) -> Any:
        """Copies are made from the options: compiled functions and threads can't be copied."""
        return partial(type(self), self._version, **self._options()), ()

    def init(self, num: int, seed: int | None = 0) -> Array:
        """The states of `num` new games: those of a batch with this seed."""
        return self._init(check_integer("num", num, 1, 1 << 28), seed)

    @abc.abstractmethod
    def _init(self, num: int, seed: int | None) -> Array: ...

    @abc.abstractmethod
    def observe(self, states: Any) -> View[Array]:
        """What can be seen in these states. A game that was won or drawn has no legal actions."""

    @abc.abstractmethod
    def step(self, states: Any, actions: Any = None) -> tuple[Array, Step[Array]]:
        """Plays one action in each game, random ones for None, and returns the new states and the result.

        A game that was over stays so, whatever its action is, with a reward of 0.
        """

    @abc.abstractmethod
    def chance(self, states: Any) -> Chance[Array]:
        """All rolls with which each game's turn could have begun or can begin; one row if it begins without a roll."""

    @abc.abstractmethod
    def afterstates(self, states: Any) -> Afterstates[Array]:
        """All whole moves of each game, and the states they lead to before the dice are rolled again."""

    @abc.abstractmethod
    def roll(self, states: Any) -> Array:
        """The same games, with dice, from their own random numbers, in those that wait for them, as after-states do."""

    @abc.abstractmethod
    def set_dice(self, states: Any, dice: Any) -> Array:
        """The same games with these dice, a pair per game; only possible at the start of a turn."""

    @abc.abstractmethod
    def set_positions(self, states: Any, positions: Any) -> Array:
        """New games from given positions with the random numbers of these states; see `Batch.set_positions`."""

    def positions(self, states: Any) -> list[Any]:
        """The positions as values of the rules."""
        return self._positions(self._format.check(as_host_array(states)))

    @abc.abstractmethod
    def reseed(self, states: Any, seed: int | None) -> Array:
        """The same games with other random numbers to come: those of a batch with this seed."""


def impossible_dice(row: int) -> UnknownOption:
    return UnknownOption(
        f"the dice in row {row} can't be rolled there: dice are 1 to 6, a roll can be set only at the start of a turn "
        "in a game that isn't over, and the first one of a game is no double"
    )
