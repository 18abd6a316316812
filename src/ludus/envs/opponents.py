"""Who sits opposite a learner: chance, an engine, a policy from a file, or any function.

Learners act one hop or one die at a time, engines choose whole moves. `position_of` and `actions_of` lead from one to
the other and back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from os import PathLike
from random import Random
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import IllegalAction, UnknownOption
from ludus.core.rules import Player
from ludus.engines import ENGINES
from ludus.engines.engine import OWN_LIMIT, Engine
from ludus.envs.batched import backgammon
from ludus.envs.policy import Policy
from ludus.envs.table import backgammon_position, checkers_position
from ludus.games import GAMES
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import OFF, Play
from ludus.games.backgammon.position import Position as BackgammonPosition
from ludus.games.checkers.position import Move, bit_of
from ludus.games.checkers.position import Position as CheckersPosition

Array = NDArray[Any]
Function = Callable[[Array, Array, np.random.Generator], Any]
NONE = -1
"""Fills the row of a game whose turn takes fewer actions than another's."""


class Table(Protocol):
    """The games an opponent is asked about."""

    @property
    def observation(self) -> Array: ...

    @property
    def action_mask(self) -> Array: ...

    def position(self, game: int) -> Any: ...

    def past(self, game: int) -> Sequence[Any]:
        """The positions before that can come again, oldest first."""
        ...

    def luck(self, games: Array) -> Array:
        """A number below 2**32 for each of these games, new with every action and the same with the same seed."""
        ...


class Opponent(Protocol):
    def answer(self, table: Table, games: Array) -> Array:
        """What to play in each of these games: a row of one or more actions, all of the same turn."""
        ...


Choice = str | PathLike[str] | Policy | Opponent | Function
"""How users name an opponent."""


def find_opponent(choice: Choice, game: str) -> Opponent | None:
    """The opponent a user has named; None stands for one that plays at random."""
    if isinstance(choice, str) and choice in ENGINES:
        return None if choice == "random" else EngineOpponent(game, ENGINES[choice])
    if isinstance(choice, PathLike) or (isinstance(choice, str) and choice.endswith(".npz")):
        choice = Policy.load(choice)
    if isinstance(choice, Policy):
        choice = PolicyOpponent(choice)
    if isinstance(choice, PolicyOpponent) and choice.policy.game != game:
        raise UnknownOption(f"this policy plays {choice.policy.game}, not {game}")
    if hasattr(choice, "answer"):
        return choice
    if callable(choice):
        return FunctionOpponent(choice)
    known = ", ".join(ENGINES)
    raise UnknownOption(f"there is no opponent {choice!r}; there are {known}, policy files (.npz) and functions")


class PolicyOpponent:
    """Asks the policy for all games at once."""

    def __init__(self, policy: Policy, temperature: float = 0) -> None:
        if not 0 <= temperature < np.inf:
            raise UnknownOption(f"a temperature is 0 or more, not {temperature}")
        self.policy = policy
        self.temperature = temperature

    def answer(self, table: Table, games: Array) -> Array:
        luck = table.luck(games) / 2.0**32
        return self.policy.choose(table.observation[games], table.action_mask[games], luck, self.temperature)[:, None]


class FunctionOpponent:
    """Asks a function of observation, mask and random numbers, game by game."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def answer(self, table: Table, games: Array) -> Array:
        lucks = table.luck(games).tolist()
        return np.array([[self._ask(table, *pair)] for pair in zip(games.tolist(), lucks, strict=True)], np.int64)

    def _ask(self, table: Table, game: int, luck: int) -> int:
        mask = table.action_mask[game].copy()
        action = self._function(table.observation[game].copy(), mask.copy(), np.random.default_rng(luck))
        got = np.asarray(action)
        if got.shape != () or got.dtype.kind not in "iu" or not 0 <= got < mask.size or not mask[got]:
            raise IllegalAction(f"the opponent's action {action!r} is not legal in game {game}")
        return int(got)


class EngineOpponent:
    """Asks an engine for whole moves, game by game."""

    def __init__(self, game: str, engine: Engine) -> None:
        self._rules = GAMES[game].compiled()
        self._engine = engine

    def answer(self, table: Table, games: Array) -> Array:
        lucks = table.luck(games).tolist()
        turns = [self._ask(table, *pair) for pair in zip(games.tolist(), lucks, strict=True)]
        longest = max(map(len, turns))
        return np.array([turn + [NONE] * (longest - len(turn)) for turn in turns], np.int64)

    def _ask(self, table: Table, game: int, luck: int) -> list[int]:
        position = table.position(game)
        move = self._engine.choose(self._rules, position, OWN_LIMIT, Random(luck), table.past(game))
        return actions_of(position, move)


def position_of(game: str, column: Sequence[int]) -> Any:
    """A column of a batch's state as a position of the rules; dice are there at the start of a turn only."""
    if game == "checkers":
        return checkers_position(list(column))
    position, dice = backgammon_position(list(column)), column[backgammon.DICE]
    is_start = dice >> 6 == (4 if dice & 7 == dice >> 3 & 7 else 2)
    return position if is_start else position._replace(dice=())


def actions_of(position: Any, move: Any) -> list[int]:
    """The actions that make up a whole move."""
    return _hops(position, move) if isinstance(move, Move) else _steps(position, move)


def _hops(position: CheckersPosition, move: Move) -> list[int]:
    """Directions and squares as the mover has them: the second player's board is turned by half."""
    squares = [bit_of(square).bit_length() - 1 for square in move.path]
    if position.mover is Player.SECOND:
        squares = [63 - square for square in squares]
    return [((there > here) * 2 + (there % 8 > here % 8)) * 64 + here for here, there in pairwise(squares)]


def _steps(position: BackgammonPosition, play: Play) -> list[int]:
    if not play.steps:
        return [backgammon.PASS]
    dice = list(position.dice * 2 if len(set(position.dice)) == 1 else position.dice)
    actions = []
    for source, target in play.steps:
        die = _die_to_bear_off(position, source, dice) if target == OFF else source - target
        dice.remove(die)
        actions.append((25 - source) * 6 + die - 1)
    return actions


def _die_to_bear_off(position: BackgammonPosition, source: int, dice: list[int]) -> int:
    """With two dice to choose from the higher, if a legal play begins so."""
    if len(set(dice)) == 1:
        return dice[0]
    highs, _ = kernel.first_steps(*position.own, kernel.blocked_by(*position.other), dice[0], dice[1])
    return dice[0] if highs >> 25 - source & 1 else dice[1]
