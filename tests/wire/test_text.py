"""What language models read and say."""

from __future__ import annotations

from typing import Any

import pytest
from tests.wire.views import BACKGAMMON, CHECKERS, checkers_board

from ludus.core.errors import AmbiguousMove, BadMove, IllegalMove, MalformedMove
from ludus.wire import codec, text_codec

backgammon, checkers, unknown = text_codec("backgammon"), text_codec("checkers"), text_codec("chess")
MOVES = BACKGAMMON["legalMoves"]


def steps(*pairs: tuple[int | str, int | str]) -> dict[str, Any]:
    return {"type": "move", "moves": [{"from": source, "to": target} for source, target in pairs]}


def test_backgammon_is_four_rows_and_the_rest_in_words() -> None:
    assert backgammon.board(BACKGAMMON).splitlines() == [
        " 13 14 15 16 17 18 | 19 20 21 22 23 24",
        " O5  .  .  . X3  . | X5  .  .  .  . O2",
        " X5  .  .  . O3  . | O5  .  .  .  . X2",
        " 12 11 10  9  8  7 |  6  5  4  3  2  1",
        "O white: bar 0, off 0, pips 167; X black: bar 0, off 0, pips 167",
    ]


def test_checkers_shows_the_numbers_of_the_squares() -> None:
    view = {"board": checkers_board({1: False, 10: True}, {15: False, 32: True})}
    assert checkers.board(view).splitlines() == [
        "    d1      .2      .3      .4",
        ".5      .6      .7      .8",
        "    .9      D10     .11     .12",
        ".13     .14     l15     .16",
        "    .17     .18     .19     .20",
        ".21     .22     .23     .24",
        "    .25     .26     .27     .28",
        ".29     .30     .31     L32",
    ]


def test_the_board_of_another_game_is_its_lines_or_else_the_view() -> None:
    assert unknown.board({"board": [" x ", "o  "]}) == " x \no  "
    assert unknown.board({"board": "x"}) == "{'board': 'x'}"


def test_moves_are_numbered() -> None:
    assert backgammon.legal_moves(BACKGAMMON) == "Legal moves: 1 8/5 6/5; 2 24/23 13/10."
    assert unknown.legal_moves({"legalMoves": [{"move": "a1"}, "b2"]}) == "Legal moves: 1 a1; 2 b2."


def test_repeated_steps_are_counted() -> None:
    assert backgammon.move([{"from": 8, "to": 4}, {"from": 8, "to": 4}, {"from": 6, "to": 2}]) == "8/4(2) 6/2"
    assert backgammon.move([{"from": "bar", "to": 22}, {"from": 6, "to": "off"}]) == "bar/22 6/off"
    assert backgammon.move([]) == "pass"


def test_chains_with_the_same_ends_say_what_they_take() -> None:
    moves = [
        {"from": 7, "to": 7, "captures": [10, 18, 19, 11]},
        {"from": 7, "to": 7, "captures": [11, 19, 18, 10]},
        {"from": 1, "to": 5, "captures": []},
    ]
    assert checkers.legal_moves({"legalMoves": moves}) == (
        "Legal moves: 1 7x7 taking 10,18,19,11; 2 7x7 taking 11,19,18,10; 3 1-5."
    )


def test_a_long_list_is_cut() -> None:
    text = checkers.legal_moves({"legalMoves": [{"from": 1, "to": number, "captures": []} for number in range(100)]})
    assert text.endswith("60 1-59; and 40 more.")


def test_the_opponents_last_move_is_described() -> None:
    assert backgammon.last_move({"lastTurn": [{"from": 1, "to": 7}]}) == "Opponent played 1/7. "
    assert backgammon.last_move({"lastTurn": {"moves": [{"from": 1, "to": 7}]}}) == "Opponent played 1/7. "
    assert backgammon.last_move({"lastTurn": []}) == "Opponent passed. "
    assert backgammon.last_move({"lastTurn": None}) == ""
    assert checkers.last_move({"lastMove": {"from": 23, "to": 18, "captures": []}}) == "Opponent played 23-18. "
    assert unknown.last_move({"lastMove": {"move": "b2"}}) == "Opponent played b2. "


def test_the_side_and_its_direction_are_described() -> None:
    assert backgammon.side({"yourColor": "black"}) == "you are black (X), moving 1 to 24"
    assert checkers.side({"yourColor": "dark"}) == "you are dark (d), moving down, 1 to 32"
    assert unknown.side({"yourColor": "white"}) == "you are white"
    assert backgammon.dice(BACKGAMMON) == "Dice 3 1. "
    assert checkers.dice({}) == ""


def test_a_turn_is_the_board_and_then_the_choices() -> None:
    lines = backgammon.turn(BACKGAMMON).splitlines()
    assert "\n".join(lines[:-1]) == backgammon.board(BACKGAMMON)
    assert lines[-1] == "Dice 3 1. Legal moves: 1 8/5 6/5; 2 24/23 13/10."


@pytest.mark.parametrize(("said", "action"), [
    ("1", steps((8, 5), (6, 5))),
    (2, steps((24, 23), (13, 10))),
    ("8/5 6/5", steps((8, 5), (6, 5))),
    (" 8/5,  6/5. ", steps((8, 5), (6, 5))),
    ("8/4(2) 6/2(2)", steps((8, 4), (8, 4), (6, 2), (6, 2))),
    ("24/18/14", steps((24, 18), (18, 14))),
    ("Bar/22* 6/OFF", steps(("bar", 22), (6, "off"))),
    ("pass", steps()),
    ("Resign", {"type": "resign"}),
    ({"type": "move", "moves": MOVES[0]}, steps((8, 5), (6, 5))),
    (MOVES[1], steps((24, 23), (13, 10))),
    ('{"type": "resign"}', {"type": "resign"}),
    ('[{"from": 8, "to": 5}]', steps((8, 5))),
])  # fmt: skip
def test_a_backgammon_play_can_be_given_in_many_ways(said: Any, action: dict[str, Any]) -> None:
    assert backgammon.parse_action(BACKGAMMON, said) == action


@pytest.mark.parametrize(("said", "action"), [
    ("1", {"type": "move", "from": 11, "to": 15, "captures": []}),
    ("11-15", {"type": "move", "from": 11, "to": 15, "captures": []}),
    ("1x10", {"type": "move", "from": 1, "to": 10, "captures": [6]}),
    ("1-10", {"type": "move", "from": 1, "to": 10, "captures": [6]}),
    ("7x7 taking 11,19,18,10", {"type": "move", "from": 7, "to": 7, "captures": [11, 19, 18, 10]}),
    ("7x14x23x16x7", {"type": "move", "from": 7, "to": 7, "path": [7, 14, 23, 16, 7]}),
    ("resign", {"type": "resign"}),
])  # fmt: skip
def test_a_checkers_move_can_be_given_in_many_ways(said: Any, action: dict[str, Any]) -> None:
    assert checkers.parse_action(CHECKERS, said) == action


@pytest.mark.parametrize(("said", "action"), [
    ("1", {"type": "move", "move": "Nf3"}),
    ("nf3", {"type": "move", "move": "Nf3"}),
    ("Qxe5", {"type": "move", "move": "Qxe5"}),
    ('{"move": "Qxe5"}', {"type": "move", "move": "Qxe5"}),
    ("RESIGN", {"type": "resign"}),
])  # fmt: skip
def test_a_move_of_another_game_is_given_in_its_notation(said: Any, action: dict[str, Any]) -> None:
    assert unknown.parse_action({"legalMoves": [{"move": "Nf3"}]}, said) == action


def test_every_listed_move_can_be_given_as_listed() -> None:
    for move in MOVES:
        assert backgammon.parse_action(BACKGAMMON, backgammon.move(move)) == {"type": "move", "moves": move}
    for move, text in zip(CHECKERS["legalMoves"], checkers.moves(CHECKERS["legalMoves"]), strict=True):
        assert checkers.parse_action(CHECKERS, text) == {"type": "move", **move}


@pytest.mark.parametrize(("game", "said", "kind"), [
    ("backgammon", "3", IllegalMove),
    ("backgammon", "0", IllegalMove),
    ("backgammon", "best move", MalformedMove),
    ("backgammon", "{", MalformedMove),
    ("checkers", "9", IllegalMove),
    ("checkers", "11-16", IllegalMove),
    ("checkers", "7x7", AmbiguousMove),
    ("checkers", "7x7 taking 1", IllegalMove),
    ("checkers", "e4", MalformedMove),
    ("checkers", "", MalformedMove),
])  # fmt: skip
def test_malformed_illegal_and_ambiguous_moves_are_distinguished(game: str, said: str, kind: type[BadMove]) -> None:
    with pytest.raises(kind):
        codec(game).text.parse_action(BACKGAMMON if game == "backgammon" else CHECKERS, said)


CUBE = {"value": 1, "owner": None, "offered": None, "offeredTo": None, "actions": ["roll", "double"]}
BEFORE_ROLL: dict[str, Any] = {
    **BACKGAMMON,
    "dice": [],
    "legalMoves": [],
    "lastTurn": [{"from": 1, "to": 7}],
    "cube": {**CUBE, "jacoby": False, "beavers": False},
    "match": {"length": 7, "score": {"white": 2, "black": 6}, "isCrawford": False, "game": 4},
    "legalActions": [{"type": "roll"}, {"type": "double"}],
}


def test_the_cube_and_the_score_are_told_in_words() -> None:
    assert backgammon.turn(BEFORE_ROLL).splitlines()[-3:] == [
        "Match to 7, game 4: white 2, black 6",
        "Cube at 1, centred",
        "Opponent played 1/7. Legal moves: 1 roll; 2 double.",
    ]
    offered = {**BEFORE_ROLL["cube"], "offered": 2, "offeredTo": "white", "actions": ["take", "drop"]}
    doubled = {**BEFORE_ROLL, "cube": offered, "legalActions": [{"type": "take"}, {"type": "drop"}]}
    assert backgammon.turn(doubled).splitlines()[-2:] == [
        "Double to 2: white takes it, or drops and loses 1",
        "Legal moves: 1 take; 2 drop.",
    ]


def test_a_resignation_is_announced_to_the_one_who_may_accept_it() -> None:
    answers = [{"type": "accept_resignation"}, {"type": "decline_resignation"}]
    view = {**BEFORE_ROLL, "resignation": {"player": "you", "points": 2}, "legalActions": answers}
    assert backgammon.turn(view).splitlines()[-1] == (
        "Opponent played 1/7. Your opponent offers to resign a gammon."
        " Legal moves: 1 accept resignation; 2 decline resignation."
    )
    assert "resign a" not in backgammon.turn({**view, "resignation": {"player": "me", "points": 2}})


@pytest.mark.parametrize(("said", "action"), [
    ("2", {"type": "double"}),
    ("Double.", {"type": "double"}),
    ("take", {"type": "take"}),
    ("accept resignation", {"type": "accept_resignation"}),
    ("offer resignation 3", {"type": "offer_resignation", "points": 3}),
    ("redouble", {"type": "double"}),
    ("no double", {"type": "roll"}),
    ("accept_resignation", {"type": "accept_resignation"}),
    ("offer_resignation 2", {"type": "offer_resignation", "points": 2}),
    ("resign 2", {"type": "offer_resignation", "points": 2}),
    ("Resign a gammon.", {"type": "offer_resignation", "points": 2}),
    ("resign backgammon", {"type": "offer_resignation", "points": 3}),
    ("resign as a single game", {"type": "offer_resignation", "points": 1}),
    ("resign", {"type": "resign"}),
    ("pass", {"type": "move", "moves": []}),
    ({"type": "roll"}, {"type": "roll"}),
])  # fmt: skip
def test_decisions_about_the_cube_can_be_said(said: object, action: dict[str, Any]) -> None:
    assert backgammon.parse_action(BEFORE_ROLL, said) == action


DOUBLED = {**BEFORE_ROLL, "cube": {**BEFORE_ROLL["cube"], "offered": 2, "offeredTo": "white"}}


@pytest.mark.parametrize(("said", "kind"), [
    ("pass", "drop"), ("Decline", "drop"), ("reject", "drop"), ("drop", "drop"), ("accept", "take"), ("take", "take"),
    ("redouble", "beaver"),
])  # fmt: skip
def test_players_have_several_words_to_answer_a_double(said: str, kind: str) -> None:
    assert backgammon.parse_action(DOUBLED, said) == {"type": kind}


@pytest.mark.parametrize(("said", "kind"), [
    ("accept", "accept_resignation"), ("decline", "decline_resignation"), ("REJECT", "decline_resignation"),
])  # fmt: skip
@pytest.mark.parametrize("view", [BACKGAMMON, BEFORE_ROLL, DOUBLED])
def test_an_open_resignation_is_accepted_or_declined_in_a_word(view: dict[str, Any], said: str, kind: str) -> None:
    asked = {**view, "resignation": {"player": "them", "points": 1}}
    assert backgammon.parse_action(asked, said) == {"type": kind}
    own = {**BACKGAMMON, "you": "me", "resignation": {"player": "me", "points": 1}}
    with pytest.raises(MalformedMove):
        backgammon.parse_action(own, said)


@pytest.mark.parametrize("said", ["offer resignation", "offer resignation 4", "resign 5", "resign everything"])
def test_a_resignation_must_say_how_much(said: str) -> None:
    with pytest.raises(MalformedMove, match=r"1 .single., 2 .gammon. or 3 .backgammon."):
        backgammon.parse_action(BEFORE_ROLL, said)
