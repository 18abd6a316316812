"""Modules that moved to `ludus.wire` still work."""

from __future__ import annotations

import pytest
from tests.wire.views import BACKGAMMON, CHECKERS

from ludus.client import Unexpected
from ludus.client.drawing import dice, draw, last, moves_text, side
from ludus.client.positions import action_of, position_of
from ludus.client.saying import read_action
from ludus.core.errors import BadInput
from ludus.games import GAMES
from ludus.wire import codec


def test_a_view_is_drawn() -> None:
    view, text = {**BACKGAMMON, "lastTurn": []}, codec("backgammon").text
    assert (draw("backgammon", view), side("backgammon", view)) == (text.board(view), text.side(view))
    assert (last(view), dice(view)) == ("Opponent passed. ", "Dice 3 1. ")
    assert moves_text(view) == "Legal moves: 1 8/5 6/5; 2 24/23 13/10."
    assert moves_text({**CHECKERS, "yourColor": "dark"}).startswith("Legal moves: 1 11-15; 2 7x7 taking")


def test_what_a_model_says_is_parsed() -> None:
    assert read_action("checkers", CHECKERS, "11-15") == {"type": "move", "from": 11, "to": 15, "captures": []}


@pytest.mark.parametrize("game", GAMES)
def test_moves_become_actions(game: str) -> None:
    rules = GAMES[game]
    position = rules.variants["standard"]
    if rules.chances(position):
        position = position_of(game, BACKGAMMON)
    move = rules.moves(position)[0]
    assert action_of(position, move) == codec(game).arena.action(position, move)


@pytest.mark.parametrize(("game", "view"), [
    ("checkers", {}),
    ("checkers", {"fen": "x"}),
    ("checkers", {"fen": None}),
    ("backgammon", {}),
    ("backgammon", {**BACKGAMMON, "board": [30] * 25}),
    ("backgammon", {**BACKGAMMON, "yourColor": "red"}),
])  # fmt: skip
def test_a_view_without_a_position_is_reported(game: str, view: dict[str, object]) -> None:
    with pytest.raises(Unexpected, match=f"this view shows no position of {game}"):
        position_of(game, view)


def test_other_games_have_no_rules_here() -> None:
    with pytest.raises(BadInput, match="no rules of 'chess'"):
        position_of("chess", {})
