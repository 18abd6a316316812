"""Players who idle or stay away are warned once, and then lose.

The limits are real time, so all tables are started before the first test, and their clocks run out together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from ..server_process import ServerProcess, Tenant
from .app import App, Clients
from .backgammon import options
from .checkers import make, opening
from .conftest import IDLE_SECONDS, WARN_SECONDS, WEBHOOK_PATH
from .js_client import Node
from .player import CLIENT_KINDS, ClientKind, Payload, Player
from .python_client import PythonClients
from .shapes import fits, wait_for_over
from .test_webhooks import check
from .webhook_receiver import WebhookReceiver

IDLE = [
    ("checkers", ClientKind("js", "websocket")),
    ("checkers", ClientKind("python", "polling")),
    ("backgammon", ClientKind("js", "polling")),
]
WEBSOCKETS = [kind for kind in CLIENT_KINDS if kind.transport == "websocket"]


class IdleTable(NamedTuple):
    """One player has moved after a warning; since then the other one idles."""

    moved: Player
    idles: Player
    without_limit: list[Player]
    """The players of another table, for which the limit is off."""


class AbandonedTable(NamedTuple):
    """One player is gone for good."""

    stays: Player
    goes: Player


@pytest.fixture(scope="module")
def app(
    impatient_server: ServerProcess, impatient_tenant: Tenant, node: Node, python_clients: PythonClients
) -> Iterator[App]:
    clients = Clients(node, python_clients)
    impatient_server.wait_for_empty_queue()
    yield App(impatient_server, impatient_tenant, clients)
    clients.close()


@pytest.fixture(scope="module")
def idle_sessions(app: App) -> list[Payload]:
    """Of two players who never move."""
    return [app.session(name) for name in ("Ann", "Ben")]


@pytest.fixture(scope="module")
def idle_players(app: App, idle_sessions: list[Payload]) -> list[Player]:
    """In the order of their table."""
    players = [app.enter(session) for session in idle_sessions]
    return sorted(players, key=lambda player: player.begin()["color"], reverse=True)


@pytest.fixture(scope="module")
def idle_tables(app: App) -> list[IdleTable]:
    return [start_idling(app, game, kind) for game, kind in IDLE]


@pytest.fixture(scope="module")
def abandoned(app: App) -> list[AbandonedTable]:
    tables = [AbandonedTable(*app.pair((kind, kind), afkTimeoutEnabled=False)) for kind in WEBSOCKETS]
    for table in tables:
        table.goes.drop()
    return tables


@pytest.fixture(scope="module")
def abandoned_after_a_return(app: App) -> list[AbandonedTable]:
    return [leave_in_turn(app, kind) for kind in CLIENT_KINDS]


@pytest.fixture(scope="module", autouse=True)
def all_started(
    idle_players: list[Player],
    idle_tables: list[IdleTable],
    abandoned: list[AbandonedTable],
    abandoned_after_a_return: list[AbandonedTable],
) -> None:
    """So that no test has to wait for a limit on its own."""


def start_idling(app: App, game: str, kind: ClientKind) -> IdleTable:
    without_limit = app.pair(game=game, afkTimeoutEnabled=False)
    players = app.pair((kind, kind), game)
    started = players[0].started
    limits = started["afkTimeoutEnabled"], started["afkWarnSeconds"], started["afkTimeoutSeconds"]
    assert limits == (True, WARN_SECONDS, IDLE_SECONDS)
    mover, other = players[started["currentTurn"]], players[1 - started["currentTurn"]]
    for player in players:
        warning = player.wait(f"{game}:afk_warning")
        assert warning["playerId"] == mover.id
        assert 0 < warning["secondsRemaining"] <= IDLE_SECONDS - WARN_SECONDS  # a busy machine may be late
    move(mover, other, game)
    for player in players:
        fits(player.wait(f"{game}:afk_warning_cleared"), {"version": int, "part": int})
    return IdleTable(mover, other, without_limit)


def move(mover: Player, other: Player, game: str) -> None:
    if game == "checkers":
        make(mover, [other], opening(), {"from": 42, "to": 33, "captures": []})
    else:
        mover.act("game:move", move={"moves": options(mover)[0]})
        assert mover.wait("game:move:made") == other.wait("game:move:made")


def leave_in_turn(app: App, kind: ClientKind) -> AbandonedTable:
    """One player leaves and returns, then the other one leaves: the deadline of the first must not fire."""
    first, second = app.pair((kind, kind), afkTimeoutEnabled=False)
    second.disconnect()
    first.wait("player:disconnected")
    back = app.reconnect(second)
    back.must("game:reconnect", {"playerId": back.id})
    back.wait("game:reconnected")
    first.disconnect()
    return AbandonedTable(back, first)


@pytest.mark.parametrize("number", range(len(IDLE)), ids=[f"{game}-{kind}" for game, kind in IDLE])
def test_a_move_clears_the_warning_and_the_next_player_to_idle_loses(idle_tables: list[IdleTable], number: int) -> None:
    moved, idles, without_limit = idle_tables[number]
    game, players = IDLE[number][0], [moved, idles]
    for player in players:
        assert player.wait(f"{game}:afk_warning")["playerId"] == idles.id
    over = wait_for_over(players)
    assert (over["winner"], over["reason"]) == (moved.id, "afk_timeout")
    for player in players:
        assert len(player.heard(f"{game}:afk_warning")) == 2
        assert len(player.heard(f"{game}:afk_warning_cleared")) == 1
    for player in without_limit:
        assert player.started["afkTimeoutEnabled"] is False
        assert not player.heard(f"{game}:afk_warning")
        assert not player.heard("game:over")


def test_webhooks_report_idling(
    idle_sessions: list[Payload], idle_players: list[Player], impatient_tenant: Tenant, receiver: WebhookReceiver
) -> None:
    red, black = idle_players
    wait_for_over([red, black])
    warning = receiver.wait(WEBHOOK_PATH, "checkers.afk_warning", idle_sessions[0]["sessionId"])
    timeout = receiver.wait(WEBHOOK_PATH, "checkers.afk_timeout", idle_sessions[0]["sessionId"])
    check(warning, impatient_tenant.secret)
    assert warning.body["data"]["playerId"] == red.id
    assert 0 < warning.body["data"]["secondsRemaining"] <= IDLE_SECONDS - WARN_SECONDS
    assert timeout.body["data"] == {"forfeitedPlayerId": red.id, "winnerId": black.id}
    ended = receiver.wait(WEBHOOK_PATH, "game.ended", idle_sessions[0]["sessionId"])
    assert (ended.body["data"]["winner"], ended.body["data"]["reason"]) == (black.id, "afk_timeout")


@pytest.mark.parametrize("number", range(len(WEBSOCKETS)), ids=map(str, WEBSOCKETS))
def test_a_player_who_stays_away_too_long_loses(abandoned: list[AbandonedTable], number: int) -> None:
    check_disconnect(*abandoned[number])


@pytest.mark.parametrize("number", range(len(CLIENT_KINDS)), ids=map(str, CLIENT_KINDS))
def test_the_window_closes_only_for_the_player_who_is_away(
    abandoned_after_a_return: list[AbandonedTable], number: int
) -> None:
    check_disconnect(*abandoned_after_a_return[number])


def check_disconnect(stays: Player, goes: Player) -> None:
    assert stays.wait("player:disconnected")["playerId"] == goes.id
    over = wait_for_over([stays])
    assert (over["winner"], over["reason"]) == (stays.id, "disconnect")
