"""Any bad payload is refused with a code, and the table is unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.server.metrics import EVENTS as METERED
from ludus.server.rooms.requests import Phrase

from ..rooms.raw_client import RawClient
from ..server_process import ServerProcess
from .tables import KNOWN, MOVE, Spectator, Table, refused, seated

GAMES = ("checkers", "backgammon")
AT_A_TABLE = (
    "game:move",
    "game:get_moves",
    "game:resign",
    "game:resign:offer",
    "game:resign:accept",
    "game:resign:decline",
    "game:roll",
    "game:double:offer",
    "game:double:take",
    "game:double:drop",
    "game:double:beaver",
    "game:draw:offer",
    "game:draw:accept",
    "game:draw:decline",
    "game:takeback",
    "game:hint",
    "game:tutor",
    "game:boards",
    "game:phrase",
    "game:rematch",
)
NEED_A_ROOM = (*AT_A_TABLE, "afk:check", "game:spectate")
NEED_NOTHING = ("matchmaking:join", "matchmaking:leave", "game:reconnect")
EVENTS = (*NEED_A_ROOM, *NEED_NOTHING)
PHRASES = get_args(Phrase)

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
scalars = st.none() | st.booleans() | numbers.filter(lambda number: abs(number) < 2**63) | texts
names = (
    st.sampled_from(["roomId", "playerId", "commandId", "move", "version", "position", "soFar", "username", "phrase"])
    | texts
)
anything: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(names, inner, max_size=5), max_leaves=25
)
WRONG: dict[str, st.SearchStrategy[Any]] = {
    "roomId": anything,
    "playerId": anything.filter(lambda value: value is not None),
    "commandId": anything.filter(lambda value: value is not None and not isinstance(value, str)),
    "username": anything.filter(lambda value: value is not None and not isinstance(value, str)),
    "sessionId": anything.filter(lambda value: value is not None and not isinstance(value, str)),
    "wantsBot": anything.filter(lambda value: not isinstance(value, bool)),
    "botDifficulty": anything.filter(lambda value: value is not None),
    "afkTimeoutEnabled": anything.filter(lambda value: value is not None and not isinstance(value, bool)),
    "move": anything,
    "phrase": anything.filter(lambda value: value not in PHRASES),
    "points": anything.filter(lambda value: type(value) is not int or not 1 <= value <= 3),
    "matchLength": anything.filter(lambda value: value is not None and not (type(value) is int and 1 <= value <= 25)),
    "cube": anything.filter(lambda value: value is not None and not isinstance(value, bool)),
    "position": anything.filter(lambda value: value is not None and type(value) is not int),
    "version": anything.filter(lambda value: value is not None and type(value) is not int),
    "part": anything.filter(lambda value: value is not None and type(value) is not int),
}
"""Invalid values of each field."""
FIELDS = {
    "game:move": ("roomId", "playerId", "commandId", "move", "version"),
    "game:get_moves": ("roomId", "playerId", "position"),
    "game:phrase": ("roomId", "playerId", "commandId", "phrase"),
    "game:resign:offer": ("roomId", "playerId", "points"),
    "afk:check": ("roomId",),
    "game:spectate": ("roomId", "username"),
    "game:reconnect": ("playerId", "version", "part"),
    "matchmaking:join": (
        "username",
        "wantsBot",
        "botDifficulty",
        "afkTimeoutEnabled",
        "sessionId",
        "matchLength",
        "cube",
    ),
    "matchmaking:leave": ("playerId",),
}


class Scene(NamedTuple):
    """A table before the first move, and a spectator."""

    table: Table
    spectator: Spectator
    stranger: RawClient


@pytest.fixture(scope="module", params=GAMES)
def scene(server: ServerProcess, request: pytest.FixtureRequest) -> Iterator[Scene]:
    table = seated(server.url, request.param)
    scene = Scene(table, Spectator(server.url, request.param, table.room), RawClient(server.url, f"/{request.param}"))
    yield scene
    for part in scene:
        part.close()


def test_these_are_all_events_of_clients() -> None:
    assert {*EVENTS, "connect", "disconnect"} == METERED


@pytest.mark.parametrize("event", NEED_A_ROOM)
@settings(max_examples=25)
@given(payload=anything)
def test_any_json_is_refused(scene: Scene, event: str, payload: Any) -> None:
    before = scene.spectator.version()
    for client in (scene.table.first, scene.stranger):
        refused(client, event, payload)
    assert scene.spectator.version() == before


@pytest.mark.parametrize("event", NEED_NOTHING)
@settings(max_examples=25)
@given(payload=anything)
def test_any_json_for_an_event_without_required_fields_changes_nothing(scene: Scene, event: str, payload: Any) -> None:
    before = scene.spectator.version()
    ack = scene.table.first.ask(event, payload)
    assert ack["ok"] or ack["error"]["code"] in KNOWN, ack
    if not isinstance(payload, dict | None):
        refused(scene.table.first, event, payload, "malformed")
    assert scene.spectator.version() == before


@pytest.mark.parametrize(("event", "field"), [(event, field) for event, fields in FIELDS.items() for field in fields])
@settings(max_examples=12)
@given(data=st.data())
def test_one_invalid_field_is_refused(scene: Scene, event: str, field: str, data: st.DataObject) -> None:
    before = scene.spectator.version()
    good = scene.table.own(0, move=MOVE, position=1, phrase=PHRASES[0], points=1) if event in NEED_A_ROOM else {}
    refused(scene.table.first, event, {**good, field: data.draw(WRONG[field])})
    assert scene.spectator.version() == before


def test_true_is_no_number_of_points(scene: Scene) -> None:
    refused(scene.table.first, "game:resign:offer", scene.table.own(0, points=True), "malformed")


@pytest.mark.parametrize("event", sorted(set(AT_A_TABLE) - set(FIELDS)))
@pytest.mark.parametrize("field", ["roomId", "playerId", "commandId"])
@settings(max_examples=12)
@given(data=st.data())
def test_one_invalid_field_is_refused_for_every_command(
    scene: Scene, event: str, field: str, data: st.DataObject
) -> None:
    before = scene.spectator.version()
    refused(scene.table.first, event, {**scene.table.own(0), field: data.draw(WRONG[field])})
    assert scene.spectator.version() == before


@given(name=texts.filter(lambda text: text not in EVENTS), payload=anything)
def test_an_unknown_event_is_refused(scene: Scene, name: str, payload: Any) -> None:
    before = scene.spectator.version()
    client = scene.table.first
    client.events.clear()
    ack = client.ask(name, payload)
    assert (ack["ok"], ack["error"]["code"]) == (False, "malformed")
    assert client.heard("game:error") == [{**ack["error"], "event": name[:64]}]
    assert scene.spectator.version() == before
