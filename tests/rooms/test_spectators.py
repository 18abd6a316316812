"""Who watches sees everything and touches nothing."""

from __future__ import annotations

import pytest

from .checkers import make, opening
from .door import Door
from .player import WAYS, Way
from .shapes import WATCHED, fits, is_in_order, refused, wait_for_over

MOVE = {"from": 42, "to": 33, "captures": []}


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_spectator_comes_late_and_sees_the_rest(door: Door, way: Way) -> None:
    red, black = door.pair()
    first = make(red, [black], opening(), MOVE)
    watcher = door.connect("Wim", way)
    watcher.must("game:spectate", {"roomId": red.room, "username": "Wim"})
    seen = watcher.wait("game:spectate:joined")
    fits(seen, WATCHED)
    assert seen["roomId"] == red.room
    assert seen["players"] == red.started["players"]
    assert seen["moveHistory"] == first["moveHistory"]
    assert (seen["board"], seen["currentTurn"]) == (first["board"], 1)
    make(black, [red, watcher], first["board"], {"from": 17, "to": 24, "captures": []})
    black.act("game:resign")
    wait_for_over([red, black, watcher])
    assert is_in_order(watcher)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_spectator_cannot_act(door: Door, way: Way) -> None:
    guest = door.guest("Gus", way)
    guest.wait("matchmaking:waiting")
    red, black = sorted((guest, door.guest("Gil", way)), key=lambda player: player.begin()["color"], reverse=True)
    watcher = door.connect("Wim", way)
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
