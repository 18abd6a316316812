"""What the players of one game saw and did, a row for each action."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import MalformedObservation

Array = NDArray[Any]


class Trajectory(NamedTuple):
    observation: Array
    action_mask: Array
    action: Array
    to_play: Array
    outcome: Array
    """The game's points for the player to act: negative if they lost, 0 for a draw or an unfinished game."""
    is_over: bool


def split(
    observation: Any, action_mask: Any, action: Any, to_play: Any, reward: Any, terminated: Any, truncated: Any
) -> Iterator[Trajectory]:
    """Splits what a batch played into games; the arrays have a row per step, with an entry per game.

    Observation, mask and `to_play` are those before the action, the others those after it. A game that was cut off by
    `max_steps` or by the last row is not over.
    """
    arrays = [np.asarray(each) for each in (observation, action_mask, action, to_play, reward, terminated, truncated)]
    if any(each.ndim < 2 or each.shape[:2] != arrays[0].shape[:2] for each in arrays):
        raise MalformedObservation("the arrays must have the same number of steps and of games")
    steps, num_envs = arrays[0].shape[:2]
    for game in range(num_envs):
        seen, mask, chosen, players, rewards, ended, cut = (each[:, game] for each in arrays)
        stops = [*(np.flatnonzero((ended != 0) | (cut != 0)) + 1).tolist(), steps]
        start = 0
        for stop in stops:
            if stop > start:
                rows, last = slice(start, stop), stop - 1
                signs = np.where(players[rows] == players[last], 1, -1).astype(np.int16)
                outcome = signs * np.int16(rewards[last] if ended[last] else 0)
                yield Trajectory(seen[rows], mask[rows], chosen[rows], players[rows], outcome, bool(ended[last]))
            start = stop
