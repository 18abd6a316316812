"""Sessions over REST, as an app's back end uses them."""

from __future__ import annotations

import re
import time
import uuid
from typing import Any

import jwt
import pytest

from ..server_process import ServerProcess, Tenant
from .app import App
from .shapes import fits

ANN = {"id": "ann", "displayName": "Ann"}
CHECKERS: dict[str, Any] = {"game": "checkers", "players": [ANN]}
THEME = {"primaryColor": "#ff6b00"}
MADE = {
    "sessionId": str,
    "sessionToken": str,
    "expiresIn": int,
    "expiresAt": (int, float, str),
    "game": str,
    "mode": str,
    "matchType": str,
    "roomCode": (str, type(None)),
    "players": list,
    "theme": (dict, type(None)),
    "webhooksEnabled": bool,
}


def claims(token: str) -> dict[str, Any]:
    assert jwt.get_unverified_header(token)["alg"] == "HS256"
    return dict(jwt.decode(token, options={"verify_signature": False}))


def error(server: ServerProcess, method: str, path: str, key: str | None, status: int, **more: Any) -> str:
    """The text of an expected error."""
    answer = server.request(method, path, key, **more)
    assert answer.status_code == status, answer.text
    fits(answer.json(), {"error": str})
    return str(answer.json()["error"])


def test_a_session_has_every_documented_field_and_default(server: ServerProcess, tenant: Tenant) -> None:
    made = server.post("/v1/sessions", tenant.live, CHECKERS)
    fits(made, MADE)
    assert str(uuid.UUID(made["sessionId"])) == made["sessionId"]
    assert made == {
        **made,
        "expiresIn": 300,
        "game": "checkers",
        "mode": "live",
        "matchType": "matchmaking",
        "roomCode": None,
        "players": [ANN],
    }


def test_the_token_says_who_may_play_what_and_for_how_long(server: ServerProcess, tenant: Tenant) -> None:
    made = server.post("/v1/sessions", tenant.live, {**CHECKERS, "theme": THEME})
    said = claims(made["sessionToken"])
    fits(said, {"iat": int, "exp": int})
    assert said["exp"] - said["iat"] == 300
    assert abs(said["iat"] - time.time()) < 60
    same = ("sessionId", "game", "matchType", "players", "theme")
    assert {name: said[name] for name in same} == {name: made[name] for name in same}
    assert made["theme"] == THEME


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@pytest.mark.parametrize("match_type", ["matchmaking", "bot", "private"])
def test_both_games_have_three_match_types(server: ServerProcess, tenant: Tenant, game: str, match_type: str) -> None:
    made = server.post("/v1/sessions", tenant.live, {**CHECKERS, "game": game, "matchType": match_type})
    assert (made["game"], made["matchType"]) == (game, match_type)
    assert bool(made["roomCode"]) == (match_type == "private")


@pytest.mark.parametrize("level", ["beginner", "easy", "medium", "hard"])
def test_bots_have_three_levels(server: ServerProcess, tenant: Tenant, level: str) -> None:
    server.post("/v1/sessions", tenant.live, {**CHECKERS, "matchType": "bot", "botDifficulty": level})


def test_the_idle_limit_can_be_disabled(server: ServerProcess, tenant: Tenant) -> None:
    server.post("/v1/sessions", tenant.live, {**CHECKERS, "afkTimeoutEnabled": False})


@pytest.mark.parametrize("count", [1, 2])
def test_training_needs_no_players(server: ServerProcess, tenant: Tenant, count: int) -> None:
    made = server.post("/v1/sessions", tenant.live, {"game": "checkers", "mode": "training", "playerCount": count})
    fits(made, MADE)
    assert made["mode"] == "training"


def test_a_private_room_has_a_code_of_six_letters_or_digits(server: ServerProcess, tenant: Tenant) -> None:
    codes = [
        server.post("/v1/sessions", tenant.live, {**CHECKERS, "matchType": "private"})["roomCode"] for _ in range(3)
    ]
    assert all(re.fullmatch("[A-Z0-9]{6}", code) for code in codes)
    assert len(set(codes)) == 3


def test_a_private_room_may_name_both_players(server: ServerProcess, tenant: Tenant) -> None:
    ben = {"id": "ben", "displayName": "Ben"}
    body = {**CHECKERS, "matchType": "private", "players": [ANN, ben]}
    made = server.post("/v1/sessions", tenant.live, body)
    assert made["players"] == [ANN, ben]
    assert claims(made["sessionToken"])["players"][0] == ANN
    friend = {"roomCode": made["roomCode"], "game": "checkers", "player": ben}
    assert claims(server.post("/v1/sessions/join", tenant.live, friend)["sessionToken"])["players"][0] == ben


def test_a_friend_gets_a_token_for_the_code(server: ServerProcess, tenant: Tenant) -> None:
    ben = {"id": "ben", "displayName": "Ben"}
    made = server.post("/v1/sessions", tenant.live, {**CHECKERS, "matchType": "private"})
    friend = {"roomCode": made["roomCode"], "game": "checkers", "player": ben}
    joined = server.post("/v1/sessions/join", tenant.live, friend)
    said = claims(joined["sessionToken"])
    assert said["players"][0] == ben
    assert (said["game"], said["matchType"]) == ("checkers", "private")


def test_an_unknown_code_is_not_found(server: ServerProcess, tenant: Tenant) -> None:
    body = {"roomCode": "AAAAAA", "game": "checkers", "player": ANN}
    assert error(server, "POST", "/v1/sessions/join", tenant.live, 404, json=body)


def test_a_code_is_not_found_for_another_tenant(server: ServerProcess, tenant: Tenant, neighbour: Tenant) -> None:
    made = server.post("/v1/sessions", tenant.live, {**CHECKERS, "matchType": "private"})
    body = {"roomCode": made["roomCode"], "game": "checkers", "player": {"id": "eve", "displayName": "Eve"}}
    assert error(server, "POST", "/v1/sessions/join", neighbour.live, 404, json=body)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"players": [ANN]}, "game is required"),
        ({"game": "chess", "players": [ANN]}, "Invalid game. Valid: checkers, backgammon"),
        ({"game": "checkers"}, "players[] required for live and test sessions"),
        ({"game": "checkers", "players": []}, "players[] required for live and test sessions"),
        ({"game": "checkers", "mode": "live"}, "players[] required for live and test sessions"),
    ],
)
def test_errors_have_the_documented_texts(
    server: ServerProcess, tenant: Tenant, body: dict[str, Any], text: str
) -> None:
    assert error(server, "POST", "/v1/sessions", tenant.live, 400, json=body) == text


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "fun"},
        {"matchType": "duel"},
        {"matchType": "bot", "botDifficulty": "godlike"},
        {"afkTimeoutEnabled": "no"},
        {"theme": "dark"},
        {"players": "ann"},
        {"players": [{"displayName": "Ann"}]},
        {"players": [{"id": 7, "displayName": "Ann"}]},
        {"players": [ANN, {"id": "ben", "displayName": "Ben"}, {"id": "cid", "displayName": "Cid"}]},
        {"mode": "training", "playerCount": 3},
    ],
    ids=str,
)
def test_a_wrong_field_is_a_bad_request(server: ServerProcess, tenant: Tenant, change: dict[str, Any]) -> None:
    assert error(server, "POST", "/v1/sessions", tenant.live, 400, json={**CHECKERS, **change})


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff"])
def test_a_body_that_is_no_object_is_a_bad_request(server: ServerProcess, tenant: Tenant, content: bytes) -> None:
    assert error(server, "POST", "/v1/sessions", tenant.live, 400, content=content)


def test_a_new_session_is_pending(app: App) -> None:
    session = app.session("Ann")
    found = app.status(session)
    assert found == {
        **found,
        "id": session["sessionId"],
        "game": "checkers",
        "mode": "live",
        "matchType": "matchmaking",
        "status": "pending",
        "players": session["players"],
        "result": None,
    }


def test_a_token_is_enough_to_ask_for_the_sessions_status(app: App) -> None:
    session = app.session("Ann")
    found = app.server.get("/v1/sessions/validate", token=session["sessionToken"])
    assert (found["status"], found["result"]) == ("pending", None)


@pytest.mark.parametrize("token", ["", "nonsense", "a.b.c"])
def test_an_invalid_token_is_not_validated(server: ServerProcess, token: str) -> None:
    answer = server.request("GET", "/v1/sessions/validate", params={"token": token})
    assert answer.status_code in (400, 401, 403, 404)
    fits(answer.json(), {"error": str})


def test_an_unknown_session_is_not_found(server: ServerProcess, tenant: Tenant) -> None:
    assert error(server, "GET", f"/v1/sessions/{uuid.uuid4()}", tenant.live, 404, params={"game": "checkers"})


def test_a_session_is_not_found_for_another_tenant(app: App, neighbour: Tenant) -> None:
    path = f"/v1/sessions/{app.session('Ann')['sessionId']}"
    assert error(app.server, "GET", path, neighbour.live, 404, params={"game": "checkers"})


def test_rooms_are_public(server: ServerProcess) -> None:
    for game in ("checkers", "backgammon"):
        fits(server.get("/v1/rooms", game=game), {"rooms": [{"roomId": str, "moveCount": int}]})


def test_rooms_of_an_unknown_game_are_a_bad_request(server: ServerProcess) -> None:
    text = error(server, "GET", "/v1/rooms", None, 400, params={"game": "chess"})
    assert text == "Invalid game. Valid: checkers, backgammon"
