"""Properties of every game's room codec."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.wire.random_games import all_to_play, choices, played, to_play

from ludus import GAMES, Player, Turn
from ludus.core.errors import AmbiguousMove, BadMove, IllegalMove, MalformedMove
from ludus.core.rules import Rules
from ludus.games.backgammon.position import Position, men
from ludus.wire import codec

STARTS = [(rules, variant) for rules in GAMES.values() for variant in rules.variants]
every_start = pytest.mark.parametrize(("rules", "variant"), STARTS, ids=lambda value: getattr(value, "name", value))
every_game = pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)

OVER = {
    "checkers": GAMES["checkers"].notation.read_position("W:W:B1,2"),
    "backgammon": Position(men({0: 15}), men({1: 15}), Player.SECOND),
}

numbers = st.integers(-3, 70)
scalars = (
    st.none() | st.booleans() | numbers | st.integers() | st.floats() | st.text() | st.sampled_from(["bar", "off"])
)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("from"), inner), max_leaves=8
)
steps = st.fixed_dictionaries({"from": numbers | st.just("bar"), "to": numbers | st.just("off")}) | anything
payloads = anything | st.fixed_dictionaries(
    {},
    optional={
        "from": numbers | anything,
        "to": numbers | anything,
        "captures": st.lists(numbers, max_size=14) | anything,
        "moves": st.lists(steps, max_size=6) | anything,
        "more": anything,
    },
)


def fits(value: Any, schema: Any) -> bool:
    return bool(validator(json.dumps(schema)).is_valid(json.loads(json.dumps(value))))


@cache
def validator(schema: str) -> Any:
    return jsonschema_rs.validator_for(json.loads(schema))


def is_told_apart(error: BadMove) -> bool:
    """Whether it is one of the three kinds, with a text too short to echo the payload."""
    return isinstance(error, (MalformedMove, IllegalMove, AmbiguousMove)) and 0 < len(str(error)) < 100


@every_start
@given(chosen=choices)
def test_every_legal_move_reads_back_as_the_same_move(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> None:
    position, rooms = to_play(rules, variant, chosen), codec(rules.name).rooms
    for move in rules.moves(position):
        assert rooms.parse_move(position, json.loads(json.dumps(rooms.move(position, move)))) == move


@every_start
def test_every_legal_move_of_a_whole_game_reads_back_as_the_same_move(rules: Rules[Any, Any], variant: str) -> None:
    rooms = codec(rules.name).rooms
    for position in all_to_play(rules, variant, seed=7):
        for move in rules.moves(position):
            assert rooms.parse_move(position, rooms.move(position, move)) == move


@every_start
@given(chosen=choices)
def test_a_board_is_plain_json_whatever_happens(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> None:
    for position in played(rules, variant, chosen).positions[-3:]:
        board = codec(rules.name).rooms.board(position)
        assert json.loads(json.dumps(board)) == board


@every_start
@given(chosen=choices, payload=payloads)
def test_what_a_client_sends_is_a_legal_move_or_a_bad_one(
    rules: Rules[Any, Any], variant: str, chosen: list[int], payload: Any
) -> None:
    position = played(rules, variant, chosen).position
    try:
        move = codec(rules.name).rooms.parse_move(position, payload)
    except BadMove as error:
        assert is_told_apart(error)
    else:
        assert move in rules.moves(position)


@every_game
@given(chosen=choices, place=scalars | anything, so_far=st.lists(steps, max_size=6) | anything)
def test_a_question_about_moves_is_answered_or_refused_as_a_bad_move(
    rules: Rules[Any, Any], chosen: list[int], place: Any, so_far: Any
) -> None:
    position = played(rules, "standard", chosen).position
    try:
        found = codec(rules.name).rooms.moves_from(position, place, so_far)
    except BadMove as error:
        assert is_told_apart(error)
    else:
        assert isinstance(found, list)


@every_game
@given(chosen=choices)
def test_unknown_fields_are_ignored(rules: Rules[Any, Any], chosen: list[int]) -> None:
    position, rooms = to_play(rules, "standard", chosen), codec(rules.name).rooms
    for move in rules.moves(position)[:3]:
        assert rooms.parse_move(position, {**rooms.move(position, move), "animate": True}) == move


@every_game
def test_nothing_can_be_moved_when_the_game_is_over(rules: Rules[Any, Any]) -> None:
    position, rooms = OVER[rules.name], codec(rules.name).rooms
    assert rules.turn(position) is Turn.OVER
    assert rooms.moves_from(position, 1) == []
    with pytest.raises(IllegalMove, match="the game is over"):
        rooms.parse_move(position, {"from": 1, "to": 2, "moves": []})


@every_start
@given(chosen=choices)
def test_the_schemas_describe_boards_and_moves(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> None:
    position, rooms = to_play(rules, variant, chosen), codec(rules.name).rooms
    schemas, moves = rooms.schemas, rules.moves(position)
    assert rooms.board(position).keys() == schemas.board.keys()
    for name, value in rooms.board(position).items():
        assert fits(value, schemas.board[name])
    assert all(fits(move, schemas.legal_move) for move in rooms.moves_from(position))
    for move in moves:
        written = rooms.move(position, move)
        assert fits(written, schemas.move) and fits(written, schemas.move_request)
        fields = rooms.move_fields(position, move, rules.play(position, move))
        assert fields.keys() == schemas.move_fields.keys()
        assert all(fits(value, schemas.move_fields[name]) for name, value in fields.items())


@every_game
@given(payload=payloads)
def test_the_schema_accepts_every_well_formed_request(rules: Rules[Any, Any], payload: Any) -> None:
    rooms, position = codec(rules.name).rooms, to_play(rules, "standard", [])
    try:
        rooms.parse_move(position, payload)
    except MalformedMove:
        return
    except BadMove:
        pass
    assert fits(payload, rooms.schemas.move_request)


@every_game
@pytest.mark.parametrize(
    "payload", [None, 1, "e4", [], {}, {"from": 1}, {"from": "x", "to": 2}, {"moves": 3}, {"moves": [{}]}], ids=repr
)
def test_the_schema_refuses_what_is_malformed(rules: Rules[Any, Any], payload: Any) -> None:
    rooms, position = codec(rules.name).rooms, to_play(rules, "standard", [])
    with pytest.raises(MalformedMove):
        rooms.parse_move(position, payload)
    assert not fits(payload, rooms.schemas.move_request)
