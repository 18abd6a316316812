"""Two friends and a code."""

from __future__ import annotations

import pytest

from .door import Door, seated
from .player import WAYS, Way
from .test_sessions import error


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_friend_with_the_code_sits_down_opposite(door: Door, way: Way, game: str) -> None:
    session = door.session("Ann", game, matchType="private")
    friend = door.person("Ben")
    code = {"roomCode": session["roomCode"], "game": game}
    token = door.house.post("/v1/sessions/join", door.tenant.live, {**code, "player": friend})["sessionToken"]
    ann = door.enter(session, way)
    assert not ann.heard("game:started")
    ben = door.connect("Ben", way, token, game)
    ben.must("matchmaking:join", {"username": "Ben"})
    players = seated(ann, ben)
    assert {player.id for player in players} == {session["players"][0]["id"], friend["id"]}
    assert ann.room == ben.room
    assert door.status(session)["status"] == "active"
    third = {**code, "player": door.person("Eve")}
    answer = door.house.request("POST", "/v1/sessions/join", door.tenant.live, json=third)
    assert answer.status_code in (400, 403, 404)
    assert isinstance(answer.json()["error"], str)


def test_a_code_is_for_its_game(door: Door) -> None:
    session = door.session("Ann", matchType="private")
    body = {"roomCode": session["roomCode"], "game": "backgammon", "player": door.person("Ben")}
    assert error(door.house, "POST", "/v1/sessions/join", door.tenant.live, 404, json=body)


def test_two_private_rooms_are_two_rooms(door: Door) -> None:
    owners = [door.enter(door.session("Ann", matchType="private")) for _ in range(2)]
    stranger = door.enter(door.session("Eve"))
    stranger.wait("matchmaking:waiting")
    assert not any(player.heard("game:started") for player in owners)
    stranger.must("matchmaking:leave", {"playerId": stranger.id})
