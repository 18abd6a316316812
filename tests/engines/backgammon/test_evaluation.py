from __future__ import annotations

import pytest

from ludus.engines.backgammon.evaluation import equity, is_contact, traits
from ludus.games.backgammon.position import VARIANTS, Men, men

START = VARIANTS["standard"].white
LAYOUT = {24: 2, 13: 5, 8: 3, 6: 5}


def start(**changes: int) -> Men:
    """The starting men with some moved: p5=1 puts one more on point 5."""
    layout = dict(LAYOUT)
    for name, more in changes.items():
        point = int(name[1:])
        layout[point] = layout.get(point, 0) + more
    return men(layout)


@pytest.mark.parametrize(
    ("loser", "points"),
    [({0: 1, 20: 14}, 1), ({1: 15}, 2), ({8: 15}, 2), ({25: 1, 8: 14}, 3), ({19: 1, 8: 14}, 3)],
    ids=["single", "gammon", "gammon outside", "backgammon on the bar", "backgammon in the winner's home"],
)
def test_a_game_that_is_over_is_worth_its_points(loser: dict[int, int], points: int) -> None:
    assert equity(*men({0: 15}), *men(loser)) == points


def test_there_is_contact_until_all_have_passed() -> None:
    assert is_contact(*START, *START)
    assert is_contact(*men({13: 15}), *men({13: 15}))
    assert not is_contact(*men({12: 15}), *men({12: 15}))
    assert is_contact(*men({25: 1, 1: 14}), *men({1: 15}))


def test_who_has_to_wait_for_the_other_is_a_little_behind_in_an_equal_position() -> None:
    assert -0.2 < equity(*START, *START) < 0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param(start(p8=-1, p6=-1, p5=2), start(p6=-2, p5=1, p3=1), id="a point made, not two blots"),
        pytest.param(start(p13=-2, p11=1, p9=1), start(p13=-2, p7=1, p5=1), id="blots out of direct reach"),
        pytest.param(start(p24=-2, p14=2), START, id="the back men home"),
        pytest.param(men({24: 2, 8: 3, 7: 2, 6: 2, 5: 2, 4: 2, 3: 2}), men({24: 2, 13: 9, 6: 2, 4: 2}), id="a prime"),
    ],
)
def test_this_is_better_than_that(better: Men, worse: Men) -> None:
    assert equity(*better, *START) > equity(*worse, *START)


def test_a_man_of_the_other_on_the_bar_is_worth_more_before_a_closed_home() -> None:
    barred = men({25: 1, 24: 1, 13: 5, 8: 3, 6: 5})
    closed = men({6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 1: 2})
    assert equity(*closed, *barred) - equity(*closed, *START) > equity(*START, *barred) - equity(*START, *START) > 0


def test_traits_are_counted_from_the_owners_side() -> None:
    found = traits(*start(p24=-2, p25=2), *START)
    assert (found.pips, found.back, found.barred, found.anchors) == (1.69, 2, 0, 0)
    assert (found.high_home, found.low_home, found.outer) == (1, 0, 1)
    assert traits(*START, *start(p24=-2, p25=2)).barred == 2
