"""What a model reads."""

from __future__ import annotations

from tests.client.parts import BACKGAMMON, checkers_board

from ludus.client.drawing import dice, draw, last, move_text, moves_text, side


def test_backgammon_is_four_rows_and_the_rest_in_words() -> None:
    assert draw("backgammon", BACKGAMMON).splitlines() == [
        " 13 14 15 16 17 18 | 19 20 21 22 23 24",
        " O5  .  .  . X3  . | X5  .  .  .  . O2",
        " X5  .  .  . O3  . | O5  .  .  .  . X2",
        " 12 11 10  9  8  7 |  6  5  4  3  2  1",
        "O white: bar 0, off 0, pips 167; X black: bar 0, off 0, pips 167",
    ]


def test_checkers_shows_the_numbers_of_the_squares() -> None:
    view = {"board": checkers_board({1: False, 10: True}, {15: False, 32: True})}
    assert draw("checkers", view).splitlines() == [
        "    d1      .2      .3      .4",
        ".5      .6      .7      .8",
        "    .9      D10     .11     .12",
        ".13     .14     l15     .16",
        "    .17     .18     .19     .20",
        ".21     .22     .23     .24",
        "    .25     .26     .27     .28",
        ".29     .30     .31     L32",
    ]


def test_a_game_without_a_drawing_is_shown_as_it_came() -> None:
    assert draw("chess", {"board": "x"}) == "{'board': 'x'}"


def test_moves_are_numbered() -> None:
    assert moves_text(BACKGAMMON) == "Legal moves: 1 8/5 6/5; 2 24/23 13/10."


def test_steps_made_twice_are_told_once() -> None:
    assert move_text([{"from": 8, "to": 4}, {"from": 8, "to": 4}, {"from": 6, "to": 2}]) == "8/4(2) 6/2"
    assert move_text([{"from": "bar", "to": 22}, {"from": 6, "to": "off"}]) == "bar/22 6/off"
    assert move_text([]) == "pass"


def test_chains_with_the_same_ends_say_what_they_take() -> None:
    moves = [
        {"from": 7, "to": 7, "captures": [10, 18, 19, 11]},
        {"from": 7, "to": 7, "captures": [11, 19, 18, 10]},
        {"from": 1, "to": 5, "captures": []},
    ]
    assert moves_text({"legalMoves": moves}) == (
        "Legal moves: 1 7x7 taking 10,18,19,11; 2 7x7 taking 11,19,18,10; 3 1-5."
    )


def test_a_long_list_is_cut() -> None:
    text = moves_text({"legalMoves": [{"from": 1, "to": number, "captures": []} for number in range(100)]})
    assert text.endswith("60 1-59; and 40 more.")


def test_what_the_other_side_did() -> None:
    assert last({"lastTurn": [{"from": 1, "to": 7}]}) == "Opponent played 1/7. "
    assert last({"lastTurn": []}) == "Opponent passed. "
    assert last({"lastTurn": None}) == ""
    assert last({"lastMove": {"from": 23, "to": 18, "captures": []}}) == "Opponent played 23-18. "


def test_who_moves_which_way() -> None:
    assert side("backgammon", {"yourColor": "black"}) == "you are black (X), moving 1 to 24"
    assert side("checkers", {"yourColor": "dark"}) == "you are dark (d), moving down, 1 to 32"
    assert side("chess", {"yourColor": "white"}) == "you are white"
    assert dice(BACKGAMMON) == "Dice 3 1. "
    assert dice({}) == ""
