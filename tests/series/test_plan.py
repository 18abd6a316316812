"""Checks of a plan."""

from __future__ import annotations

import pytest

from ludus.core.errors import BadInput, UnknownVariant
from ludus.series.plan import Plan

PLAN = Plan("checkers", ("easy", "easy"), 2)


@pytest.mark.parametrize("games", [0, -2, 3])
def test_a_series_has_an_even_number_of_games(games: int) -> None:
    with pytest.raises(BadInput, match="an even number of games"):
        PLAN._replace(games=games).check()


@pytest.mark.parametrize("opening", [-1, 21])
def test_an_opening_is_short(opening: int) -> None:
    with pytest.raises(BadInput, match=f"0 to 20 moves, not {opening}"):
        PLAN._replace(opening=opening).check()


def test_the_variant_must_exist() -> None:
    with pytest.raises(UnknownVariant, match="checkers has no variant 'printed'"):
        PLAN._replace(variant="printed").check()


def test_a_variant_may_have_options() -> None:
    plan = Plan("backgammon", ("easy", "easy"), 2, variant="standard+match7")
    plan.check()
    assert plan.is_match
    assert not plan._replace(variant="standard+cube").is_match and not PLAN.is_match
    with pytest.raises(UnknownVariant):
        plan._replace(variant="standard+match99").check()
