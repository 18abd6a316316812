"""The published schema accepts exactly what the parser accepts."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ludus.core.errors import InvalidInput
from ludus.core.game import Game
from ludus.core.rules import Turn
from ludus.games import GAMES
from ludus.wire import codec

EDGES: st.SearchStrategy[Any] = st.sampled_from([
    0, 1, 24, 25, 32, 33, -1, 1.0, 24.0, 32.0, 33.0, 24.5, 1e300, True, False, None, "bar", "off", "Bar", "", "7",
    "move", "resign", [], {}, [7], [None],
])  # fmt: skip
ANYTHING = st.recursive(
    EDGES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)
SQUARE = st.integers(1, 32)
STEP = st.fixed_dictionaries({
    "from": st.integers(1, 24) | st.just("bar"),
    "to": st.integers(1, 24) | st.just("off"),
})  # fmt: skip
WELL_FORMED = {
    "backgammon": st.fixed_dictionaries({"type": st.just("move"), "moves": st.lists(STEP, max_size=4)}),
    "checkers": st.fixed_dictionaries(
        {"type": st.just("move"), "from": SQUARE, "to": SQUARE},
        optional={"captures": st.lists(SQUARE, max_size=12), "path": st.lists(SQUARE, min_size=2, max_size=13)},
    ),
}


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a value with each of its keys."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


NUMBERS = st.sampled_from([0, 1, 24, 25, 32, 33, -1, 1.0, 24.0, 33.0, 24.5, True, None, "bar", "off", "7"])


@st.composite
def actions(draw: st.DrawFn, game: str) -> Any:
    """A well-formed action in which one thing is changed."""
    action: Any = deepcopy(draw(WELL_FORMED[game]))
    container, key = draw(st.sampled_from(list(places(action))))
    match draw(st.sampled_from(["value", "value", "less", "more"])), container[key]:
        case "value", int():
            container[key] = draw(NUMBERS)
        case "value", _:
            container[key] = draw(EDGES | ANYTHING)
        case "less", _:
            del container[key]
        case "more", list(items):
            container[key] = (items * 14)[: draw(st.integers(1, 14))]
        case _:
            action[draw(st.text(max_size=5))] = draw(ANYTHING)
    return action


def is_read(game: str, action: Any) -> bool:
    try:
        codec(game).arena.parse_action(action)
    except InvalidInput as error:
        assert error.details
        return False
    return True


@pytest.mark.parametrize("game", GAMES)
def test_the_schema_is_valid(game: str) -> None:
    schema = codec(game).arena.schema
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    for example in schema["examples"]:
        assert is_read(game, example) and Draft202012Validator(schema).is_valid(example)


@pytest.mark.parametrize("game", GAMES)
def test_the_schema_accepts_exactly_what_is_parsed(game: str) -> None:
    validator = Draft202012Validator(codec(game).arena.schema)
    found = []

    @settings(max_examples=1000)
    @given(WELL_FORMED[game] | actions(game) | ANYTHING)
    def agree(action: Any) -> None:
        found.append(is_read(game, action))
        assert found[-1] == validator.is_valid(action), action

    agree()
    assert min(found.count(True), found.count(False)) > 100


def play(*steps: tuple[Any, Any]) -> Any:
    return {"type": "move", "moves": [{"from": source, "to": target} for source, target in steps]}


def move(source: Any, target: Any, **more: Any) -> Any:
    return {"type": "move", "from": source, "to": target, **more}


def some(*values: Any) -> tuple[Any, ...]:
    return values


VALID = [
    *(("backgammon", play((place, 1))) for place in some(1, 24, 1.0, 24.0, "bar")),
    *(("backgammon", play((24, place))) for place in some(1, 24, 24.0, "off")),
    *(("backgammon", play(*[(24, 20)] * count)) for count in range(5)),
    ("backgammon", []),
    *(("checkers", move(place, 1)) for place in some(1, 32, 1.0, 32.0)),
    *(("checkers", move(1, place)) for place in some(1, 32)),
    *(("checkers", move(1, 5, captures=[6] * count)) for count in (0, 1, 12)),
    *(("checkers", move(1, 5, path=[6] * count)) for count in (2, 13)),
    *(("checkers", move(1, 5, **{name: None})) for name in ("captures", "path")),
    *((game, {"type": "resign", **more}) for game in GAMES for more in some({}, {"moves": 1, "from": 99})),
]
INVALID = [
    *(("backgammon", play((place, 1))) for place in some(0, 25, -1, 24.5, "off", "Bar", True, None, "24", [])),
    *(("backgammon", play((24, place))) for place in some(0, 25, "bar", True, None)),
    *(("backgammon", play(*[(24, 20)] * count)) for count in (5, 6)),
    *(("backgammon", {"type": "move", "moves": moves}) for moves in some(None, {}, "24", [24], [[24, 20]], [{}])),
    *(("checkers", move(place, 1)) for place in some(0, 33, -1, 33.0, 31.5, True, None, "1", [1])),
    *(("checkers", move(1, place)) for place in some(0, 33, True)),
    *(("checkers", move(1, 5, captures=[6] * count)) for count in (13, 14)),
    *(("checkers", move(1, 5, path=[6] * count)) for count in (0, 1, 14)),
    *(("checkers", move(1, 5, captures=value)) for value in some(7, {}, "7", [0], [33], [None], [True])),
    *(("checkers", move(1, 5, path=value)) for value in some(7, {}, "7", [1, 0], [1, 33], [1, None], [1, True])),
    *((game, {"type": kind}) for game in GAMES for kind in some("Resign", "move", None, 1, ["resign"])),
    *((game, thing) for game in GAMES for thing in some(None, "resign", 1, {}, [[]], {"moves": []})),
    ("checkers", []),
]


@pytest.mark.parametrize(
    ("game", "action", "is_valid"), [*((*case, True) for case in VALID), *((*case, False) for case in INVALID)]
)
def test_the_limits_of_what_is_well_formed(game: str, action: Any, is_valid: bool) -> None:
    assert is_read(game, action) is is_valid
    assert Draft202012Validator(codec(game).arena.schema).is_valid(action) is is_valid


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_every_legal_move_is_valid_and_resolves_to_itself(game: str, seed: int) -> None:
    rng, arena = Random(seed), codec(game).arena
    validator = Draft202012Validator(arena.schema)
    record: Game[Any, Any] = Game(GAMES[game])
    while record.turn is not Turn.OVER:
        moves = record.legal_moves()
        if record.turn is not Turn.DICE:
            for chosen in rng.sample(moves, min(len(moves), 5)):
                action = {"type": "move", **arena.move(record.position, chosen)}
                assert validator.is_valid(action)
                assert arena.resolve(record.position, arena.parse_action(action)) == chosen
        record.play(rng.choice(moves))


@pytest.mark.parametrize("game", GAMES)
def test_two_actions_have_the_same_key_only_if_they_mean_the_same(game: str) -> None:
    names: dict[str, list[Any]] = {
        "backgammon": [
            [], [(24, 20)], [(24, 20), (13, 10)], [(13, 10), (24, 20)], [("bar", 20)], [(2, "off")], [(2, "off")] * 4,
        ],
        "checkers": [
            {"from": 1, "to": 11}, {"from": 11, "to": 1}, {"from": 1, "to": 11, "captures": []},
            {"from": 1, "to": 11, "captures": [6, 7]}, {"from": 1, "to": 11, "captures": [67 % 32, 7]},
            {"from": 1, "to": 11, "path": [1, 11]}, {"from": 1, "to": 11, "path": [1, 10, 11]},
        ],
    }  # fmt: skip
    actions: list[Any] = [
        {"type": "move", "moves": [{"from": one, "to": two} for one, two in fields]}
        if isinstance(fields, list)
        else {"type": "move", **fields}
        for fields in names[game]
    ]
    read = [codec(game).arena.parse_action(action).key for action in [*actions, {"type": "resign"}]]
    assert len(set(read)) == len(read)
    assert [codec(game).arena.parse_action({**action, "note": 1}).key for action in actions] == read[:-1]
