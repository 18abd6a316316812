"""What the agent sees: its spaces, and a board as the other side has it turned round."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ludus.envs.policy import highest

Observation = NDArray[np.int8]
SWAPPED = [2, 3, 0, 1, 4, 5]
"""The planes of checkers with own and other exchanged."""


def observation_space(game: str) -> spaces.Space[Any]:
    high = highest(game)
    return spaces.Box(np.zeros_like(high), high.copy(), dtype=np.int8)


def turned(game: str, seen: Observation) -> Observation:
    """Rows of observations as the other side has them."""
    if game == "checkers":
        return seen[:, SWAPPED, ::-1, ::-1]
    other = seen.copy()
    other[:, 0:26], other[:, 32:58] = _from_the_other_end(seen[:, 32:58]), _from_the_other_end(seen[:, 0:26])
    other[:, 58] = 1 - seen[:, 58]
    return other


def _from_the_other_end(men: Observation) -> Observation:
    """Men as the other side counts the points; bar and off stay first and last."""
    return np.concatenate([men[:, :1], men[:, 24:0:-1], men[:, 25:]], axis=1)


def final(game: str, seen: Observation, is_turned: NDArray[np.bool_]) -> Observation:
    """Rows of observations of games that are over, as the agent has them: nothing is left to be played."""
    seen = np.where(is_turned.reshape(-1, *[1] * (seen.ndim - 1)), turned(game, seen), seen)
    if game == "backgammon":
        seen[:, 26:32] = 0
    return seen


def mask_info(mask: NDArray[Any]) -> dict[str, Any]:
    """Gymnasium's form for an info of many games: the values, and which games have one."""
    return {"action_mask": mask, "_action_mask": np.ones(len(mask), np.bool_)}
