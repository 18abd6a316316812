"""How live the cube is: Janowski's parameter, by the kind of position."""

from __future__ import annotations

from typing import Final

from ludus.engines.backgammon.network.features import BACK, BEAR_OFF, RACE, kind, men_in
from ludus.games.backgammon.position import Men

CONTACT: Final = 0.68
BACKGAME: Final = 0.6
"""The side behind holds two points far back, or more: the game is decided late, by one shot."""
BACKGAME_MEN: Final = 4
BEAR_OFF_LIFE: Final = 0.6
LONGEST_RACE: Final = 0.7
PIPS: Final = 120
"""A race of this length has the longest life."""


def cube_life(own: Men, other: Men) -> float:
    """Between 0, where nobody can double in time, and 1, where every double is made at the cash point."""
    found = kind(*own, *other)
    if found == BEAR_OFF:
        return BEAR_OFF_LIFE
    if found == RACE:
        return BEAR_OFF_LIFE + (LONGEST_RACE - BEAR_OFF_LIFE) * min(own.pips / PIPS, 1.0)
    most_back = max(men_in(*own, BACK), men_in(*other, BACK))
    return BACKGAME if most_back >= BACKGAME_MEN else CONTACT
