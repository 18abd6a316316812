"""What may be sent: the bounds, and the words in which a request is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.server.rest.rest_app import ANN, BEN, RestApp, open_app

from ludus.games import GAMES
from ludus.server.rest.schemas import CreateSession

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def app(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RestApp]:
    """Shared: no request here depends on another."""
    async with open_app(tmp_path_factory.mktemp("schemas")) as app:
        yield app


async def error(app: RestApp, body: object, path: str = "/v1/sessions") -> str:
    answer = await app.ask("POST", path, json=body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["code"] == "malformed"
    return str(answer.json()["error"])


def nested(levels: int) -> dict[str, Any]:
    return {"in": nested(levels - 1)} if levels > 1 else {"in": 1}


def test_every_game_can_be_asked_for() -> None:
    assert CreateSession.model_json_schema()["properties"]["game"]["enum"] == list(GAMES)


@pytest.mark.parametrize(("body", "text"), [
    ({}, "game is required"),
    ({"game": None, "players": [ANN]}, "game is required"),
    ({"game": "", "players": "x"}, "game is required"),
    ({"game": "chess", "players": [ANN]}, "Invalid game. Valid: checkers, backgammon"),
    ({"game": 7}, "Invalid game. Valid: checkers, backgammon"),
    ({"game": ["checkers"]}, "Invalid game. Valid: checkers, backgammon"),
    ({"game": "checkers"}, "players[] required for live and test sessions"),
    ({"game": "checkers", "players": None}, "players[] required for live and test sessions"),
    ({"game": "checkers", "players": [], "mode": "test"}, "players[] required for live and test sessions"),
    ({"game": "checkers", "players": [ANN, ANN], "matchType": "private"}, "players: each has an id of their own"),
    (
        {"game": "checkers", "mode": "training", "matchType": "bot", "playerCount": 2},
        "playerCount: a bot has one opponent",
    ),
    ({"game": "checkers", "players": [ANN], "mode": "fun"}, "mode: Input should be 'live', 'test' or 'training'"),
    ({"game": "checkers", "players": [{"id": 7, "displayName": "A"}]}, "players.0.id: Input should be a valid string"),
    ({"game": "checkers", "players": [{"id": "a"}]}, "players.0.displayName: Field required"),
])  # fmt: skip
async def test_a_refusal_names_what_is_wrong(app: RestApp, body: dict[str, Any], text: str) -> None:
    assert await error(app, body) == text


@pytest.mark.parametrize("change", [
    {"players": [ANN, BEN, {"id": "eve", "displayName": "Eve"}], "matchType": "private"},
    {"players": [{"id": "", "displayName": "A"}]},
    {"players": [{"id": "a", "displayName": ""}]},
    {"players": [{"id": "a" * 129, "displayName": "A"}]},
    {"players": [{"id": "a", "displayName": "A" * 65}]},
    {"players": [{"id": "a\0", "displayName": "A"}]},
    {"players": [{"id": "a", "displayName": "A\nB"}]},
    {"players": [{"id": "a", "displayName": "\u202e\u2069"}]},
    {"players": [{"id": "😀" * 128, "displayName": "A"}]},
    {"players": {"id": "a", "displayName": "A"}},
    {"afkTimeoutEnabled": 1},
    {"botDifficulty": "God-like"},
    {"playerCount": 3},
    {"playerCount": True},
    {"theme": []},
    {"theme": "dark"},
    {"theme": nested(6)},
    {"theme": {"a": [[[[[1]]]]]}},
    {"theme": {"a": "\0"}},
    {"theme": {"\0": 1}},
    {"theme": {"a": "x" * 2040}},
    {"theme": {"a": "é" * 400}},
], ids=lambda change: str(change)[:60])  # fmt: skip
async def test_what_is_out_of_bounds_is_refused(app: RestApp, change: dict[str, Any]) -> None:
    assert await error(app, {"game": "checkers", "players": [ANN], **change})


@pytest.mark.parametrize("change", [
    {"players": [{"id": "a" * 128, "displayName": "漢" * 64}]},
    {"players": [{"id": "ü ö/😀", "displayName": "'; DROP TABLE \"x\" <b>"}]},
    {"players": [{**ANN, "email": "a@b.example"}], "unknown": {"deep": []}},
    {"theme": nested(5)},
    {"theme": {"a": "x" * 2039}},
    {"theme": {}},
    {"theme": None},
], ids=lambda change: str(change)[:60])  # fmt: skip
async def test_what_is_just_within_bounds_is_taken(app: RestApp, change: dict[str, Any]) -> None:
    made = await app.create(**change)
    known = {name: value for name, value in change.items() if name in made}
    players = [{"id": each["id"], "displayName": each["displayName"]} for each in change.get("players", [ANN])]
    assert {name: made[name] for name in known} == known | ({"players": players} if "players" in known else {})


async def test_a_name_loses_what_turns_the_line_round(app: RestApp) -> None:
    made = await app.create(players=[{"id": "a", "displayName": "\u202eevil\u202c \u05d3"}])
    assert made["players"] == [{"id": "a", "displayName": "evil \u05d3"}]


async def test_the_longest_session_has_a_token_that_works(app: RestApp) -> None:
    names = [{"id": f"{n}" + "\u00ff" * 80, "displayName": "\u00ff" * 64} for n in (1, 2)]
    made = await app.create(matchType="private", players=names, theme={"a": "x" * 2039})
    answer = await app.ask("GET", "/v1/sessions/validate", key="", params={"token": made["sessionToken"]})
    assert answer.json() == {"status": "pending", "result": None}


@pytest.mark.parametrize("content", [
    b"", b"{", b"[]", b"null", b"7", b'"x"', b"\xff", b'{"game": NaN}', b'{"game": "\\ud800"}', b"[" * 5000,
    b'{"game": "checkers", "players": [{"id": "a", "displayName": "A"}], "theme": {"a": 1e999}}',
], ids=lambda content: str(content)[:30])  # fmt: skip
async def test_a_body_that_is_no_json_object_is_refused(app: RestApp, content: bytes) -> None:
    for kind in ("application/json", "application/json; charset=utf-8", "application/vnd.x+json"):
        headers = {"Content-Type": kind, "Authorization": f"Bearer {app.tenant.live_key}"}
        answer = await app.client.request("POST", "/v1/sessions", content=content, headers=headers)
        assert answer.status_code == 400
        assert set(answer.json()) == {"error", "code"}


async def test_json_need_not_say_that_it_is_json_but_may_not_say_that_it_is_not(app: RestApp) -> None:
    headers = {"Authorization": f"Bearer {app.tenant.live_key}"}
    body = b'{"game": "checkers", "players": [{"id": "a", "displayName": "A"}]}'
    plain = await app.client.request("POST", "/v1/sessions", content=body, headers=headers)
    form = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
    wrong = await app.client.request("POST", "/v1/sessions", content=body, headers=form)
    assert (plain.status_code, wrong.status_code) == (201, 400)
    assert wrong.json()["error"] == "The body must be a JSON object, sent as application/json"


@pytest.mark.parametrize(("body", "text"), [
    ({"roomCode": "ABC123"}, "game is required"),
    ({"roomCode": "ABC123", "game": "chess"}, "Invalid game. Valid: checkers, backgammon"),
    ({"game": "checkers"}, "roomCode: Field required"),
    ({"game": "checkers", "roomCode": "ABC12"}, "roomCode: String should match pattern '^[A-Za-z0-9]{6}$'"),
    ({"game": "checkers", "roomCode": "ABC12\n"}, "roomCode: String should match pattern '^[A-Za-z0-9]{6}$'"),
])  # fmt: skip
async def test_joining_needs_a_code_and_a_game(app: RestApp, body: dict[str, Any], text: str) -> None:
    assert await error(app, body, "/v1/sessions/join") == text
