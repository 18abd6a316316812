"""Whether a move solves a puzzle."""

from __future__ import annotations

import pytest

from ludus.core.errors import BadInput, IllegalMove, MalformedMove
from ludus.puzzles import Answer, Puzzle, answer
from ludus.puzzles.puzzle import id_of

TWO_FOR_ONE = "W:W21,22,23,26,28,31:B1,4,7,12,14,15,16"
SHOT = Puzzle(id_of("checkers", TWO_FOR_ONE), "checkers", TWO_FOR_ONE, ("22-18", "15x22", "26x3"), 1.8, 900, (), "test")
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
PLAY = Puzzle(id_of("backgammon", OPENING), "backgammon", OPENING, ("8/5 6/5",), 0.15, 800, (), "test")


def test_a_right_move_gets_the_reply_and_the_last_one_solves_the_puzzle() -> None:
    assert answer(SHOT, 0, "22-18") == Answer(is_right=True, is_solved=False, reply="15x22")
    assert answer(SHOT, 2, "26x17x10x3") == Answer(is_right=True, is_solved=True)


def test_any_other_legal_move_is_wrong() -> None:
    assert answer(SHOT, 0, "22-17") == Answer(is_right=False, is_solved=False)


def test_a_play_may_name_its_steps_in_any_order() -> None:
    assert answer(PLAY, 0, "6/5 8/5").is_solved


def test_what_is_no_move_here_is_refused_and_not_called_wrong() -> None:
    with pytest.raises(MalformedMove):
        answer(SHOT, 0, "castles")
    with pytest.raises(IllegalMove):
        answer(SHOT, 0, "22-15")
    with pytest.raises(IllegalMove, match="'black resigns 1' doesn't solve a puzzle"):
        answer(PLAY, 0, "black resigns 1")


@pytest.mark.parametrize("number", [-2, 1, 3, 4])
def test_only_the_solver_answers_and_only_before_the_end(number: int) -> None:
    with pytest.raises(BadInput):
        answer(SHOT, number, "22-18")
