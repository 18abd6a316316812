"""Spectators see everything and can change nothing."""

from __future__ import annotations

import pytest

from .app import App
from .checkers import make, opening
from .player import CLIENT_KINDS, ClientKind
from .shapes import WATCHED, fits, is_in_order, refused, wait_for_over

MOVE = {"from": 42, "to": 33, "captures": []}


@pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
def test_a_late_spectator_sees_the_rest(app: App, kind: ClientKind) -> None:
    red, black = app.pair()
    first = make(red, [black], opening(), MOVE)
    watcher = app.connect("Wim", kind)
    watcher.must("game:spectate", {"roomId": red.room, "username": "Wim"})
    seen = watcher.wait("game:spectate:joined")
    fits(seen, WATCHED)
    assert seen["roomId"] == red.room
    assert [(each["id"], each["displayName"]) for each in seen["players"]] == [
        ("person:0", "A person"), ("person:1", "A person"),
    ]  # fmt: skip
    assert [each["move"] for each in seen["moveHistory"]] == [each["move"] for each in first["moveHistory"]]
    assert (seen["board"], seen["currentTurn"]) == (first["board"], 1)
    make(black, [red, watcher], first["board"], {"from": 17, "to": 24, "captures": []})
    black.act("game:resign")
    wait_for_over([red, black, watcher])
    assert is_in_order(watcher)


@pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
def test_a_spectator_cannot_act(app: App, kind: ClientKind) -> None:
    guest = app.guest("Gus", kind)
    guest.wait("matchmaking:waiting")
    red, black = sorted((guest, app.guest("Gil", kind)), key=lambda player: player.begin()["color"], reverse=True)
    watcher = app.connect("Wim", kind)
    watcher.must("game:spectate", {"roomId": red.room, "username": "Wim"})
    seen = watcher.wait("game:spectate:joined")
    for name, more in (
        ("game:move", {"move": MOVE}),
        ("game:resign", {}),
        ("game:draw:offer", {}),
        ("game:draw:accept", {}),
        ("game:draw:decline", {}),
        ("game:rematch", {}),
        ("game:get_moves", {"position": 42}),
    ):
        refused(watcher, name, red.own(**more), "forbidden", "unauthorized")
    refused(watcher, "game:reconnect", {"playerId": red.id}, "forbidden", "unauthorized", "not_found")
    assert "reconnectToken" not in str(watcher.events)
    assert red.started["reconnectToken"] not in str(black.events)
    make(red, [black, watcher], seen["board"], MOVE)
