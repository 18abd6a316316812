"""Private rooms."""

from __future__ import annotations

import pytest

from .app import App, seated
from .player import CLIENT_KINDS, ClientKind
from .test_sessions import error


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
def test_a_friend_joins_with_the_code(app: App, kind: ClientKind, game: str) -> None:
    session = app.session("Ann", game, matchType="private")
    friend = app.new_user("Ben")
    code = {"roomCode": session["roomCode"], "game": game}
    token = app.server.post("/v1/sessions/join", app.tenant.live, {**code, "player": friend})["sessionToken"]
    ann = app.enter(session, kind)
    assert not ann.heard("game:started")
    ben = app.connect("Ben", kind, token, game)
    ben.must("matchmaking:join", {"username": "Ben"})
    players = seated(ann, ben)
    assert {player.id for player in players} == {session["players"][0]["id"], friend["id"]}
    assert ann.room == ben.room
    assert app.status(session)["status"] == "active"
    third = {**code, "player": app.new_user("Eve")}
    answer = app.server.request("POST", "/v1/sessions/join", app.tenant.live, json=third)
    assert answer.status_code in (400, 403, 404)
    assert isinstance(answer.json()["error"], str)


def test_a_code_is_for_its_game(app: App) -> None:
    session = app.session("Ann", matchType="private")
    body = {"roomCode": session["roomCode"], "game": "backgammon", "player": app.new_user("Ben")}
    assert error(app.server, "POST", "/v1/sessions/join", app.tenant.live, 404, json=body)


def test_two_private_rooms_are_two_rooms(app: App) -> None:
    owners = [app.enter(app.session("Ann", matchType="private")) for _ in range(2)]
    stranger = app.enter(app.session("Eve"))
    stranger.wait("matchmaking:waiting")
    assert not any(player.heard("game:started") for player in owners)
    stranger.must("matchmaking:leave", {"playerId": stranger.id})
