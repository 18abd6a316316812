"""The generic codecs, tried on the built-in games."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.wire.random_games import all_to_play, played

from ludus import GAMES
from ludus.core.errors import BadMove, IllegalMove, InvalidInput, MalformedMove
from ludus.core.game import Game
from ludus.core.rules import Rules
from ludus.wire.generic import MOST_CHARACTERS, build

every_game = pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)

LONGEST = "x" * MOST_CHARACTERS
MOVES: st.SearchStrategy[Any] = st.text(max_size=8) | st.sampled_from([None, 1, [], {}, LONGEST, LONGEST + "x"])
ACTIONS = (
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["move", "resign", None]),
            "move": MOVES,
            "moves": st.sampled_from([[], [[]], None, {}]),
        },
    )
    | MOVES
)


@every_game
def test_every_legal_move_reads_back(rules: Rules[Any, Any]) -> None:
    codec = build(rules)
    for position in all_to_play(rules, "standard", seed=5):
        if rules.moves(position) != (rules.pass_move,):
            shown = [codec.rooms.move(position, move) for move in rules.moves(position)]
            assert codec.rooms.moves_from(position) == shown
        for move in rules.moves(position):
            listed = codec.rooms.move(position, move)
            assert codec.rooms.parse_move(position, json.loads(json.dumps(listed))) == move
            action = json.loads(json.dumps(codec.arena.action(position, move)))
            assert codec.arena.resolve(position, codec.arena.parse_action(action)) == move


@every_game
def test_a_board_is_lines_and_a_picture(rules: Rules[Any, Any]) -> None:
    position = rules.variants["standard"]
    shown = build(rules).rooms.board(position)
    assert "\n".join(shown["board"]) == rules.board(position).text()
    assert shown["svg"].startswith("<svg")
    assert build(rules).rooms.packed_board(position) == shown


@every_game
def test_a_place_has_the_moves_that_touch_it(rules: Rules[Any, Any]) -> None:
    codec = build(rules)
    for position in all_to_play(rules, "standard", seed=5)[:20]:
        moves = codec.rooms.moves_from(position)
        if not moves:
            continue
        place = min(moves[0]["touched"], default=0)
        assert codec.rooms.moves_from(position, place) == [move for move in moves if place in move["touched"]]
    with pytest.raises(MalformedMove):
        codec.rooms.moves_from(position, "a1")


@every_game
def test_a_view_shows_the_whole_position(rules: Rules[Any, Any]) -> None:
    arena = build(rules).arena
    for position in all_to_play(rules, "standard", seed=6):
        view = arena.view(Game(rules, start=position), is_to_move=True)
        assert json.loads(json.dumps(view)) == view
        assert arena.position(view) == position
        assert bool(view["legalMoves"]) is (rules.moves(position) != (rules.pass_move,))
        assert view["lastMove"] is None


def test_a_player_who_can_only_pass_has_no_legal_moves_and_passes_with_an_empty_list() -> None:
    rules = GAMES["backgammon"]
    rooms, arena, *_ = build(rules)
    position = next(each for each in all_to_play(rules, "standard", seed=5) if rules.moves(each) == (rules.pass_move,))
    assert rooms.moves_from(position) == arena.view(Game(rules, start=position), is_to_move=True)["legalMoves"] == []
    assert rooms.parse_move(position, {"moves": []}) == rules.pass_move
    written = {"type": "move", "move": rules.notation.write_move(position, rules.pass_move)}
    actions: list[Any] = [[], {"type": "move", "moves": []}, written]
    for action in actions:
        assert arena.resolve(position, arena.parse_action(action)) == rules.pass_move


@pytest.mark.parametrize("game", GAMES)
def test_who_can_move_cannot_pass(game: str) -> None:
    rules = GAMES[game]
    position = next(each for each in all_to_play(rules, "standard", seed=5) if len(rules.moves(each)) > 1)
    with pytest.raises(IllegalMove, match="cannot pass"):
        build(rules).rooms.parse_move(position, {"moves": []})


def test_the_last_move_is_the_players_not_the_dice() -> None:
    arena = build(GAMES["backgammon"]).arena
    game = played(GAMES["backgammon"], "standard", [5, 0, 3])
    assert arena.view(game, is_to_move=True)["lastMove"] == arena.move(game.position_at(1), game.move_at(1))


@every_game
def test_the_schema_accepts_exactly_what_is_parsed(rules: Rules[Any, Any]) -> None:
    arena = build(rules).arena
    validator = Draft202012Validator(arena.schema)
    Draft202012Validator.check_schema(arena.schema)

    @given(ACTIONS)
    def agree(action: Any) -> None:
        try:
            arena.parse_action(action)
        except InvalidInput as error:
            assert error.details and not validator.is_valid(action)
        else:
            assert validator.is_valid(action)

    agree()


@every_game
@given(payload=ACTIONS)
def test_what_a_client_sends_is_a_legal_move_or_a_bad_one(rules: Rules[Any, Any], payload: Any) -> None:
    position = all_to_play(rules, "standard", seed=1)[0]
    try:
        move = build(rules).rooms.parse_move(position, payload)
    except BadMove:
        return
    assert move in rules.moves(position)


def test_nothing_can_be_moved_before_the_dice_or_after_the_end() -> None:
    rooms = build(GAMES["backgammon"]).rooms
    start = GAMES["backgammon"].variants["standard"]
    assert rooms.moves_from(start) == []
    with pytest.raises(IllegalMove, match="dice"):
        rooms.parse_move(start, {"move": "31"})
    over = GAMES["checkers"].notation.read_position("W:W:B1,2")
    rooms = build(GAMES["checkers"]).rooms
    assert rooms.moves_from(over) == []
    with pytest.raises(IllegalMove, match="the game is over"):
        rooms.parse_move(over, {"move": "1-5"})


def test_generic_games_have_no_extra_fields_and_events() -> None:
    rules = GAMES["checkers"]
    rooms, start = build(rules).rooms, rules.variants["standard"]
    move = rules.moves(start)[0]
    after = rules.play(start, move)
    assert (rooms.move_fields(start, move, after), list(rooms.events(start, move, after))) == ({}, [])
    assert rooms.colors == rules.players
