"""Who idles is warned once, and then has lost."""

from __future__ import annotations

import time

import pytest

from .app import App
from .backgammon import options
from .checkers import make, opening
from .player import CLIENT_KINDS, ClientKind, Player
from .shapes import fits, wait_for_over
from .webhook_receiver import WebhookReceiver

IDLE = [
    ("checkers", ClientKind("js", "websocket")),
    ("checkers", ClientKind("python", "polling")),
    ("backgammon", ClientKind("js", "polling")),
]


def move(mover: Player, other: Player, game: str) -> None:
    if game == "checkers":
        make(mover, [other], opening(), {"from": 42, "to": 33, "captures": []})
    else:
        mover.act("game:move", move={"moves": options(mover)[0]})
        assert mover.wait("game:move:made") == other.wait("game:move:made")


@pytest.mark.parametrize(("game", "kind"), IDLE, ids=str)
def test_a_move_clears_the_warning_and_idling_on_forfeits(
    impatient_app: App, receiver: WebhookReceiver, game: str, kind: ClientKind
) -> None:
    calm = impatient_app.pair(game=game, afkTimeoutEnabled=False)
    players = impatient_app.pair((kind, kind), game)
    started = players[0].started
    assert (started["afkTimeoutEnabled"], started["afkWarnSeconds"], started["afkTimeoutSeconds"]) == (True, 1, 8)
    mover, other = players[started["currentTurn"]], players[1 - started["currentTurn"]]
    for player in players:
        warning = player.wait(f"{game}:afk_warning")
        assert warning["playerId"] == mover.id
        assert 0 < warning["secondsRemaining"] <= 7  # 7, less what a busy machine was late
    move(mover, other, game)
    for player in players:
        fits(player.wait(f"{game}:afk_warning_cleared"), {"version": int, "part": int})
    for player in players:
        assert player.wait(f"{game}:afk_warning")["playerId"] == other.id
    over = wait_for_over(players)
    assert (over["winner"], over["reason"]) == (mover.id, "afk_timeout")
    for player in players:
        assert len(player.heard(f"{game}:afk_warning")) == 2
        assert len(player.heard(f"{game}:afk_warning_cleared")) == 1
    for player in calm:
        assert player.started["afkTimeoutEnabled"] is False
        assert not player.heard(f"{game}:afk_warning")
        assert not player.heard("game:over")


@pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
def test_anybody_at_the_table_may_ask_how_long_the_mover_has(app: App, kind: ClientKind) -> None:
    players = app.pair((kind, kind))
    for player in players:
        player.must("afk:check", {"roomId": player.room})
        status = player.wait("afk:status")
        fits(status, {"playerId": {players[0].id}, "expiresAt": (int, float)})
        assert 0 < status["expiresAt"] / 1000 - time.time() < 91


@pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
def test_without_an_idle_limit_the_status_is_null(app: App, kind: ClientKind) -> None:
    player, _ = app.pair((kind, kind), afkTimeoutEnabled=False)
    player.must("afk:check", {"roomId": player.room})
    assert player.wait("afk:status") is None
