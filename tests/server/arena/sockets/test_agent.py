"""`/ws/agent`: who is notified of a match, and of missed ones."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.arena.socket_client import SocketApp, settle, with_app
from tests.service.parts import FakeClock

from ludus.server.arena.sockets.agent import MISSED
from ludus.service.agents import player_key
from ludus.service.commands import Resign
from ludus.service.ports.bus import SocketOpened
from ludus.service.ports.writes import DropAgent


@with_app
async def test_both_players_are_notified_of_their_match(app: SocketApp) -> None:
    ann, ben = await app.agent(), await app.agent()
    sockets = [await app.opened("/ws/agent", who) for who in (ann, ben)]
    await app.queue(ann)
    match = await app.queue(ben)
    for socket, who in zip(sockets, (ann, ben), strict=True):
        await socket.hear("connected", "match_found")
        assert socket.frames == [
            {"type": "connected", "agentId": who.id},
            {"type": "match_found", "matchId": match, "gameId": "checkers"},
        ]


@with_app
async def test_a_match_with_a_bot_is_announced_too(app: SocketApp) -> None:
    ann = await app.agent()
    socket = await app.opened("/ws/agent", ann)
    match = await app.queue(ann, "backgammon", "easy")
    await socket.hear("connected", "match_found")
    assert socket.frames[1] == {"type": "match_found", "matchId": match, "gameId": "backgammon"}


@with_app
async def test_others_are_not_notified(app: SocketApp) -> None:
    socket = await app.opened("/ws/agent", await app.agent())
    await app.pair()
    await settle()
    assert socket.kinds == ["connected"]


@with_app
async def test_the_newest_socket_wins(app: SocketApp) -> None:
    ann, ben = await app.agent(), await app.agent()
    older, newer = await app.opened("/ws/agent", ann), await app.opened("/ws/agent", ann)
    await older.end()
    assert older.kinds == ["connected", "replaced"]
    assert older.code == 1000
    await app.queue(ann)
    await app.queue(ben)
    await newer.hear("connected", "match_found")


@pytest.mark.parametrize("data", ["hello", '{"type":"ping"}', b"\0"])
@with_app
async def test_whatever_a_client_says_on_the_agents_socket_closes_it(app: SocketApp, data: Any) -> None:
    socket = await app.opened("/ws/agent", await app.agent())
    socket.send(data)
    await socket.end()
    assert socket.kinds == ["connected"]
    assert socket.code == 1008


@with_app
async def test_what_was_missed_is_sent_on_reconnect(app: SocketApp, clock: FakeClock) -> None:
    match, ann, _ = await app.pair()
    clock.wait(MISSED / 1000)
    socket = await app.opened("/ws/agent", ann)
    await socket.hear("connected", "match_found")
    assert socket.frames[1]["matchId"] == match


@with_app
async def test_what_was_missed_long_ago_is_not(app: SocketApp, clock: FakeClock) -> None:
    _, ann, _ = await app.pair()
    clock.wait(MISSED / 1000 + 1)
    socket = await app.opened("/ws/agent", ann)
    await settle()
    assert socket.kinds == ["connected"]


@with_app
async def test_a_finished_match_is_no_news(app: SocketApp) -> None:
    match, ann, _ = await app.pair()
    await app.platform.tables.execute(match, Resign(0))
    socket = await app.opened("/ws/agent", ann)
    await settle()
    assert socket.kinds == ["connected"]


@with_app
async def test_a_match_that_ended_before_its_player_heard_of_it_is_news(app: SocketApp, clock: FakeClock) -> None:
    match, _, two = await app.pair()
    await app.platform.tables.execute(match, Resign(0))
    socket = await app.opened("/ws/agent", two)
    await socket.hear("connected", "match_found")
    assert socket.frames[1]["matchId"] == match
    await socket.leave()
    clock.wait(MISSED / 1000 + 1)
    socket = await app.opened("/ws/agent", two)
    await settle()
    assert socket.kinds == ["connected"]


@with_app
async def test_who_sits_at_the_table_already_has_missed_nothing(app: SocketApp) -> None:
    match, ann, _ = await app.pair()
    game = await app.opened(f"/ws/game/{match}", ann)
    socket = await app.opened("/ws/agent", ann)
    await settle()
    assert socket.kinds == ["connected"]
    await game.leave()
    await socket.leave()
    await (await app.opened("/ws/agent", ann)).hear("connected", "match_found")


@with_app
async def test_a_newer_socket_at_another_process_wins(app: SocketApp) -> None:
    ann = await app.agent()
    socket = await app.opened("/ws/agent", ann)
    place, at = player_key(ann.id), app.platform.clock.moment().clock
    for earlier in (
        SocketOpened(place, at - 1, "z"),
        SocketOpened(place, at, ""),
        SocketOpened("agent/x", at + 1, "z"),
    ):
        app.platform.bus.notify(earlier)
        await app.platform.bus.drain()
        assert socket.is_open
    app.platform.bus.notify(SocketOpened(place, at, "z"))
    await socket.end()
    assert socket.kinds == ["connected", "replaced"]


@with_app
async def test_a_deleted_agent_whose_deletion_was_not_heard_of_is_disconnected(app: SocketApp) -> None:
    ann, ben = await app.agent(), await app.agent()
    deleted, other = await app.opened("/ws/agent", ann), await app.opened("/ws/agent", ben)
    await app.platform.store.commit(DropAgent(ann.id))
    for hook in app.platform.catch_up_hooks:
        await hook()
    await deleted.end()
    assert deleted.code == 1008
    assert other.is_open
