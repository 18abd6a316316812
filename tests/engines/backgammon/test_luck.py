from __future__ import annotations

from collections.abc import Callable

import pytest

from ludus.core.errors import IllegalMove
from ludus.core.rules import Player
from ludus.engines import Limit, adapter
from ludus.engines.backgammon.lookahead import Afterstate, Lookahead
from ludus.engines.backgammon.luck import luck
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.games.backgammon.position import VARIANTS, Cube, Match, Position, Roll, Stage, men
from ludus.games.backgammon.rules import OPENING_ROLLS, ROLLS, Backgammon

RULES = Backgammon()
START = VARIANTS["standard"]
LAST = men({1: 1, 0: 14})
BEAR_OFF = Position(men({6: 1, 0: 14}), LAST, Player.FIRST)
"""White wins at once with 27 rolls of 36, else loses."""


@pytest.mark.parametrize("seed", range(4))
def test_the_luck_of_all_rolls_sums_to_nothing(seed: int, afterstates: Callable[[int, int], list[Afterstate]]) -> None:
    own, other = afterstates(1, seed)[0]
    position = Position(other, own, Player.FIRST)
    found = [weight * luck(position, roll) for roll, weight in ROLLS]
    assert sum(found) == pytest.approx(0, abs=1e-12)
    assert max(found) > 0.01


def test_so_does_that_of_the_opening_whoever_plays_it() -> None:
    for position in (START, START._replace(black=men({24: 2, 13: 5, 8: 3, 5: 5}))):
        found = [luck(position, roll) * (1 if roll.one > roll.two else -1) for roll, _ in OPENING_ROLLS]
        assert sum(found) == pytest.approx(0, abs=1e-12)
    assert luck(START, Roll(3, 1)) == luck(START, Roll(1, 3)) > 0.1 > luck(START, Roll(4, 1))


@pytest.mark.parametrize("cube", [Cube(), Cube(2, Player.FIRST), Cube(4, Player.SECOND, Stage.ROLLING)])
def test_with_a_cube_in_a_match_it_sums_to_nothing_too(cube: Cube) -> None:
    position = START._replace(mover=Player.SECOND, cube=cube, match=Match(7, 1, 4))
    found = [weight * luck(position, roll) for roll, weight in ROLLS]
    assert sum(found) == pytest.approx(0, abs=1e-12)
    assert max(found) > 0.01
    opening = position._replace(mover=None)
    both = [luck(opening, roll) * (1 if roll.one > roll.two else -1) for roll, _ in OPENING_ROLLS]
    assert sum(both) == pytest.approx(0, abs=1e-12)


def test_the_roll_that_wins_a_last_race_is_lucky_by_what_it_adds() -> None:
    """White's equity before the roll is 27/36 - 9/36 = 1/2."""
    assert luck(BEAR_OFF, Roll(6, 1)) == pytest.approx(0.5)
    assert luck(BEAR_OFF, Roll(2, 1)) == pytest.approx(-1.5)


def test_it_is_that_of_the_player_who_rolls() -> None:
    flipped = Position(BEAR_OFF.black, BEAR_OFF.white, Player.SECOND)
    assert luck(flipped, Roll(6, 1)) == luck(BEAR_OFF, Roll(6, 1))


def test_it_compares_the_best_plays_of_the_engine() -> None:
    position, limit = START._replace(mover=Player.SECOND), Limit(depth=0)
    values = [
        (BackgammonPlayer().analyse(RULES, RULES.play(position, roll), limit, lines=1)[0].value, weight)
        for roll, weight in ROLLS
    ]
    mean = sum(value * weight for value, weight in values) / 36
    for (roll, _), (value, _) in zip(ROLLS, values, strict=True):
        assert luck(position, roll) == pytest.approx(value - mean, abs=1e-6)


def test_with_a_depth_the_plays_are_searched(lookahead: Lookahead) -> None:
    position = Position(men({13: 1, 2: 2, 0: 12}), men({8: 2, 1: 1, 0: 12}), Player.FIRST)
    deep = [weight * luck(position, roll, depth=1) for roll, weight in ROLLS]
    assert sum(deep) == pytest.approx(0, abs=1e-12)
    assert deep != [weight * luck(position, roll) for roll, weight in ROLLS]


def test_a_roll_that_cannot_fall_is_refused() -> None:
    for position, roll in (
        (START, Roll(3, 3)),
        (BEAR_OFF, Roll(1, 2)),
        (BEAR_OFF, Roll(7, 1)),
        (BEAR_OFF._replace(dice=(2, 1)), Roll(2, 1)),
    ):
        with pytest.raises(IllegalMove):
            luck(position, roll)


def test_the_adapter_has_it() -> None:
    found = adapter("backgammon").luck
    assert found is not None and found(BEAR_OFF, Roll(6, 6)) == pytest.approx(0.5)
    assert adapter("checkers").luck is None
