"""Opponents of a learner: random play, an engine, a trained file, any function, or a league of these.

Learners act one step, jump or die at a time, engines choose whole moves; the game's `Encoding` translates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike, fspath
from random import Random
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import IllegalAction, UnknownOption
from ludus.engines import engines
from ludus.engines.engine import OWN_LIMIT, Engine
from ludus.engines.trained import find_trained
from ludus.envs.batched import stateless
from ludus.envs.encoding import Encoding, find_encoding
from ludus.envs.policy import Policy, check_temperature
from ludus.envs.value import Value, is_value
from ludus.games import GAMES

Array = NDArray[Any]
Function = Callable[[Array, Array, np.random.Generator], Any]
MOST_WEIGHT = 1e300
"""So that the sum of many is still a number."""
NO_ACTION = -1
"""Pads the row of a game whose turn takes fewer actions than another's."""


class OpponentView(Protocol):
    """A batch as an opponent sees it."""

    @property
    def observation(self) -> Array: ...

    @property
    def action_mask(self) -> Array: ...

    def position(self, game: int) -> Any: ...

    def history(self, game: int) -> Sequence[Any]:
        """Earlier positions that can occur again, oldest first."""
        ...

    def states(self, games: Array) -> Array:
        """The states that `ludus.envs.stateless` takes, a row for each of these games."""
        ...

    def random_words(self, games: Array) -> Array:
        """A random 32-bit number for each of these games, new with every action and reproducible by the seed."""
        ...


class Opponent(Protocol):
    def choose_actions(self, view: OpponentView, games: Array) -> Array:
        """A row of one or more actions, all of the same turn, for each of these games."""
        ...


Choice = str | PathLike[str] | Policy | Value | Opponent | Function
"""How users name an opponent."""


def find_opponent(choice: Choice, game: str | Encoding) -> Opponent | None:
    """The opponent a user has named; None stands for random play, which is compiled."""
    encoding = find_encoding(game)
    known = engines(encoding.game)
    if isinstance(choice, str) and choice in known:
        return None if choice == "random" else EngineOpponent(encoding, known[choice])
    if isinstance(choice, PathLike) or (isinstance(choice, str) and choice.endswith(".npz")):
        choice = _load(choice, encoding)
    if isinstance(choice, Policy):
        choice = PolicyOpponent(choice)
    if isinstance(choice, Value):
        choice = ValueOpponent(choice)
    if isinstance(choice, PolicyOpponent | ValueOpponent) and find_encoding(choice.game) is not encoding:
        raise UnknownOption(f"this file's network plays {choice.game}, not {encoding.name}")
    if hasattr(choice, "choose_actions"):
        return choice
    if callable(choice):
        return FunctionOpponent(choice)
    others = "policies, values and weights (.npz), functions"
    raise UnknownOption(f"there is no opponent {choice!r}; there are {', '.join(known)}, {others}")


def _load(path: str | PathLike[str], encoding: Encoding) -> Policy | Value | Opponent:
    engine = find_trained(fspath(path), encoding.game)
    if engine:
        return EngineOpponent(encoding, engine)
    return Value.load(path) if is_value(path) else Policy.load(path)


class PolicyOpponent:
    """Evaluates the policy for all games at once."""

    def __init__(self, policy: Policy, temperature: float = 0) -> None:
        check_temperature(temperature)
        self.policy = policy
        self.temperature = temperature

    @property
    def game(self) -> str:
        return self.policy.game

    def choose_actions(self, view: OpponentView, games: Array) -> Array:
        uniform = view.random_words(games) / 2.0**32
        return self.policy.choose(view.observation[games], view.action_mask[games], uniform, self.temperature)[:, None]


class ValueOpponent:
    """Makes the move with the most valuable after-state, in all games at once. Nothing is random."""

    def __init__(self, value: Value) -> None:
        self.value = value
        self._env = stateless(value.game, scoring="points")

    def __reduce__(self) -> Any:
        """Compiled functions are not copied."""
        return type(self), (self.value,)

    @property
    def game(self) -> str:
        return self.value.game

    def choose_actions(self, view: OpponentView, games: Array) -> Array:
        found = self._env.afterstates(view.states(games))
        chosen = found.best(found.reward + found.discount * self.value(found.observation))
        actions: Array = found.actions[found.offsets[:-1] + chosen]
        return actions.astype(np.int64)


class FunctionOpponent:
    """Calls a function of observation, mask and random generator for each game."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def choose_actions(self, view: OpponentView, games: Array) -> Array:
        seeds = view.random_words(games).tolist()
        return np.array([[self._choose(view, *pair)] for pair in zip(games.tolist(), seeds, strict=True)], np.int64)

    def _choose(self, view: OpponentView, game: int, seed: int) -> int:
        mask = view.action_mask[game].copy()
        action = self._function(view.observation[game].copy(), mask.copy(), np.random.default_rng(seed))
        got = np.asarray(action)
        if got.shape != () or got.dtype.kind not in "iu" or not 0 <= got < mask.size or not mask[got]:
            raise IllegalAction(f"the opponent's action {action!r} is not legal in game {game}")
        return int(got)


class EngineOpponent:
    """Asks an engine for a whole move in each game."""

    def __init__(self, game: str | Encoding, engine: Engine) -> None:
        self._encoding = find_encoding(game)
        self._rules = GAMES[self._encoding.game].compiled()
        self._engine = engine

    def choose_actions(self, view: OpponentView, games: Array) -> Array:
        seeds = view.random_words(games).tolist()
        turns = [self._choose(view, *pair) for pair in zip(games.tolist(), seeds, strict=True)]
        longest = max(map(len, turns))
        return np.array([turn + [NO_ACTION] * (longest - len(turn)) for turn in turns], np.int64)

    def _choose(self, view: OpponentView, game: int, seed: int) -> list[int]:
        position = view.position(game)
        move = self._engine.choose(self._rules, position, OWN_LIMIT, Random(seed), view.history(game))
        return self._encoding.encode_move(position, move)


class League:
    """Several opponents, one of which is drawn for every new game.

    Members can be added and weights changed at any time; that affects the games that start afterwards.
    """

    def __init__(self, members: Sequence[Choice], weights: Sequence[float] | None = None) -> None:
        if not members:
            raise UnknownOption("a league has at least one member")
        self.members = tuple(members)
        self.weights = checked_weights([1] * len(members) if weights is None else weights, len(members))
        """How often each member is drawn, in proportion. Read-only."""
        self._encoding: Encoding | None = None
        self._found: list[Opponent | None] = []

    def __reduce__(self) -> Any:
        """A copy looks up its members again: engines are not copied."""
        return type(self), (self.members, self.weights.tolist())

    def set_weights(self, weights: Sequence[float]) -> None:
        self.weights = checked_weights(weights, len(self.members))

    def add(self, member: Choice, weight: float = 1) -> int:
        """Adds a member, and returns its number."""
        weights = checked_weights([*self.weights.tolist(), weight], len(self.members) + 1)
        if self._encoding:
            self._found.append(find_opponent(member, self._encoding))
        self.members, self.weights = (*self.members, member), weights
        return len(self.members) - 1

    def enter(self, encoding: Encoding) -> None:
        """Finds the members; from now on the league plays this game."""
        if self._encoding is None:
            self._found = [find_opponent(member, encoding) for member in self.members]
            self._encoding = encoding
        elif self._encoding is not encoding:
            raise UnknownOption(f"this league plays {self._encoding.name}, not {encoding.name}")

    def opponent(self, member: int) -> Opponent | None:
        return self._found[member]

    def draw(self, words: Array) -> Array:
        """Draws a member for each random 32-bit number."""
        sums = self.weights.cumsum()
        drawn: Array = np.searchsorted(sums, words * (sums[-1] / 2.0**32), side="right")
        return drawn


class Alone(League):
    """A single opponent in the place of a league."""


def checked_weights(weights: Any, number: int) -> NDArray[np.float64]:
    try:
        found = np.array(weights, np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (number,) or not np.isfinite(found).all() or found.min() < 0 or not found.any():
        raise UnknownOption(f"a league of {number} has {number} weights, none below 0 and not all 0")
    if found.max() > MOST_WEIGHT:
        raise UnknownOption(f"a league's weights are at most {MOST_WEIGHT:g}")
    found.flags.writeable = False
    return found


def find_leagues(choice: Any, number: int, encoding: Encoding) -> tuple[list[League], NDArray[np.int64]]:
    """The leagues that a user has named for `number` games, and which of them plays in each.

    A sequence has an entry for each game; a single opponent is a league of one.
    """
    choices = list(choice) if isinstance(choice, list | tuple) else [choice] * number
    if len(choices) != number:
        raise UnknownOption(f"there are {len(choices)} opponents for {number} games")
    leagues: dict[Any, League] = {}
    for each in choices:
        if id(each) not in leagues:
            leagues[id(each)] = each if isinstance(each, League) else Alone([each])
            leagues[id(each)].enter(encoding)
    numbers = {key: place for place, key in enumerate(leagues)}
    return list(leagues.values()), np.array([numbers[id(each)] for each in choices], np.int64)
