"""What a model says, as an action."""

from __future__ import annotations

from typing import Any

import pytest
from tests.client.parts import BACKGAMMON

from ludus.client.drawing import move_text
from ludus.client.saying import read_action
from ludus.core.errors import AmbiguousMove, BadMove, IllegalMove, MalformedMove

MOVES = BACKGAMMON["legalMoves"]
CHECKERS = {
    "legalMoves": [
        {"from": 11, "to": 15, "captures": []},
        {"from": 7, "to": 7, "captures": [10, 18, 19, 11]},
        {"from": 7, "to": 7, "captures": [11, 19, 18, 10]},
        {"from": 1, "to": 10, "captures": [6]},
    ]
}


def steps(*pairs: tuple[int | str, int | str]) -> dict[str, Any]:
    return {"type": "move", "moves": [{"from": source, "to": target} for source, target in pairs]}


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
def test_a_play_of_backgammon_can_be_said_in_many_ways(said: Any, action: dict[str, Any]) -> None:
    assert read_action("backgammon", BACKGAMMON, said) == action


@pytest.mark.parametrize(("said", "action"), [
    ("1", {"type": "move", "from": 11, "to": 15, "captures": []}),
    ("11-15", {"type": "move", "from": 11, "to": 15, "captures": []}),
    ("1x10", {"type": "move", "from": 1, "to": 10, "captures": [6]}),
    ("1-10", {"type": "move", "from": 1, "to": 10, "captures": [6]}),
    ("7x7 taking 11,19,18,10", {"type": "move", "from": 7, "to": 7, "captures": [11, 19, 18, 10]}),
    ("7x14x23x16x7", {"type": "move", "from": 7, "to": 7, "path": [7, 14, 23, 16, 7]}),
    ("resign", {"type": "resign"}),
])  # fmt: skip
def test_a_move_of_checkers_can_be_said_in_many_ways(said: Any, action: dict[str, Any]) -> None:
    assert read_action("checkers", CHECKERS, said) == action


def test_every_move_of_the_list_can_be_said_as_it_is_listed() -> None:
    for move in MOVES:
        assert read_action("backgammon", BACKGAMMON, move_text(move)) == {"type": "move", "moves": move}


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
def test_what_is_no_move_is_told_apart(game: str, said: str, kind: type[BadMove]) -> None:
    with pytest.raises(kind):
        read_action(game, BACKGAMMON if game == "backgammon" else CHECKERS, said)
