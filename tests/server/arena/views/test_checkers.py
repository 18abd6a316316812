"""Checkers as agents see it and say it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.arena.stage import Stage, on_stage

from ludus.core.errors import AmbiguousMove, IllegalMove
from ludus.games import GAMES
from ludus.server.arena.views import VIEWS
from ludus.server.arena.views.checkers import board

RULES = GAMES["checkers"]
VIEW = VIEWS["checkers"]
FIELDS = {"you", "yourColor", "currentPlayer", "isYourTurn", "board", "legalMoves", "fen", "lastMove"}
ROUND = "W:WK10:B14,15,22,23"
"""A king can go round four men either way, and comes back to where it was."""


def choose(fen: str, **fields: Any) -> Any:
    found = VIEW.read({"type": "move", **fields}).choose
    assert found is not None
    return found(RULES.notation.read_position(fen))


@on_stage
async def test_the_first_view_has_dark_on_top_and_to_move(stage: Stage) -> None:
    match, one, two = await stage.pair("checkers")
    view, other = (await one.state(match))["view"], (await two.state(match))["view"]
    assert set(view) == set(other) == FIELDS
    assert (view["yourColor"], other["yourColor"]) == ("dark", "light")
    assert (view["isYourTurn"], other["isYourTurn"]) == (True, False)
    assert view["currentPlayer"] == other["currentPlayer"] == one.id
    pieces = [piece for row in view["board"] for piece in row if piece]
    assert [piece["position"] for piece in pieces] == [*range(1, 13), *range(21, 33)]
    assert view["board"][0][1] == {"player": "dark", "king": False, "position": 1}
    assert view["board"][7][6] == {"player": "light", "king": False, "position": 32}
    assert view["fen"].startswith("B:W21,22") and view["lastMove"] is None
    assert {"from": 11, "to": 15, "captures": []} in view["legalMoves"] and not other["legalMoves"]
    assert len(view["legalMoves"]) == 7


@on_stage
async def test_the_last_move_is_told_to_both(stage: Stage) -> None:
    match, one, two = await stage.pair("checkers")
    await one.act(match, 1, {"type": "move", "from": 11, "to": 15})
    for agent in (one, two):
        assert (await agent.state(match))["view"]["lastMove"] == {"from": 11, "to": 15, "captures": []}


def test_kings_are_shown() -> None:
    rows = board(RULES.notation.read_position("W:WK1,32:BK17"))
    assert rows[0][1] == {"player": "light", "king": True, "position": 1}
    assert rows[4][1] == {"player": "dark", "king": True, "position": 17}
    assert sum(piece is not None for row in rows for piece in row) == 3


def test_a_chain_is_named_by_its_ends_and_further_by_what_it_takes_or_where_it_goes() -> None:
    fen = "B:W6,14:B1"
    for more in ({}, {"captures": [6, 14]}, {"captures": [14, 6]}, {"path": [1, 10, 17]}):
        assert choose(fen, **{"from": 1, "to": 17}, **more).path == (1, 10, 17)


def test_where_two_chains_have_the_same_ends_one_must_say_which() -> None:
    fen = "B:W6,7,14,15:B2"
    ends = {"from": 2, "to": 18}
    with pytest.raises(AmbiguousMove, match="several chains go from 2 to 18; give captures or path"):
        choose(fen, **ends)
    assert choose(fen, **ends, captures=[6, 14]).captures == (6, 14)
    assert choose(fen, **ends, path=[2, 11, 18]).captures == (7, 15)


def test_chains_that_come_to_the_same_need_not_be_told_apart() -> None:
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
    ("B:W6,14:B1,4", (4, 8), {}, "a capture is there and must be made"),
    ("B:W6,14:B1", (1, 10), {}, "a chain of captures must be completed, and to is its last square"),
    ("B:W6,14:B1", (1, 17), {"captures": [6]}, "captures or path is not that of a move from 1 to 17"),
    ("B:W6,14:B1", (1, 17), {"path": [1, 17]}, "captures or path is not that of a move from 1 to 17"),
    ("B:W32:B1", (1, 5), {"captures": [6]}, "captures or path is not that of a move from 1 to 5"),
])  # fmt: skip
def test_a_refusal_names_the_rule(fen: str, ends: tuple[int, int], more: dict[str, Any], why: str) -> None:
    with pytest.raises(IllegalMove, match=why):
        choose(fen, **{"from": ends[0], "to": ends[1]}, **more)
