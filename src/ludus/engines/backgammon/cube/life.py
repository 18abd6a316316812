"""How live the cube is: Janowski's parameter, by the kind of position.

The lives were found by `python -m benchmarks.engines.cube_life`, which rolls positions out with the cube, and
`TURNED_LOSS` by rollouts of close decisions in matches (docs/explanation/cube.md).
"""

from __future__ import annotations

from typing import Final

from ludus.engines.backgammon.network.features import BACK, BEAR_OFF, RACE, kind, men_in
from ludus.games.backgammon.position import Men

BEAR_OFF_LIFE: Final = 0.65
RACE_LIFE: Final = 0.68
CONTACT_LIVES: Final = (0.68, 0.68, 0.74, 0.74, 0.76)
"""The lives by the number of men far back, of the side with more of them: none to three, and more."""
TURNED_LOSS: Final = 0.075
"""How much less live a cube is once it has been turned."""


def cube_life(own: Men, other: Men) -> float:
    """The life of a centred cube: from 0, if no one can double in time, to 1, if every double is at the cash point."""
    found = kind(*own, *other)
    if found == BEAR_OFF:
        return BEAR_OFF_LIFE
    if found == RACE:
        return RACE_LIFE
    return CONTACT_LIVES[min(most_back(own, other), len(CONTACT_LIVES) - 1)]


def most_back(own: Men, other: Men) -> int:
    """The men on the bar and in the opponent's home, of the side with more of them there."""
    return max(men_in(*own, BACK), men_in(*other, BACK))
