"""Views as positions of the rules."""

from __future__ import annotations

import pytest
from tests.client.parts import BACKGAMMON

from ludus.client import Unexpected
from ludus.client.positions import action_of, position_of
from ludus.core.errors import BadInput
from ludus.core.rules import Player
from ludus.games import GAMES

rules = GAMES["backgammon"]


def test_the_start_of_backgammon() -> None:
    position = position_of("backgammon", BACKGAMMON)
    assert position == rules.variants["standard"]._replace(mover=Player.FIRST, dice=(3, 1))


def test_black_sees_the_same_board_and_is_to_move() -> None:
    position = position_of("backgammon", {**BACKGAMMON, "yourColor": "black", "dice": [2, 2, 2, 2]})
    assert position == rules.variants["standard"]._replace(mover=Player.SECOND, dice=(2, 2))


def test_who_waits_sees_the_other_to_move() -> None:
    position = position_of("backgammon", {**BACKGAMMON, "isYourTurn": False, "dice": []})
    assert position == rules.variants["standard"]._replace(mover=Player.SECOND)


def test_men_on_the_bar_and_off_are_there() -> None:
    board = [0] * 25
    board[3], board[20] = 10, -12
    view = {**BACKGAMMON, "board": board, "whiteBar": 1, "whiteOff": 4, "blackBar": 3, "blackOff": 0}
    position = position_of("backgammon", view)
    assert [position.white.on(point) for point in (25, 3, 0)] == [1, 10, 4]
    assert [position.black.on(point) for point in (25, 5, 0)] == [3, 12, 0]


@pytest.mark.parametrize(("color", "first"), [("white", {"from": 8, "to": 5}), ("black", {"from": 17, "to": 20})])
def test_a_play_is_written_in_the_numbers_of_the_board(color: str, first: dict[str, int]) -> None:
    position = position_of("backgammon", {**BACKGAMMON, "yourColor": color})
    action = action_of(position, rules.notation.read_move(position, "8/5 6/5"))
    assert action["type"] == "move"
    assert first in action["moves"]


def test_the_bar_and_off_are_words() -> None:
    position = rules.notation.read_position("XGID=aBBBBB------------------b-:0:0:-1:61:0:0:0:0:10")
    entering = action_of(position, rules.moves(position)[0])
    assert entering["moves"][0] == {"from": "bar", "to": 6}
    home = rules.notation.read_position("XGID=-BB--------------------b--:0:0:1:66:0:0:0:0:10")
    assert {"from": 2, "to": "off"} in action_of(home, rules.moves(home)[0])["moves"]


def test_checkers_is_read_from_its_fen() -> None:
    fen = "W:WK7:B10,11,18,19:H4"
    position = position_of("checkers", {"fen": fen})
    assert GAMES["checkers"].notation.write_position(position) == fen
    actions = [action_of(position, move) for move in GAMES["checkers"].moves(position)]
    assert {"type": "move", "from": 7, "to": 7, "captures": [10, 18, 19, 11]} in actions
    start = position_of("checkers", {"fen": "B:W21-32:B1-12"})
    assert {"type": "move", "from": 11, "to": 15} in [action_of(start, move) for move in GAMES["checkers"].moves(start)]


@pytest.mark.parametrize(("game", "view"), [
    ("checkers", {}),
    ("checkers", {"fen": "x"}),
    ("checkers", {"fen": None}),
    ("backgammon", {}),
    ("backgammon", {**BACKGAMMON, "board": [30] * 25}),
    ("backgammon", {**BACKGAMMON, "yourColor": "red"}),
])  # fmt: skip
def test_a_view_that_shows_no_position_is_told(game: str, view: dict[str, object]) -> None:
    with pytest.raises(Unexpected, match=f"this view shows no position of {game}"):
        position_of(game, view)


def test_other_games_have_no_rules_here() -> None:
    with pytest.raises(BadInput, match="no rules of 'chess'"):
        position_of("chess", {})
