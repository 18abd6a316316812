"""A player that moves at random still rolls fair dice."""

from __future__ import annotations

from collections import Counter
from random import Random

from ludus.core.rules import Player
from ludus.engines import ENGINES, OWN_LIMIT
from ludus.games import GAMES


def test_a_double_falls_once_in_six_times() -> None:
    rules, rng = GAMES["backgammon"], Random(1)
    position = rules.variants["standard"]._replace(mover=Player.FIRST)
    thrown = Counter(ENGINES["random"].choose(rules, position, OWN_LIMIT, rng) for _ in range(6000))
    doubles = sum(number for roll, number in thrown.items() if roll[0] == roll[1])
    assert 900 < doubles < 1100  # three standard deviations are 87
    assert len(thrown) == 21


def test_every_move_is_as_likely_as_any_other() -> None:
    rules, rng = GAMES["checkers"], Random(1)
    start = rules.variants["standard"]
    made = Counter(ENGINES["random"].choose(rules, start, OWN_LIMIT, rng) for _ in range(7000))
    assert set(made) == set(rules.moves(start))
    assert all(880 < number < 1120 for number in made.values())  # four standard deviations are 117
