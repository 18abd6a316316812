"""Expectimax over many games at once: all moves, all rolls with their exact weights, then a value function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import MalformedObservation, UnknownOption
from ludus.envs.batched.afterstates import Afterstates
from ludus.envs.batched.driver import HEADER
from ludus.envs.batched.functions import StatelessEnv
from ludus.envs.options import check_integer

ROWS = 256
"""After-states that are looked into together, which bounds the memory."""

Value = Callable[[NDArray[Any]], Any]
"""From observations to what the players who see them can expect, in the units of the environment's rewards."""


class Lookahead(NamedTuple):
    """The moves of each game, what each is worth to the player who makes it, and the number of the best one."""

    afterstates: Afterstates[NDArray[Any]]
    worth: NDArray[np.float64]
    chosen: NDArray[np.int64]


def expectimax(env: StatelessEnv[Any], states: Any, value: Value, *, depth: int = 1) -> Lookahead:
    """Looks `depth` moves ahead, plays and decisions about a cube alike; 1 compares the after-states themselves."""
    if env.device != "cpu":
        raise UnknownOption(f"expectimax runs on the cpu, not on {env.device}")
    return _search(env, states, value, check_integer("depth", depth, 1))


def _search(env: StatelessEnv[Any], states: Any, value: Value, depth: int) -> Lookahead:
    found = env.afterstates(states)
    worth = found.reward.astype(np.float64)
    going = np.flatnonzero(~found.terminated)
    for first in range(0, len(going), ROWS if depth > 1 else max(1, len(going))):
        rows = going[first : first + ROWS] if depth > 1 else going
        worth[rows] += found.discount[rows] * _values(env, found, rows, value, depth - 1)
    return Lookahead(found, worth, found.best(worth))


def _values(
    env: StatelessEnv[Any], found: Afterstates[NDArray[Any]], rows: NDArray[np.int64], value: Value, depth: int
) -> NDArray[np.float64]:
    """What the players to act can expect in these after-states."""
    if depth == 0:
        return _evaluate(value, found.observation[rows])
    rolls = env.chance(found.states[rows])
    inner = _search(env, rolls.states, value, depth)
    best = inner.worth[inner.afterstates.offsets[:-1] + inner.chosen]
    movers = rolls.states[:, HEADER + env._kernel.PLAYER]  # a roll may decide who begins
    players = np.repeat(found.to_play[rows], np.diff(rolls.offsets))
    sums = np.add.reduceat(np.where(movers == players, best, -best) * rolls.weights, rolls.offsets[:-1])
    return np.asarray(sums / np.add.reduceat(rolls.weights, rolls.offsets[:-1]))


def _evaluate(value: Value, observation: NDArray[Any]) -> NDArray[np.float64]:
    values = np.asarray(value(observation), np.float64)
    if values.shape != (len(observation),):
        raise MalformedObservation(
            f"the value function returned shape {values.shape} for {len(observation)} observations"
        )
    return values
