from __future__ import annotations

import pytest

from ludus.engines.backgammon.cube.life import BEAR_OFF_LIFE, CONTACT_LIVES, RACE_LIFE, cube_life
from ludus.games.backgammon.position import Men, men

HOME = men({6: 5, 5: 5, 4: 5})
BACK = men({24: 2, 13: 5, 8: 3, 6: 5})


@pytest.mark.parametrize(
    ("own", "other", "life"),
    [
        (HOME, HOME, BEAR_OFF_LIFE),
        (men({8: 5, 6: 10}), HOME, RACE_LIFE),
        (men({13: 5, 8: 5, 6: 5}), men({18: 1, 8: 7, 6: 7}), CONTACT_LIVES[0]),
        (BACK, BACK, CONTACT_LIVES[2]),
        (men({25: 1, 24: 2, 13: 4, 8: 3, 6: 5}), BACK, CONTACT_LIVES[3]),
        (BACK, men({24: 2, 23: 2, 22: 2, 8: 4, 6: 5}), CONTACT_LIVES[4]),
    ],
    ids=["bear-off", "race", "none back", "the start", "three back", "backgame"],
)
def test_the_kind_of_position_decides_how_live_the_cube_is(own: Men, other: Men, life: float) -> None:
    assert cube_life(own, other) == cube_life(other, own) == life


def test_no_cube_is_dead_or_fully_live() -> None:
    assert all(0.5 < life < 0.9 for life in (BEAR_OFF_LIFE, RACE_LIFE, *CONTACT_LIVES))
