"""The schemas of socket events name every event, and refuse what no event looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.room_schemas import problems

from ludus.games import GAMES
from ludus.server.app import Server
from ludus.server.rooms.placeholders import FEATURE, FIELDS, OPTIONAL_FIELDS, PLACEHOLDER
from ludus.server.rooms.schemas import REF, NamespaceSchemas, namespace_schemas, type_name
from ludus.server.settings import Settings

every_game = pytest.mark.parametrize("game", GAMES)
OVER = {"winner": None, "reason": "draw", "roomId": "r", "version": 9, "part": 0}


def events(schemas: NamespaceSchemas) -> list[Any]:
    found = (*schemas.from_clients, *schemas.from_server)
    return [schema for event in found for schema in (event.payload, event.ack, event.compact)]


def refs(value: Any) -> set[str]:
    match value:
        case {"$ref": str(ref), **rest}:
            return {ref.removeprefix(REF)} | refs(list(rest.values()))
        case dict():
            return refs(list(value.values()))
        case list() | tuple():
            return set().union(*map(refs, value))
    return set()


def test_every_event_that_clients_may_send_has_a_schema(tmp_path: Path) -> None:
    handlers = Server(Settings(data=str(tmp_path))).rooms._handlers
    assert {event.name for game in GAMES for event in namespace_schemas(game).from_clients} == set(handlers)


def test_a_game_without_a_cube_has_no_events_about_it() -> None:
    names = {game: {event.name for event in namespace_schemas(game).from_clients} for game in GAMES}
    more = {"game:roll", *(f"game:double:{each}" for each in ("offer", "take", "drop", "beaver"))}
    more |= {f"game:resign:{each}" for each in ("offer", "accept", "decline")}
    assert names["backgammon"] - names["checkers"] == more


@every_game
def test_the_schemas_refer_to_all_definitions_and_to_no_others(game: str) -> None:
    schemas = namespace_schemas(game)
    assert refs(events(schemas)) | refs(list(schemas.definitions.values())) == set(schemas.definitions)


@every_game
def test_no_placeholder_is_left(game: str) -> None:
    text = json.dumps(namespace_schemas(game))
    assert not [mark for mark in (FEATURE, FIELDS, OPTIONAL_FIELDS, PLACEHOLDER) if mark in text]


def test_types_that_differ_by_game_have_its_name() -> None:
    checkers, backgammon = (namespace_schemas(game).definitions for game in ("checkers", "backgammon"))
    shared = set(checkers) & set(backgammon)
    assert {"Waiting", "PlayerDisconnected", "Refused"} <= shared
    assert all(checkers[name] == backgammon[name] for name in shared)
    assert all(name.startswith("Checkers") for name in set(checkers) - shared)
    assert {"CheckersPiece", "CheckersMove", "CheckersOwnState"} <= set(checkers)


def test_a_type_is_named_in_camel_case() -> None:
    assert [type_name(game) for game in ("checkers", "tic-tac_toe")] == ["Checkers", "TicTacToe"]


def test_only_games_with_dice_roll_them() -> None:
    with_dice = [game for game in GAMES if not problems(game, "received", "game:dice", {})[0].endswith(game)]
    assert with_dice == ["backgammon"]
    assert "dice" in namespace_schemas("backgammon").definitions["BackgammonGameOver"]["required"]
    assert "dice" not in namespace_schemas("checkers").definitions["CheckersGameOver"]["properties"]


@pytest.mark.parametrize(
    "change",
    [{"reason": "bored"}, {"winner": 1}, {"version": "9"}, {"points": 1}, {"roomId": None}],
    ids=lambda change: next(iter(change)),
)
def test_the_tests_find_a_message_with_a_wrong_or_unknown_field(change: dict[str, Any]) -> None:
    assert not problems("checkers", "received", "game:over", OVER)
    assert problems("checkers", "received", "game:over", OVER | change)


def test_the_tests_find_a_message_without_a_field() -> None:
    for field in OVER:
        assert problems("checkers", "received", "game:over", {key: OVER[key] for key in OVER if key != field})
