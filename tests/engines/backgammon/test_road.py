from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ludus.engines.backgammon.road import men_in, pips, stacked
from ludus.games.backgammon.kernel import PLACES
from ludus.games.backgammon.position import Men, men

layouts = st.lists(st.integers(0, 25), max_size=15).map(lambda points: men({p: points.count(p) for p in points}))


@given(layouts)
def test_pips_are_those_of_the_rules(side: Men) -> None:
    assert pips(*side) == side.pips


@given(layouts, st.sets(st.integers(0, 25)))
def test_men_are_counted_on_the_places_asked_for(side: Men, points: set[int]) -> None:
    places = sum(1 << 25 - point for point in points)
    assert men_in(*side, places) == sum(side.on(point) for point in points)


@given(layouts)
def test_men_are_stacked_beyond_the_second_of_a_point(side: Men) -> None:
    assert stacked(*side, PLACES) == sum(max(count - 2, 0) for count in side.counts)
