"""The idle clock, as players see it; what happens when it runs out is in test_time_limits.py."""

from __future__ import annotations

import time

import pytest

from .app import App
from .player import CLIENT_KINDS, ClientKind
from .shapes import fits


@pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
def test_both_players_may_ask_how_long_the_mover_has(app: App, kind: ClientKind) -> None:
    players = app.pair((kind, kind))
    for player in players:
        player.must("afk:check", {"roomId": player.room})
        status = player.wait("afk:status")
        fits(status, {"playerId": {players[0].id}, "expiresAt": (int, float), "secondsRemaining": (int, float)})
        assert 0 < status["expiresAt"] / 1000 - time.time() < 91


@pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
def test_without_an_idle_limit_the_status_is_null(app: App, kind: ClientKind) -> None:
    player, _ = app.pair((kind, kind), afkTimeoutEnabled=False)
    player.must("afk:check", {"roomId": player.room})
    assert player.wait("afk:status") is None
