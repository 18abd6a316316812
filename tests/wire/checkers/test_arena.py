"""Checkers in the arena."""

from __future__ import annotations

from typing import Any

import pytest

from ludus.core.errors import AmbiguousMove, IllegalMove
from ludus.games import GAMES
from ludus.wire import codec
from ludus.wire.checkers.arena import board

RULES = GAMES["checkers"]
CODEC = codec("checkers").arena
ROUND = "W:WK10:B14,15,22,23"
"""A king can go round four men either way, and comes back to where it was."""


def choose(fen: str, **fields: Any) -> Any:
    action = CODEC.parse_action({"type": "move", **fields})
    return CODEC.resolve(RULES.notation.read_position(fen), action)


def test_kings_are_shown() -> None:
    rows = board(RULES.notation.read_position("W:WK1,32:BK17"))
    assert rows[0][1] == {"player": "light", "king": True, "position": 1}
    assert rows[4][1] == {"player": "dark", "king": True, "position": 17}
    assert sum(piece is not None for row in rows for piece in row) == 3


def test_a_chain_is_given_by_its_ends_and_optionally_by_captures_or_path() -> None:
    fen = "B:W6,14:B1"
    for more in ({}, {"captures": [6, 14]}, {"captures": [14, 6]}, {"path": [1, 10, 17]}):
        assert choose(fen, **{"from": 1, "to": 17}, **more).path == (1, 10, 17)


def test_two_chains_with_the_same_ends_need_captures_or_path() -> None:
    fen = "B:W6,7,14,15:B2"
    ends = {"from": 2, "to": 18}
    with pytest.raises(AmbiguousMove, match="several chains go from 2 to 18; give captures or path"):
        choose(fen, **ends)
    assert choose(fen, **ends, captures=[6, 14]).captures == (6, 14)
    assert choose(fen, **ends, path=[2, 11, 18]).captures == (7, 15)


def test_chains_with_the_same_result_need_no_distinction() -> None:
    moves = RULES.moves(RULES.notation.read_position(ROUND))
    assert len({move.captures for move in moves if move.landing == 10}) == 2
    first = choose(ROUND, **{"from": 10, "to": 10})
    assert sorted(first.captures) == [14, 15, 22, 23]
    for move in moves:
        assert choose(ROUND, **{"from": 10, "to": 10}, captures=list(move.captures)) == move


@pytest.mark.parametrize(("fen", "ends", "more", "why"), [
    ("B:W32:B1", (2, 6), {}, "there is no piece on 2"),
    ("B:W32:B1", (32, 28), {}, "the piece on 32 is not yours"),
    ("B:W32:B1", (1, 10), {}, "the piece on 1 cannot move to 10"),
    ("B:W6,14:B1,4", (4, 8), {}, "a capture is available and must be made"),
    ("B:W6,14:B1", (1, 10), {}, "a chain of captures must be completed; to is its last square"),
    ("B:W6,14:B1", (1, 17), {"captures": [6]}, "captures or path does not fit a move from 1 to 17"),
    ("B:W6,14:B1", (1, 17), {"path": [1, 17]}, "captures or path does not fit a move from 1 to 17"),
    ("B:W32:B1", (1, 5), {"captures": [6]}, "captures or path does not fit a move from 1 to 5"),
])  # fmt: skip
def test_a_refusal_names_the_rule(fen: str, ends: tuple[int, int], more: dict[str, Any], why: str) -> None:
    with pytest.raises(IllegalMove, match=why):
        choose(fen, **{"from": ends[0], "to": ends[1]}, **more)


def test_a_position_is_read_from_the_fen() -> None:
    fen = "W:WK7:B10,11,18,19:H4"
    position = CODEC.position({"fen": fen})
    assert RULES.notation.write_position(position) == fen
    actions = [CODEC.action(position, move) for move in RULES.moves(position)]
    assert {"type": "move", "from": 7, "to": 7, "captures": [10, 18, 19, 11]} in actions
    start = CODEC.position({"fen": "B:W21-32:B1-12"})
    assert {"type": "move", "from": 11, "to": 15} in [CODEC.action(start, move) for move in RULES.moves(start)]
