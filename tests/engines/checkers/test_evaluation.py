from __future__ import annotations

from random import Random

import pytest

from ludus.engines.checkers.evaluation import worth
from ludus.games import GAMES
from ludus.games.checkers.position import Position

RULES = GAMES["checkers"]


def rate(fen: str) -> float:
    """What the side to move thinks of a position."""
    position: Position = RULES.notation.read_position(fen)
    return worth(position.own, position.other, position.kings, position.mover.value)


def positions(seed: int) -> list[Position]:
    position, rng, found = RULES.variants["standard"], Random(seed), []
    while moves := RULES.moves(position):
        found.append(position)
        position = RULES.play(position, rng.choice(moves))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_what_is_good_for_one_side_is_bad_for_the_other(seed: int) -> None:
    for p in positions(seed):
        side = p.mover.value
        assert worth(p.own, p.other, p.kings, side) == -worth(p.other, p.own, p.kings, 1 - side)


def test_the_start_is_equal() -> None:
    assert rate("B:W21-32:B1-12") == 0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param("B:W30:B1,2", "B:W30:B1", id="a man more"),
        pytest.param("B:W30:BK1", "B:W30:B1", id="a king instead of a man"),
        pytest.param("B:W30:B14", "B:W30:B10", id="a man further on"),
        pytest.param("B:W30:B1,2,3", "B:W29,30,31,32:B1,2,3,4,5", id="a lead with fewer pieces on the board"),
        pytest.param("B:WK32:BK23,K19", "B:WK32:BK1,K2", id="kings that have come near"),
        pytest.param("W:WK32:BK1,K2", "W:WK32:BK23,K19", id="the stronger side's kings far away"),
    ],
)
def test_this_is_better_than_that(better: str, worse: str) -> None:
    assert rate(better) > rate(worse)
