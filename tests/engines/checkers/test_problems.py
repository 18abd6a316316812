"""Positions from the literature, with the move that alone wins or draws."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import pytest

from ludus.engines.checkers.endgames.tables import PACKAGED, EndgameTables
from ludus.engines.checkers.player import CheckersPlayer
from ludus.engines.checkers.searcher import Searcher
from ludus.engines.engine import Limit
from ludus.games import GAMES
from ludus.games.checkers.position import Position

RULES = GAMES["checkers"].compiled()
PLAYER = CheckersPlayer(searcher=Searcher(tables=EndgameTables(PACKAGED)))
LIMIT = Limit(nodes=200_000)


class Problem(NamedTuple):
    fen: str
    solution: str
    value: float
    """1 for a win, 0 for a draw, as far as the four-piece tables and the search know."""


PROVEN = {
    "first position": Problem("W:W20,K15:B12,K28", "15-19", 1),
    "opposition (Lasker, diagram 88)": Problem("W:WK32:BK26", "32-27", 1),
    "a man for three": Problem("B:W15,16,24,29,32:B3,4,8,9", "8-11", 1),
    "the way into the double corner": Problem("B:W12,K18:BK26,13", "26-31", 0),
    "a man for the opposition (Bremmer)": Problem("W:W13,5,K2:BK14,10,1", "2-7", 0),
    "the Paisley shot (Ryan)": Problem("W:W14,15,18,24,26,27,28:B5,6,7,8,16,19,20", "15-10", 1),
    "Crossing (Springer)": Problem("W:WK1,K12,17,19,23,26,K30:B6,K10,11,14,K21,K24", "26-22", 1),
}
FOUND = {
    "Patterns (Atkinson), won": ("W:W12,16,17,29,K1,K8:B2,3,10,15,26,27", "8-11"),
    "a piece down (Grey), drawn": ("B:W20,16,K2:BK25,K10", "25-22"),
    "three men against the king (Hennigan), drawn": ("B:W30,29,K24:B27,23,22", "27-31"),
    "the king's long way (Wardell), drawn": ("B:W28,24,21,20,K2:BK27,19,15,11,7", "27-23"),
    "a man on the third of three squares, won": ("B:W26,23,K4:B24,K20,3", "24-27"),
    "the fourth position, drawn": ("W:W30,K31,K32:BK20,21,K22,K23", "31-27"),
}
"""Here the end is beyond the horizon, but the move is preferred."""


@pytest.mark.parametrize("name", PROVEN)
def test_the_solution_is_found_and_proven(name: str) -> None:
    fen, solution, value = PROVEN[name]
    position = RULES.notation.read_position(fen)
    best, *others = PLAYER.analyse(RULES, position, LIMIT)
    assert RULES.notation.write_move(position, best.move) == solution
    assert best.value == pytest.approx(value, abs=0.15)
    assert all(line.value < best.value for line in others)


@pytest.mark.parametrize("name", FOUND)
def test_the_solution_is_chosen(name: str) -> None:
    fen, solution = FOUND[name]
    position = RULES.notation.read_position(fen)
    move = PLAYER.choose(RULES, position, Limit(nodes=1_000_000), Random(1))
    assert RULES.notation.write_move(position, move) == solution


@pytest.mark.parametrize(("fen", "value"), [("W:WK22,K23,K24:BK31,K32", 1), ("B:WK22,K23,K24:BK31,K32", -1)])
def test_three_kings_beat_two_with_either_side_to_move(fen: str, value: int) -> None:
    best, *_ = PLAYER.analyse(RULES, RULES.notation.read_position(fen), LIMIT)
    assert best.is_exact
    assert best.value == pytest.approx(value, abs=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_a_won_five_piece_ending_is_won_over_the_board(seed: int) -> None:
    """The loser plays as well as the winner; the tables only have four pieces."""
    position, rng = RULES.notation.read_position("B:WK22,K23,K24:BK31,K32"), Random(seed)
    past: list[Position] = []
    while moves := RULES.moves(position):
        assert len(past) < 60
        move = PLAYER.choose(RULES, position, Limit(nodes=20_000 + seed), rng, past)
        assert move in moves
        past.append(position)
        position = RULES.play(position, move)
    assert position.mover.value == 0
