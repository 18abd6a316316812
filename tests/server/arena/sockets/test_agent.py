"""`/ws/agent`: who is told of a match, and of what was missed."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.arena.wires import Hall, in_a_hall, settle
from tests.service.parts import FakeClock

from ludus.server.arena.sockets.agent import MISSED
from ludus.service.commands import Resign


@in_a_hall
async def test_both_players_are_told_of_their_match(hall: Hall) -> None:
    ann, ben = await hall.agent(), await hall.agent()
    wires = [await hall.opened("/ws/agent", who) for who in (ann, ben)]
    await hall.queue(ann)
    match = await hall.queue(ben)
    for wire, who in zip(wires, (ann, ben), strict=True):
        await wire.hear("connected", "match_found")
        assert wire.frames == [
            {"type": "connected", "agentId": who.id},
            {"type": "match_found", "matchId": match, "gameId": "checkers"},
        ]


@in_a_hall
async def test_a_match_with_a_bot_is_told_too(hall: Hall) -> None:
    ann = await hall.agent()
    wire = await hall.opened("/ws/agent", ann)
    match = await hall.queue(ann, "backgammon", "easy")
    await wire.hear("connected", "match_found")
    assert wire.frames[1] == {"type": "match_found", "matchId": match, "gameId": "backgammon"}


@in_a_hall
async def test_others_are_not_told(hall: Hall) -> None:
    wire = await hall.opened("/ws/agent", await hall.agent())
    await hall.pair()
    await settle()
    assert wire.kinds == ["connected"]


@in_a_hall
async def test_the_newest_socket_wins(hall: Hall) -> None:
    ann, ben = await hall.agent(), await hall.agent()
    older, newer = await hall.opened("/ws/agent", ann), await hall.opened("/ws/agent", ann)
    await older.end()
    assert older.kinds == ["connected", "replaced"]
    assert older.code == 1000
    await hall.queue(ann)
    await hall.queue(ben)
    await newer.hear("connected", "match_found")


@pytest.mark.parametrize("data", ["hello", '{"type":"ping"}', b"\0"])
@in_a_hall
async def test_whatever_a_client_says_on_the_agents_socket_closes_it(hall: Hall, data: Any) -> None:
    wire = await hall.opened("/ws/agent", await hall.agent())
    wire.send(data)
    await wire.end()
    assert wire.kinds == ["connected"]
    assert wire.code == 1008


@in_a_hall
async def test_what_was_missed_is_sent_on_reconnect(hall: Hall, clock: FakeClock) -> None:
    match, ann, _ = await hall.pair()
    clock.wait(MISSED / 1000)
    wire = await hall.opened("/ws/agent", ann)
    await wire.hear("connected", "match_found")
    assert wire.frames[1]["matchId"] == match


@in_a_hall
async def test_what_was_missed_long_ago_is_not(hall: Hall, clock: FakeClock) -> None:
    _, ann, _ = await hall.pair()
    clock.wait(MISSED / 1000 + 1)
    wire = await hall.opened("/ws/agent", ann)
    await settle()
    assert wire.kinds == ["connected"]


@in_a_hall
async def test_a_finished_match_is_no_news(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    await hall.platform.tables.execute(match, Resign(0))
    wire = await hall.opened("/ws/agent", ann)
    await settle()
    assert wire.kinds == ["connected"]


@in_a_hall
async def test_a_match_that_ended_before_its_player_heard_of_it_is_news(hall: Hall, clock: FakeClock) -> None:
    match, _, two = await hall.pair()
    await hall.platform.tables.execute(match, Resign(0))
    wire = await hall.opened("/ws/agent", two)
    await wire.hear("connected", "match_found")
    assert wire.frames[1]["matchId"] == match
    await wire.leave()
    clock.wait(MISSED / 1000 + 1)
    wire = await hall.opened("/ws/agent", two)
    await settle()
    assert wire.kinds == ["connected"]


@in_a_hall
async def test_who_sits_at_the_table_already_has_missed_nothing(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    game = await hall.opened(f"/ws/game/{match}", ann)
    wire = await hall.opened("/ws/agent", ann)
    await settle()
    assert wire.kinds == ["connected"]
    await game.leave()
    await wire.leave()
    await (await hall.opened("/ws/agent", ann)).hear("connected", "match_found")
