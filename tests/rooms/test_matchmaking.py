"""The line for a game, and who meets whom."""

from __future__ import annotations

import pytest

from .backgammon import men_of
from .backgammon import opening as backgammon_opening
from .checkers import opening
from .door import JS, PYTHON, Door, seated
from .house import Tenant
from .player import WAYS, Way
from .shapes import STARTED, fits, refused

every_way = pytest.mark.parametrize("way", WAYS, ids=str)


@every_way
def test_two_people_meet_over_checkers(door: Door, way: Way) -> None:
    sessions = [door.session("Ann"), door.session("Ben")]
    ann = door.enter(sessions[0], way)
    assert ann.wait("matchmaking:waiting") == {"playerId": ann.id, "position": 1}
    ben = door.enter(sessions[1], way)
    red, black = seated(ann, ben)
    for index, player in enumerate((red, black)):
        fits(player.started, STARTED)
        assert player.started == {
            **player.started,
            "playerId": player.id,
            "color": ("red", "black")[index],
            "board": opening(),
            "currentTurn": 0,
            "currentPlayerId": red.id,
            "currentColor": "red",
            "afkTimeoutEnabled": True,
            "afkTimeoutSeconds": 90,
            "afkWarnSeconds": 60,
        }
    assert red.started["players"] == black.started["players"]
    assert {ann.id, ben.id} == {session["players"][0]["id"] for session in sessions}
    assert [person["color"] for person in red.started["players"]] == ["red", "black"]
    for person, player in zip(red.started["players"], (red, black), strict=True):
        assert person == {**person, "id": player.id, "username": player.name, "displayName": player.name}
        assert person["isBot"] is False
    assert [door.status(session)["status"] for session in sessions] == ["active", "active"]


@every_way
def test_two_people_meet_over_backgammon(door: Door, way: Way) -> None:
    white, black = door.pair((way, way), "backgammon")
    for player, color in ((white, "white"), (black, "black")):
        fits(player.started, {**STARTED, "diceCommitment": str})
        assert player.started["color"] == color
        assert men_of(player.started) == backgammon_opening()
    dice = white.wait("game:dice")
    assert black.wait("game:dice") == dice
    assert dice["roomId"] == white.room
    assert dice["playerId"] == white.started["currentPlayerId"] == (white, black)[white.started["currentTurn"]].id
    assert dice["dice"][0] != dice["dice"][1]


@every_way
def test_guests_meet_guests_under_fresh_ids(door: Door, way: Way) -> None:
    first = door.guest("Gus", way, playerId="somebody-else")
    waiting = first.wait("matchmaking:waiting")
    second = door.guest("Gil", way)
    players = seated(first, second)
    assert waiting == {"playerId": first.id, "position": 1}
    assert "somebody-else" not in {player.id for player in players}
    assert first.id != second.id
    tokens = {player.started["reconnectToken"] for player in players}
    assert len(tokens) == 2
    names = {person["username"] for person in first.started["players"]}
    assert names == {"Gus", "Gil"}


@every_way
def test_who_leaves_the_line_is_not_paired(door: Door, way: Way) -> None:
    gone = door.enter(door.session("Gone"), way)
    gone.wait("matchmaking:waiting")
    gone.must("matchmaking:leave", {"playerId": gone.id})
    assert gone.wait("matchmaking:left") == {}
    players = door.pair((way, way))
    assert gone.id not in {player.id for player in players}
    assert not gone.heard("game:started")


def test_who_loses_the_connection_in_line_is_not_paired(door: Door) -> None:
    for way in WAYS:
        gone = door.enter(door.session("Gone"), way)
        gone.wait("matchmaking:waiting")
        gone.disconnect()
        door.house.until_nobody_waits()
        assert gone.id not in {person["id"] for person in door.pair()[0].started["players"]}


@every_way
def test_leaving_can_come_too_late(door: Door, way: Way) -> None:
    player, _ = door.pair((way, way))
    player.emit("matchmaking:leave", {"playerId": player.id})
    assert player.wait("matchmaking:already_started") == {"roomId": player.room}


def test_nobody_leaves_the_line_for_another(door: Door) -> None:
    ann = door.enter(door.session("Ann"))
    ann.wait("matchmaking:waiting")
    eve = door.enter(door.session("Eve", "backgammon"), PYTHON)
    refused(eve, "matchmaking:leave", {"playerId": ann.id}, "forbidden")
    ben = door.enter(door.session("Ben"))
    assert ann.begin()["roomId"] == ben.begin()["roomId"]


def test_modes_games_and_tenants_do_not_mix_but_in_training(door: Door, neighbour: Tenant) -> None:
    beside = door.beside(neighbour)
    waiting = [
        door.enter(door.session("Live")),
        door.enter(door.session("Test", mode="test")),
        door.enter(door.session("Other", "backgammon")),
        beside.enter(beside.session("Neighbour")),
        door.enter(door.session("Trainee", mode="training")),
    ]
    for player in waiting:
        assert player.wait("matchmaking:waiting")["position"] == 1
    second = [
        door.enter(door.session("Live")),
        door.enter(door.session("Test", mode="test")),
        door.enter(door.session("Other", "backgammon")),
        beside.enter(beside.session("Neighbour")),
        beside.enter(beside.session("Trainee", mode="training")),
    ]
    for one, other in zip(waiting, second, strict=True):
        assert one.begin()["roomId"] == other.begin()["roomId"]


def test_training_is_anonymous(door: Door, neighbour: Tenant) -> None:
    beside = door.beside(neighbour)
    sessions = [door.session("Ann", mode="training"), beside.session("Ben", mode="training")]
    players = seated(door.enter(sessions[0]), beside.enter(sessions[1], PYTHON))
    seen = {person["id"] for person in players[0].started["players"]}
    assert not any(name in str(seen) for name in ("ann", "ben"))


@every_way
def test_a_matchmaking_session_may_ask_for_a_bot_instead(door: Door, way: Way) -> None:
    player = door.enter(door.session("Ann"), way, wantsBot=True, botDifficulty="easy")
    started = player.begin()
    assert [person["isBot"] for person in started["players"]] == [False, True]
    assert started["players"][0]["id"] == player.id
    assert (started["color"], started["currentTurn"]) == ("red", 0)


def test_a_guest_may_ask_for_a_bot_and_no_hurry(door: Door) -> None:
    started = door.guest("Gus", JS, wantsBot=True, afkTimeoutEnabled=False).begin()
    assert [person["isBot"] for person in started["players"]] == [False, True]
    assert started["afkTimeoutEnabled"] is False


def test_a_session_does_not_ask_twice(door: Door) -> None:
    """A client that lost the answer asks again: it keeps its place and does not meet itself."""
    session = door.session("Ann")
    ann = door.enter(session)
    ann.wait("matchmaking:waiting")
    ann.emit("matchmaking:join", {"username": "Ann", "sessionId": session["sessionId"]})
    ben = door.enter(door.session("Ben"))
    assert {ann.begin()["playerId"], ben.begin()["playerId"]} == {ann.id, ben.id}
    assert ann.room == ben.room


def test_rooms_lists_running_games_between_people(door: Door) -> None:
    bot = door.enter(door.session("Ann", matchType="bot", botDifficulty="easy"))
    bot.begin()
    red, black = door.pair()
    rooms = {room["roomId"]: room for room in door.house.get("/v1/rooms", game="checkers")["rooms"]}
    people = [{"id": player.id, "username": player.name} for player in (red, black)]
    assert rooms[red.room]["players"] == people
    assert rooms[red.room]["moveCount"] == 0
    assert bot.room not in rooms
    assert red.room not in str(door.house.get("/v1/rooms", game="backgammon"))
    red.act("game:resign")
    red.wait("game:over")
    assert red.room not in str(door.house.get("/v1/rooms", game="checkers"))
