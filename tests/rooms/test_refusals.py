"""What is refused, and with which code; the table is unchanged."""

from __future__ import annotations

from typing import Any

import pytest

from .app import App
from .checkers import make, opening
from .player import CLIENT_KINDS, ClientKind, Player
from .shapes import refused, wait_for_over

every_client_kind = pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
MOVE = {"from": 42, "to": 33, "captures": []}


def is_untouched(app: App, player: Player) -> bool:
    """As a new spectator sees it."""
    watcher = app.connect("Wim")
    watcher.must("game:spectate", {"roomId": player.room, "username": "Wim"})
    seen = watcher.wait("game:spectate:joined")
    return bool(seen["board"] == opening() and seen["moveHistory"] == [] and seen["currentTurn"] == 0)


@every_client_kind
def test_each_kind_of_bad_move_has_its_code(app: App, kind: ClientKind) -> None:
    red, black = app.pair((kind, kind))
    refused(black, "game:move", black.own(move={"from": 17, "to": 24}), "not_your_turn")
    for move in ({"from": 42, "to": 26}, {"from": 17, "to": 24}, {"from": 35, "to": 28}, {**MOVE, "captures": [35]}):
        refused(red, "game:move", red.own(move=move), "illegal_move")
    assert is_untouched(app, red)
    make(red, [black], opening(), MOVE)


@pytest.mark.parametrize("kind", [ClientKind("js", "websocket"), ClientKind("python", "polling")], ids=str)
@pytest.mark.parametrize(
    "move",
    [
        None,
        "42-33",
        [42, 33],
        {},
        {"from": 42},
        {"from": "42", "to": "33"},
        {"from": 42.5, "to": 33},
        {"from": True, "to": 33},
        {"from": -1, "to": 33},
        {"from": 42, "to": 64},
        {"from": 42, "to": 33, "captures": "none"},
        {"from": 42, "to": 33, "captures": [[]]},
        {"from": 10**30, "to": 33},
    ],
    ids=str,
)
def test_a_payload_that_is_no_move_is_malformed(app: App, kind: ClientKind, move: Any) -> None:
    player = app.enter(app.session("Ann", matchType="bot"), kind)
    player.begin()
    refused(player, "game:move", player.own(move=move), "malformed", "malformed_move")
    assert is_untouched(app, player)


DRAW_EVENTS = ["game:draw:offer", "game:draw:accept", "game:draw:decline"]
TABLE_EVENTS = ["game:get_moves", "game:move", "game:resign", *DRAW_EVENTS]
EVENTS = [*TABLE_EVENTS, "game:rematch", "afk:check", "game:reconnect", "game:spectate", "matchmaking:join"]


@pytest.mark.parametrize("event", [*EVENTS, "matchmaking:leave"])
def test_a_payload_that_is_no_object_is_malformed(app: App, event: str) -> None:
    player = app.enter(app.session("Ann", matchType="bot"))
    player.begin()
    payloads: list[Any] = [7, "text", [], {"roomId": 7, "playerId": [], "username": {}}]
    for payload in payloads:
        refused(player, event, payload, "malformed")
    assert is_untouched(app, player)


@pytest.mark.parametrize("event", TABLE_EVENTS)
def test_players_cannot_act_for_each_other(app: App, event: str) -> None:
    red, black = app.pair()
    more = {"position": 42, "move": MOVE}
    refused(black, event, {**black.own(), "playerId": red.id, **more}, "forbidden")
    eve = app.enter(app.session("Eve", matchType="bot"))
    eve.begin()
    refused(eve, event, red.own(**more), "forbidden")
    refused(eve, event, {"roomId": red.room, "playerId": eve.id, **more}, "forbidden")
    assert is_untouched(app, red)


def test_an_unknown_room_is_not_found(app: App) -> None:
    player = app.enter(app.session("Ann", matchType="bot"))
    player.begin()
    refused(player, "game:spectate", {"roomId": "none", "username": "Ann"}, "not_found")
    for event in TABLE_EVENTS:
        refused(
            player,
            event,
            {"roomId": "none", "playerId": player.id, "position": 42, "move": MOVE},
            "not_found",
            "forbidden",
        )


@every_client_kind
def test_no_move_is_accepted_after_the_end(app: App, kind: ClientKind) -> None:
    red, black = players = app.pair((kind, kind))
    black.act("game:resign")
    over = wait_for_over(players)
    refused(red, "game:move", red.own(move=MOVE), "game_over")
    refused(red, "game:resign", red.own(), "game_over")
    for event in DRAW_EVENTS:
        refused(black, event, black.own(), "game_over")
    assert [player.heard("game:over") for player in players] == [[over], [over]]


@every_client_kind
def test_a_refused_event_without_an_acknowledgement_is_reported(app: App, kind: ClientKind) -> None:
    red, black = app.pair((kind, kind))
    black.send("game:move", black.own(move={"from": 17, "to": 24}))
    error = black.wait("game:error")
    assert (error["code"], error["event"]) == ("not_your_turn", "game:move")
    assert isinstance(error["message"], str)
    assert not red.heard("game:error")
