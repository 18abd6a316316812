from __future__ import annotations

import pytest

from ludus.engines.engine import Line
from ludus.engines.resignation import is_enough


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
    assert is_enough(win, loser, 3, is_winners=False) == enough
    winner = Line("a move", -value, chances=(1 - chances[0], *chances[3:], *chances[1:3]))
    assert is_enough(win, winner, 3, is_winners=True) == enough


def test_where_there_is_one_kind_of_win_it_is_enough() -> None:
    assert is_enough(1, Line("a move", -1.5), 1, is_winners=False)
