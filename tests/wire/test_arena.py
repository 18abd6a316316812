"""Properties of every game's arena codec."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.wire.random_games import all_to_play, played

from ludus import GAMES
from ludus.core.game import Game
from ludus.core.rules import Rules
from ludus.wire import codec
from ludus.wire.state import state, view

every_game = pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
IDS = ("a", "b")


@every_game
def test_every_action_resolves_to_its_move(rules: Rules[Any, Any]) -> None:
    arena = codec(rules.name).arena
    for position in all_to_play(rules, "standard", seed=3):
        for move in rules.moves(position):
            found = arena.resolve(position, arena.parse_action(arena.action(position, move)))
            assert rules.play(position, found) == rules.play(position, move)


@every_game
def test_a_view_shows_the_whole_position(rules: Rules[Any, Any]) -> None:
    arena = codec(rules.name).arena
    for position in all_to_play(rules, "standard", seed=4):
        game = Game(rules, start=position)
        player = game.turn.player
        for seat in (0, 1):
            seen = view(game, seat, IDS)
            assert json.loads(json.dumps(seen)) == seen
            assert arena.position(seen) == position
            has_moves = player == seat and rules.moves(position) != (rules.pass_move,)
            assert (seen["isYourTurn"], bool(seen["legalMoves"])) == (player == seat, has_moves)


@pytest.mark.parametrize("variant", ["standard+match3", "nackgammon+match3", "hypergammon+match3+nocube"])
def test_a_view_shows_the_match_and_the_layout_of_its_games(variant: str) -> None:
    rules = GAMES["backgammon"]
    for position in all_to_play(rules, variant, seed=5):
        seen = json.loads(json.dumps(view(Game(rules, start=position), 0, IDS)))
        found = codec("backgammon").arena.position(seen)
        assert found.match == position.match


@every_game
def test_a_watcher_has_no_seat_and_no_legal_moves(rules: Rules[Any, Any]) -> None:
    game = played(rules, "standard", [1])
    seen = view(game, None, IDS)
    assert (seen["you"], seen["yourColor"], seen["isYourTurn"], seen["legalMoves"]) == (None, None, False, [])
    player = game.turn.player
    assert seen["currentPlayer"] == (None if player is None else IDS[player])


@every_game
def test_a_state_is_a_view_and_where_the_match_stands(rules: Rules[Any, Any]) -> None:
    game = played(rules, "standard", [1])
    shown = state(game, 0, IDS, match="m1", status="your_turn", sequence=7)
    assert shown.pop("view") == view(game, 0, IDS)
    assert shown == {
        "matchId": "m1",
        "gameId": rules.name,
        "gameType": "sequential",
        "status": "your_turn",
        "sequence": 7,
    }
