from __future__ import annotations

import pytest

from ludus.core.rules import Player
from ludus.engines.engine import Line
from ludus.engines.resignation import is_enough
from ludus.games import GAMES
from ludus.games.backgammon.position import Cube, Stage

RULES = GAMES["backgammon"]
START = RULES.start("standard")


@pytest.mark.parametrize(
    ("win", "value", "chances", "enough"),
    [
        (1, -0.4, (0.3, 0, 0, 0.2, 0), True),
        (1, -1.2, (0, 0, 0, 0.2, 0), False),
        (1, -1.005, (0, 0, 0, 0.005, 0), True),
        (2, -2.3, (0, 0, 0, 1, 0), True),
        (2, -2.3, (0, 0, 0, 1, 0.3), False),
        (3, -2.9, (0, 0, 0, 1, 1), True),
    ],
)
def test_a_resignation_is_accepted_if_it_is_as_good_as_playing_on(
    win: int, value: float, chances: tuple[float, ...], enough: bool
) -> None:
    loser = Line("a move", value, chances=chances)
    assert is_enough(RULES, START, win, loser, is_winners=False) == enough
    winner = Line("a move", -value, chances=(1 - chances[0], *chances[3:], *chances[1:3]))
    assert is_enough(RULES, START, win, winner, is_winners=True) == enough


def test_where_there_is_one_kind_of_win_it_is_enough() -> None:
    checkers = GAMES["checkers"]
    assert is_enough(checkers, checkers.start("standard"), 1, Line("a move", -1.5), is_winners=False)


@pytest.mark.parametrize(("win", "value", "enough"), [(1, -1.6, True), (1, -2.2, False), (2, -3.9, True)])
def test_after_a_beaver_a_single_game_is_worth_twice_the_cube(win: int, value: float, enough: bool) -> None:
    """Values are in units of the cube before the double."""
    beavered = START._replace(mover=Player.FIRST, cube=Cube(2, Player.FIRST, Stage.BEAVERED, has_beavers=True))
    line = Line("take", value, chances=(0.1, 0, 0, 0.3, 0.1))
    assert is_enough(RULES, beavered, win, line, is_winners=False) == enough
