"""Positions from the literature, with the move that alone wins or draws."""

from __future__ import annotations

from random import Random

import pytest

from ludus.engines.checkers.player import CheckersPlayer
from ludus.engines.engine import Limit
from ludus.games import GAMES

RULES = GAMES["checkers"].compiled()
SOLUTIONS = {
    "first position": ("W:W20,K15:B12,K28", "15-19", 1),
    "opposition (Lasker, diagram 88)": ("W:WK32:BK26", "32-27", 1),
    "a man for three": ("B:W15,16,24,29,32:B3,4,8,9", "8-11", 1),
    "the way into the double corner": ("B:W12,K18:BK26,13", "26-31", 0),
}


@pytest.mark.parametrize("name", SOLUTIONS)
def test_the_solution_is_found(name: str) -> None:
    fen, solution, value = SOLUTIONS[name]
    position = RULES.notation.read_position(fen)
    best, *others = CheckersPlayer().analyse(RULES, position, Limit(nodes=200_000))
    assert RULES.notation.write_move(position, best.move) == solution
    assert best.value == pytest.approx(value, abs=0.15)
    assert all(line.value < best.value for line in others)


def test_the_fourth_position_loses_at_once_by_the_wrong_move() -> None:
    """With white to move it is one of the great basic draws; only the king can go."""
    position = RULES.notation.read_position("W:W30,K31,K32:BK20,21,K22,K23")
    move = CheckersPlayer().choose(RULES, position, Limit(nodes=100_000), Random(1))
    assert RULES.notation.write_move(position, move) == "31-27"
