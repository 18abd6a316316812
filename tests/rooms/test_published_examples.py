"""What the published documents show, sent as they show it."""

from __future__ import annotations

from typing import Any

import pytest

from ..server_process import ServerProcess, Tenant
from .app import JS, PYTHON, App
from .player import ClientKind
from .test_sessions import claims

ALEX, JORDAN = {"id": "user_123", "displayName": "Alex"}, {"id": "user_456", "displayName": "Jordan"}
EXAMPLE: dict[str, Any] = {
    "game": "checkers",
    "mode": "live",
    "matchType": "matchmaking",
    "players": [ALEX, JORDAN],
}


def test_a_matchmaking_session_may_list_both_players_and_is_for_the_first(
    server: ServerProcess, tenant: Tenant
) -> None:
    made = server.post("/v1/sessions", tenant.live, EXAMPLE)
    assert (made["players"], made["roomCode"], made["expiresIn"]) == ([ALEX, JORDAN], None, 300)
    assert claims(made["sessionToken"])["players"] == [ALEX]


@pytest.mark.parametrize("kind", [JS, PYTHON], ids=str)
def test_a_player_of_the_example_joins_chooses_a_bot_comes_back_and_sees_the_result(app: App, kind: ClientKind) -> None:
    alex = app.new_user("Alex")
    session = app.session("Alex", matchType="bot", players=[alex, JORDAN])
    join = {"playerId": alex["id"], "wantsBot": True, "botDifficulty": "easy", "afkTimeoutEnabled": False}
    player = app.enter(session, kind, **join)
    started = player.begin()
    assert [person["id"] for person in started["players"]] == [alex["id"], "bot-easy"]
    assert (started["afkTimeoutEnabled"], started["afkTimeoutSeconds"]) == (False, None)
    player.disconnect()
    back = app.reconnect(player)
    back.must("game:reconnect", {"playerId": alex["id"]})
    assert back.wait("game:reconnected")["roomId"] == started["roomId"]
    back.must("game:resign", {"roomId": started["roomId"], "playerId": alex["id"]})
    back.wait("game:over")
    found = app.server.get("/v1/sessions/validate", token=session["sessionToken"])
    assert (found["status"], found["result"]["winner"], found["result"]["reason"]) == (
        "ended",
        "bot-easy",
        "resignation",
    )
