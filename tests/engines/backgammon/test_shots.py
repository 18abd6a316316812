from __future__ import annotations

import pytest

from ludus.engines.backgammon.shots import SAFE, Risk, risk
from ludus.games.backgammon.position import men

SINGLE_SHOTS = {
    1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3,
    13: 0, 14: 0, 15: 1, 16: 1, 17: 0, 18: 1, 19: 0, 20: 1, 21: 0, 22: 0, 23: 0,
}  # fmt: skip
"""Of 36 rolls, how many hit a blot this far off when nothing is in the way: a table of every textbook."""


def risked(ours: dict[int, int], theirs: dict[int, int]) -> Risk:
    return risk(*men(ours), *men(theirs))


@pytest.mark.parametrize(("distance", "rolls"), SINGLE_SHOTS.items())
def test_a_single_shot_hits_as_often_as_the_textbooks_say(distance: int, rolls: int) -> None:
    """Their man is on their point 24, which is our ace point."""
    found = risked({distance + 1: 1, 0: 14}, {24: 1, 0: 14})
    assert round(found.chance * 36) == rolls
    assert found.pips == pytest.approx(found.chance * (24 - distance))


def test_what_has_passed_is_safe() -> None:
    assert risked({5: 1, 0: 14}, {18: 1, 0: 14}) == SAFE
    assert risked({5: 2, 0: 13}, {24: 1, 0: 14}) == SAFE


def test_points_in_between_stop_combined_shots() -> None:
    """Six off: 5-1, 4-2, 3-3 and 2-2 need a landing place; the direct six does not."""
    walled = risked({7: 1, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 0: 4}, {24: 1, 0: 14})
    assert round(walled.chance * 36) == 11


def test_a_man_on_the_bar_hits_where_it_comes_in() -> None:
    assert round(risked({3: 1, 0: 14}, {25: 1, 0: 14}).chance * 36) == 14


def test_two_men_on_the_bar_hit_only_where_they_come_in() -> None:
    assert round(risked({3: 1, 0: 14}, {25: 2, 0: 13}).chance * 36) == 11
    assert risked({8: 1, 0: 14}, {25: 2, 0: 13}).chance == 0


def test_who_cannot_come_in_cannot_hit() -> None:
    closed = dict.fromkeys(range(1, 7), 2)
    assert risked({**closed, 13: 1, 0: 2}, {25: 1, 18: 1, 0: 13}).chance == 0


def test_the_dearest_blot_that_a_roll_hits_is_what_it_costs() -> None:
    both, near, far = (risked(dict.fromkeys(ps, 1), {24: 1, 0: 14}) for ps in ((2, 8), (2,), (8,)))
    assert max(near.chance, far.chance) < both.chance < near.chance + far.chance
    assert max(near.pips, far.pips) < both.pips < near.pips + far.pips
