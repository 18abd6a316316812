"""Expectimax over many games at once: all moves, all rolls with their exact weights, then a value function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ludus.core.errors import MalformedObservation, UnknownOption
from ludus.envs.batched.afterstates import Afterstates
from ludus.envs.batched.functions import StatelessEnv
from ludus.envs.options import check_integer
from ludus.envs.sampling.arrays import dtype_of, is_real, readable_row

Value = Callable[[Any], Any]
"""Maps observations to what the players who see them can expect, in the units of the environment's rewards."""


class Lookahead(NamedTuple):
    """The moves of each game, what each is worth to the player who makes it, and the number of the best one."""

    afterstates: Afterstates[Any]
    worth: Any
    chosen: Any


def expectimax(env: StatelessEnv[Any], states: Any, value: Value, *, depth: int = 1) -> Lookahead:
    """Looks `depth` moves ahead, plays and decisions about a cube alike; 1 compares the after-states themselves.

    On a GPU, arrays stay there: the value function gets Numba's device arrays and may return any library's.
    """
    if not isinstance(env, StatelessEnv):
        raise UnknownOption(f"expectimax takes the functions of `ludus.envs.stateless`, not {type(env).__name__}")
    depth = check_integer("depth", depth, 1)
    if env.device == "cuda":
        from ludus.envs.expectimax import cuda

        return cuda.search(env, states, value, depth)
    from ludus.envs.expectimax import cpu

    return cpu.search(env, states, value, depth)


def evaluate(value: Value, observation: Any) -> Any:
    """A value for each observation, in an array of any library."""
    values = readable_row(value(observation))
    if np.shape(values) != (len(observation),):
        raise MalformedObservation(
            f"the value function returned shape {np.shape(values)} for {len(observation)} observations"
        )
    if not is_real(values):
        raise MalformedObservation(f"the value function returns real numbers, not {dtype_of(values)}")
    return values
