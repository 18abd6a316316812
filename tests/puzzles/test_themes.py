"""What is said about the puzzles of both games, on small positions."""

from __future__ import annotations

from typing import Any

import pytest

from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.games.backgammon.position import Cube, Position, Stage, men
from ludus.puzzles.adapter import adapter
from ludus.puzzles.backgammon.themes import themes

SHOT = "B:W20,22,23,24,25,26,27,29,31,32:B1,2,5,6,7,10,11,12,15,16"


def of_backgammon(own: dict[int, int], other: dict[int, int], **more: Any) -> list[str]:
    return list(themes(Position(men(own), men(other), Player.FIRST, **{"dice": (6, 5), **more})))


def test_sides_that_have_passed_each_other_race_and_bear_off() -> None:
    assert of_backgammon({7: 5, 6: 10}, {6: 15}) == ["checker_play", "race"]
    assert of_backgammon({6: 15}, {6: 15}) == ["checker_play", "bear_off"]


def test_ten_men_in_the_zone_against_one_on_the_bar_are_a_blitz() -> None:
    attackers = {4: 2, 5: 2, 6: 3, 8: 3, 13: 5}
    assert "blitz" in of_backgammon(attackers, {25: 1, 24: 1, 13: 5, 6: 8})
    assert "blitz" not in of_backgammon(attackers, {25: 1, 22: 2, 13: 4, 6: 8})  # with an anchor
    assert "blitz" not in of_backgammon({6: 5, 8: 3, 13: 5, 24: 2}, {25: 1, 24: 1, 13: 5, 6: 8})  # with eight men


def test_points_in_a_row_are_a_prime_if_a_man_is_behind_them() -> None:
    prime = {4: 2, 5: 2, 6: 2, 7: 2, 13: 7}
    assert "prime" in of_backgammon(prime, {24: 1, 6: 14})
    assert "prime" not in of_backgammon(prime, {19: 1, 6: 14})


def test_a_high_anchor_holds_a_game_that_others_have_left() -> None:
    anchor = {20: 2, 13: 5, 6: 8}
    assert "holding_game" in of_backgammon(anchor, {13: 7, 6: 8})
    assert "holding_game" not in of_backgammon(anchor, {24: 2, 13: 5, 6: 8})


def test_the_cube_asks_two_kinds_of_questions() -> None:
    sides: Any = ({6: 15}, {6: 15})
    assert of_backgammon(*sides, dice=(), cube=Cube())[0] == "double_or_not"
    assert of_backgammon(*sides, dice=(), cube=Cube(stage=Stage.DOUBLED))[0] == "take_or_drop"


@pytest.mark.parametrize(
    ("position", "moves", "value", "expected"),
    [
        (SHOT, "16-19 23x16 12x28", 0.7, "win shot two_for_one opening"),
        ("B:W27:B22", "22-26", 0.9, "win endgame"),
        ("B:W5:B26", "26-30", 0.0, "draw crown endgame"),
        ("B:WK14:BK1", "1-5", 0.0, "draw kings endgame"),
        ("B:W18,32:B15", "15x22", 0.9, "win choice endgame"),
    ],
)  # fmt: skip
def test_themes_of_checkers(position: str, moves: str, value: float, expected: str) -> None:
    rules = GAMES["checkers"]
    start = now = rules.notation.read_position(position)
    played = []
    for text in moves.split():
        played.append(rules.notation.read_move(now, text))
        now = rules.play(now, played[-1])
    assert " ".join(adapter("checkers").themes(rules, start, played, value)) == expected
