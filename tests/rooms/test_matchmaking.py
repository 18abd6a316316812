"""Matchmaking: the queue, and who meets whom."""

from __future__ import annotations

import pytest

from ..server_process import Tenant
from .app import JS, PYTHON, App, seated
from .backgammon import men_of
from .backgammon import opening as backgammon_opening
from .checkers import opening
from .player import CLIENT_KINDS, ClientKind
from .shapes import STARTED, fits, refused

every_client_kind = pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)


@every_client_kind
def test_two_people_meet_over_checkers(app: App, kind: ClientKind) -> None:
    sessions = [app.session("Ann"), app.session("Ben")]
    ann = app.enter(sessions[0], kind)
    assert ann.wait("matchmaking:waiting") == {"playerId": ann.id, "position": 1}
    ben = app.enter(sessions[1], kind)
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
    assert [app.status(session)["status"] for session in sessions] == ["active", "active"]


@every_client_kind
def test_two_people_meet_over_backgammon(app: App, kind: ClientKind) -> None:
    white, black = app.pair((kind, kind), "backgammon")
    for player, color in ((white, "white"), (black, "black")):
        fits(player.started, {**STARTED, "diceCommitment": str})
        assert player.started["color"] == color
        assert men_of(player.started) == backgammon_opening()
    dice = white.wait("game:dice")
    assert black.wait("game:dice") == dice
    assert dice["roomId"] == white.room
    assert dice["playerId"] == white.started["currentPlayerId"] == (white, black)[white.started["currentTurn"]].id
    assert dice["dice"][0] != dice["dice"][1]


@every_client_kind
def test_guests_meet_guests_under_fresh_ids(app: App, kind: ClientKind) -> None:
    first = app.guest("Gus", kind, playerId="somebody-else")
    waiting = first.wait("matchmaking:waiting")
    second = app.guest("Gil", kind)
    players = seated(first, second)
    assert waiting == {"playerId": first.id, "position": 1}
    assert "somebody-else" not in {player.id for player in players}
    assert first.id != second.id
    tokens = {player.started["reconnectToken"] for player in players}
    assert len(tokens) == 2
    names = {person["username"] for person in first.started["players"]}
    assert names == {"Gus", "Gil"}


@every_client_kind
def test_a_player_who_left_the_queue_is_not_paired(app: App, kind: ClientKind) -> None:
    gone = app.enter(app.session("Gone"), kind)
    gone.wait("matchmaking:waiting")
    gone.must("matchmaking:leave", {"playerId": gone.id})
    assert gone.wait("matchmaking:left") == {}
    players = app.pair((kind, kind))
    assert gone.id not in {player.id for player in players}
    assert not gone.heard("game:started")


def test_a_player_who_disconnects_in_the_queue_is_not_paired(app: App) -> None:
    for kind in CLIENT_KINDS:
        gone = app.enter(app.session("Gone"), kind)
        gone.wait("matchmaking:waiting")
        gone.disconnect()
        app.server.wait_for_empty_queue()
        assert gone.id not in {person["id"] for person in app.pair()[0].started["players"]}


@every_client_kind
def test_it_can_be_too_late_to_leave(app: App, kind: ClientKind) -> None:
    player, _ = app.pair((kind, kind))
    player.emit("matchmaking:leave", {"playerId": player.id})
    assert player.wait("matchmaking:already_started") == {"roomId": player.room}


def test_agents_cannot_leave_the_queue_for_others(app: App) -> None:
    ann = app.enter(app.session("Ann"))
    ann.wait("matchmaking:waiting")
    eve = app.enter(app.session("Eve", "backgammon"), PYTHON)
    refused(eve, "matchmaking:leave", {"playerId": ann.id}, "forbidden")
    ben = app.enter(app.session("Ben"))
    assert ann.begin()["roomId"] == ben.begin()["roomId"]


def test_modes_games_and_tenants_mix_only_in_training(app: App, neighbour: Tenant) -> None:
    other_app = app.for_tenant(neighbour)
    waiting = [
        app.enter(app.session("Live")),
        app.enter(app.session("Test", mode="test")),
        app.enter(app.session("Other", "backgammon")),
        other_app.enter(other_app.session("Neighbour")),
        app.enter(app.session("Trainee", mode="training")),
    ]
    for player in waiting:
        assert player.wait("matchmaking:waiting")["position"] == 1
    second = [
        app.enter(app.session("Live")),
        app.enter(app.session("Test", mode="test")),
        app.enter(app.session("Other", "backgammon")),
        other_app.enter(other_app.session("Neighbour")),
        other_app.enter(other_app.session("Trainee", mode="training")),
    ]
    for one, other in zip(waiting, second, strict=True):
        assert one.begin()["roomId"] == other.begin()["roomId"]


def test_training_is_anonymous(app: App, neighbour: Tenant) -> None:
    other_app = app.for_tenant(neighbour)
    sessions = [app.session("Ann", mode="training"), other_app.session("Ben", mode="training")]
    players = seated(app.enter(sessions[0]), other_app.enter(sessions[1], PYTHON))
    seen = {person["id"] for person in players[0].started["players"]}
    assert not any(name in str(seen) for name in ("ann", "ben"))


@every_client_kind
def test_a_matchmaking_session_may_ask_for_a_bot_instead(app: App, kind: ClientKind) -> None:
    player = app.enter(app.session("Ann"), kind, wantsBot=True, botDifficulty="easy")
    started = player.begin()
    assert [person["isBot"] for person in started["players"]] == [False, True]
    assert started["players"][0]["id"] == player.id
    assert (started["color"], started["currentTurn"]) == ("red", 0)


def test_a_guest_may_ask_for_a_bot_and_no_time_limit(app: App) -> None:
    started = app.guest("Gus", JS, wantsBot=True, afkTimeoutEnabled=False).begin()
    assert [person["isBot"] for person in started["players"]] == [False, True]
    assert started["afkTimeoutEnabled"] is False


def test_joining_twice_keeps_the_place(app: App) -> None:
    """A client that lost the answer asks again: it keeps its place and is not paired with itself."""
    session = app.session("Ann")
    ann = app.enter(session)
    ann.wait("matchmaking:waiting")
    ann.emit("matchmaking:join", {"username": "Ann", "sessionId": session["sessionId"]})
    ben = app.enter(app.session("Ben"))
    assert {ann.begin()["playerId"], ben.begin()["playerId"]} == {ann.id, ben.id}
    assert ann.room == ben.room


def test_rooms_lists_running_games_between_people(app: App) -> None:
    bot = app.enter(app.session("Ann", matchType="bot", botDifficulty="easy"))
    bot.begin()
    red, _ = app.pair()
    rooms = {room["roomId"]: room for room in app.server.get("/v1/rooms", game="checkers")["rooms"]}
    assert rooms[red.room]["players"] == [{"id": f"person:{seat}", "username": "A person"} for seat in (0, 1)]
    assert rooms[red.room]["moveCount"] == 0
    assert bot.room not in rooms
    assert red.room not in str(app.server.get("/v1/rooms", game="backgammon"))
    red.act("game:resign")
    red.wait("game:over")
    assert red.room not in str(app.server.get("/v1/rooms", game="checkers"))
