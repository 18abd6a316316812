"""Expectimax on a GPU: a thread for each after-state adds up what its rolls are worth.

Games that are over are searched with the others, since leaving them out would take longer; their values don't count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.core.cuda import cuda, device_array, on_device
from ludus.envs.batched.afterstates import Afterstates
from ludus.envs.batched.cuda import grid_of
from ludus.envs.batched.driver import HEADER
from ludus.envs.batched.functions import StatelessEnv
from ludus.envs.expectimax import Lookahead, Value, evaluate

ROWS = 1 << 13
"""After-states that are searched together, which bounds the memory: they have millions of moves."""


def search(env: StatelessEnv[Any], states: Any, value: Value, depth: int) -> Lookahead:
    found = env.afterstates(states)
    rows = len(found.states)
    worth = device_array(rows, np.float64)
    size = rows if depth == 1 else ROWS
    for first in range(0, rows, max(1, size)):
        if depth == 1:
            values = on_device(evaluate(value, found.observation))
        else:
            values = _look_ahead(env, found, first, min(first + size, rows), value, depth - 1)
        add_values[grid_of(len(values))](found.reward, found.discount, first, values, worth)
    return Lookahead(found, worth, found.best(worth))


def _look_ahead(
    env: StatelessEnv[Any], found: Afterstates[Any], first: int, last: int, value: Value, depth: int
) -> Any:
    """What the players to act can expect in these after-states."""
    rolls = env.chance(found.states[first:last])
    inner = search(env, rolls.states, value, depth)
    values = device_array(last - first, np.float64)
    back_up[grid_of(len(values))](
        rolls.states, HEADER + env._kernel.PLAYER, rolls.weights, rolls.offsets, inner.afterstates.offsets, inner.worth,
        inner.chosen, found.to_play, first, values,
    )  # fmt: skip
    return values


@cuda.jit
def add_values(reward: Any, discount: Any, first: int, values: Any, worth: Any) -> None:
    i = cuda.grid(1)
    if i < values.shape[0]:
        m = first + i
        worth[m] = reward[m]
        if discount[m]:
            worth[m] += discount[m] * values[i]


@cuda.jit
def back_up(
    states: Any,
    player_word: int,
    weights: Any,
    offsets: Any,
    starts: Any,
    worth: Any,
    chosen: Any,
    to_play: Any,
    first: int,
    values: Any,
) -> None:
    """The mean over the rolls of each after-state; a roll may decide who begins. A game that is over has no moves."""
    i = cuda.grid(1)
    if i < values.shape[0]:
        total, weight = 0.0, 0
        for k in range(offsets[i], offsets[i + 1]):
            weight += weights[k]
            if chosen[k] >= 0:
                best = worth[starts[k] + chosen[k]] * weights[k]
                total += best if states[k, player_word] == to_play[first + i] else -best
        values[i] = total / weight
