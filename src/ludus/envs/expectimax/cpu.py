"""Expectimax on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import MalformedObservation
from ludus.envs.batched.afterstates import Afterstates
from ludus.envs.batched.driver import HEADER
from ludus.envs.batched.functions import StatelessEnv
from ludus.envs.expectimax import Lookahead, Value, evaluate

ROWS = 256
"""After-states that are searched together, which bounds the memory."""


def search(env: StatelessEnv[Any], states: Any, value: Value, depth: int) -> Lookahead:
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
    inner = search(env, rolls.states, value, depth)
    best = inner.worth[inner.afterstates.offsets[:-1] + inner.chosen]
    movers = rolls.states[:, HEADER + env._kernel.PLAYER]  # a roll may decide who begins
    players = np.repeat(found.to_play[rows], np.diff(rolls.offsets))
    sums = np.add.reduceat(np.where(movers == players, best, -best) * rolls.weights, rolls.offsets[:-1])
    return np.asarray(sums / np.add.reduceat(rolls.weights, rolls.offsets[:-1]))


def _evaluate(value: Value, observation: NDArray[Any]) -> NDArray[np.float64]:
    values = np.asarray(evaluate(value, observation), np.float64)
    if np.isnan(values).any():
        raise MalformedObservation("the value function returned a value that is not a number")
    return values
