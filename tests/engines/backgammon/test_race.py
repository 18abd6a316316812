from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import pytest

from ludus.engines.backgammon.race import ROLL, effective_pips, equity
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import Men, men

GONE = men({0: 15})


@cache
def rolls(side: Men) -> float:
    """How many rolls it takes to bear these men off, exactly."""
    if kernel.is_off(*side):
        return 0
    total, words = 0.0, [0] * (1000 * kernel.WORDS)
    for die in range(1, 7):
        for then in range(1, die + 1):
            end = kernel.write_plays(words, 0, *side, *GONE, die, then) * kernel.WORDS
            best = min(rolls(Men(words[i], words[i + 1])) for i in range(0, end, kernel.WORDS))
            total += best * (1 if die == then else 2)
    return 1 + total / 36


def home(*points: int) -> Men:
    return men({0: 15 - len(points), **{point: points.count(point) for point in points}})


def test_effective_pips_are_about_the_rolls_it_takes() -> None:
    errors = [effective_pips(*side) - ROLL * rolls(side) for side in few_men()]
    assert sum(map(abs, errors)) / len(errors) < 1.5


def few_men() -> list[Men]:
    return [home(*points) for count in (2, 3) for points in combinations_with_replacement(range(1, 7), count)]


def test_three_men_on_the_ace_point_take_two_rolls_at_most() -> None:
    assert rolls(home(1, 1, 1)) == pytest.approx(2 - 6 / 36)


@pytest.mark.parametrize("pips", [20, 40, 60])
def test_in_an_equal_race_the_side_on_roll_is_ahead(pips: int) -> None:
    side = home(*[4] * (pips // 4))
    assert -1 < equity(*side, *side) < 0


def test_a_longer_road_of_the_other_is_better() -> None:
    short, long = home(1, 2, 3, 4, 5, 6), home(4, 4, 5, 5, 6, 6)
    assert equity(*short, *long) > 0 > equity(*long, *short)


def test_a_gammon_is_counted_until_a_man_is_off() -> None:
    nearly_done, far = home(1), men({13: 5, 8: 10})
    one_off = men({0: 1, 13: 5, 8: 9})
    assert equity(*nearly_done, *far) == pytest.approx(2, abs=0.01)
    assert equity(*nearly_done, *one_off) == pytest.approx(1, abs=0.01)
    assert equity(*far, *nearly_done) == pytest.approx(-2, abs=0.01)
