"""A value function as an engine: it makes the move whose after-state is worth most."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from random import Random
from typing import Any, Self

from ludus.core.errors import UnknownOption
from ludus.engines.engine import Limit
from ludus.envs import stateless
from ludus.envs.encoding import find_encoding
from ludus.envs.simulator import Simulator
from ludus.envs.value import Value


class ValuePlayer:
    def __init__(self, value: Value) -> None:
        self._value = value
        self._encoding = find_encoding(value.game)
        self._simulator = Simulator(value.game)
        self._env = stateless(value.game, scoring="points", threads=1)

    @classmethod
    def load(cls, path: str | PathLike[str], game: str, variant: str = "standard") -> Self:
        value = Value.load(path)
        encoding = find_encoding(value.game)
        if encoding.game != game:
            raise UnknownOption(f"{path} plays {value.game}, not {game}")
        if not encoding.plays(variant):
            raise UnknownOption(f"{path} can't play {variant}: it is a value function of {value.game} alone")
        return cls(value)

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        """The move to the best after-state; nothing is random."""
        if not self._encoding.shows(position):
            raise UnknownOption(f"a value function of {self._value.game} can't see everything that counts in this game")
        self._simulator.set_position(position, past)
        found = self._env.afterstates(self._simulator.save())
        chosen = found.best(found.reward + found.discount * self._value(found.observation))[0]
        actions = [action for action in found.actions[chosen].tolist() if action >= 0]
        return self._encoding.decode_move(rules, position, actions)
