"""Rematches."""

from __future__ import annotations

import pytest

from .app import App, seated
from .backgammon import options
from .checkers import make, opening
from .player import CLIENT_KINDS, ClientKind
from .shapes import STARTED, fits, refused, wait_for_over


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
def test_when_both_ask_a_new_game_starts_with_colours_swapped(app: App, kind: ClientKind, game: str) -> None:
    first, second = players = app.pair((kind, kind), game)
    room, colors = first.room, [player.started["color"] for player in players]
    refused(first, "game:rematch", first.own())
    first.act("game:resign")
    wait_for_over(players)
    first.act("game:rematch")
    assert len(second.heard("game:started")) == 1
    second.act("game:rematch")
    again = seated(*players)
    fits(again[0].started, STARTED)
    assert again == [second, first]
    assert first.room == second.room != room
    assert [player.started["color"] for player in again] == colors
    if game == "checkers":
        make(second, [first], opening(), {"from": 42, "to": 33, "captures": []})
    else:
        mover = again[first.started["currentTurn"]]
        mover.act("game:move", move={"moves": options(mover)[0]})
        assert first.wait("game:move:made") == second.wait("game:move:made")


def test_the_old_room_stays_closed(app: App) -> None:
    first, second = players = app.pair()
    old = first.own()
    first.act("game:resign")
    wait_for_over(players)
    for player in players:
        player.act("game:rematch")
    seated(*players)
    late = {**old, "playerId": second.id, "move": {"from": 42, "to": 33}}
    refused(second, "game:move", late, "game_over", "forbidden")


def test_guests_get_new_reconnect_tokens_with_the_new_game(app: App) -> None:
    gus = app.guest("Gus")
    gus.wait("matchmaking:waiting")
    gil = app.guest("Gil")
    seated(gus, gil)
    gus.act("game:resign")
    wait_for_over([gus, gil])
    for player in (gus, gil):
        player.act("game:rematch")
    seated(gus, gil)
    assert gus.started["reconnectToken"] != gil.started["reconnectToken"]
    gus.disconnect()
    assert gil.wait("player:disconnected")["playerId"] == gus.id
    back = app.reconnect(gus)
    back.must("game:reconnect", {"playerId": back.id})
    assert back.wait("game:reconnected")["roomId"] == gil.room
