"""The luck-adjusted result of endings that can be computed by hand."""

from __future__ import annotations

import pytest

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.luck import luck_adjusted_result
from ludus.games import GAMES
from ludus.games.backgammon.position import Cube, Position, Stage, men

RULES = GAMES["backgammon"]
ENDING = Position(men({6: 1, 0: 14}), men({1: 1, 0: 14}), Player.FIRST)
"""White wins at once with 27 rolls of 36, else loses: an equity of 1/2."""


def played(start: Position, *moves: str) -> Game[Position, object]:
    game: Game[Position, object] = Game(RULES, start=start)
    for text in moves:
        game.play(RULES.notation.read_move(game.position, text))
    return game


def test_a_won_ending_and_a_lost_one_are_worth_the_same() -> None:
    won = played(ENDING, "61", "6/off")
    lost = played(ENDING, "21", "6/3", "65", "1/off")
    assert [luck_adjusted_result(game) for game in (won, lost)] == pytest.approx([0.5, 0.5])


def test_it_is_the_first_players_whoever_rolls() -> None:
    flipped = Position(ENDING.black, ENDING.white, Player.SECOND)
    assert luck_adjusted_result(played(flipped, "61", "6/off")) == pytest.approx(-0.5)


def test_luck_counts_as_much_as_the_cube() -> None:
    start = ENDING._replace(cube=Cube(4, Player.SECOND, Stage.ROLLING))
    assert luck_adjusted_result(played(start, "61", "6/off")) == pytest.approx(2.0)


@pytest.mark.parametrize(("text", "result"), [("white resigns 1", -1.0), ("black resigns 1", 1.0)])
def test_a_resignation_before_the_roll_is_no_roll(text: str, result: float) -> None:
    assert luck_adjusted_result(played(ENDING, text)) == result


def test_an_unfinished_game_and_one_without_dice_have_none() -> None:
    assert luck_adjusted_result(played(ENDING, "21", "6/3")) is None
    checkers: Game[object, object] = Game(GAMES["checkers"], "standard")
    assert luck_adjusted_result(checkers) is None
