"""The players' clocks in rooms: what each message says, and how a flag falls."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.rooms.harness import RoomHarness, Tab, with_harness
from tests.service.parts import FakeClock
from tests.service.platforms import advance

from ludus.service.time_control import DAY, NO_LIMIT, Kind, TimeControl

FISCHER = TimeControl(Kind.FISCHER, 300, 3)
BRONSTEIN = TimeControl(Kind.BRONSTEIN, 120, 12)
PER_MOVE = TimeControl(Kind.MOVE, 15)
CORRESPONDENCE = TimeControl(Kind.CORRESPONDENCE, 2 * DAY)


async def move(tab: Tab) -> None:
    """The first legal one."""
    moves = (await tab.act("game:get_moves", ackOnly=True))["moves"]
    answer = await tab.act("game:move", move={"moves": moves[0]} if tab.game == "backgammon" else moves[0])
    assert answer["ok"], answer


@with_harness
async def test_without_a_time_control_no_message_has_a_clock(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    await move(one)
    await one.act("game:resign")
    assert not [event for event, data in (*one.received, *two.received) if {"clock", "timeControl"} & set(data)]


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@with_harness
async def test_each_message_says_what_is_left(harness: RoomHarness, clock: FakeClock, game: str) -> None:
    one, two = await harness.pair(game=game, time_control=FISCHER)
    seat = await harness.seat(one)
    started = two.last("game:started")
    assert started["timeControl"] == {"type": "fischer", "seconds": 300, "increment": 3}
    assert started["clock"] == {"remainingMs": [300_000, 300_000], "running": seat}
    assert (started["afkTimeoutEnabled"], started["reconnectSeconds"]) == (False, 60.0)
    clock.wait(10)
    await move(one)
    left = [300_000, 300_000]
    left[seat] = 293_000
    turn = (await harness.table(one)).mover
    names = ["game:move:made"] + (["game:dice"] if game == "backgammon" else [])
    for tab in (one, two):
        assert [tab.last(name)["clock"] for name in names] == [{"remainingMs": left, "running": turn}] * len(names)


@with_harness
async def test_those_who_come_later_get_what_is_left_by_then(harness: RoomHarness, clock: FakeClock) -> None:
    one, two = await harness.pair(time_control=BRONSTEIN)
    clock.wait(5)
    spectator = await harness.connect_compact()
    await spectator.emit("game:spectate", {"roomId": one.room})
    seen = spectator.last("game:spectate:joined")
    assert seen["timeControl"] == {"type": "bronstein", "seconds": 120, "delay": 12}
    assert seen["clock"] == {"remainingMs": [120_000, 120_000], "running": 0, "delayMs": 7_000}
    clock.wait(15)
    another = await harness.connect_compact()
    await another.emit("game:spectate", {"roomId": one.room})
    assert another.last("game:spectate:joined")["clock"] == {
        "remainingMs": [112_000, 120_000], "running": 0, "delayMs": 0,
    }  # fmt: skip
    await move(one)
    moved = {"remainingMs": [112_000, 120_000], "running": 1, "delayMs": 12_000}
    assert [tab.last("game:move:made")["clock"] for tab in (two, spectator)] == [moved, moved]
    assert "board" not in spectator.last("game:move:made")
    clock.wait(22)
    answer = await one.act("game:reconnect")
    assert answer["ok"]
    assert one.last("game:reconnected")["clock"]["remainingMs"] == [112_000, 110_000]


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@with_harness
async def test_a_flag_that_falls_ends_the_game(harness: RoomHarness, clock: FakeClock, game: str) -> None:
    one, two = await harness.pair(game=game, time_control=PER_MOVE)
    await advance(harness.platform, clock, 14.9)
    assert "game:over" not in one.names
    await advance(harness.platform, clock, 0.1)
    await advance(harness.platform, clock, 60)
    seat, left = await harness.seat(one), [15_000, 15_000]
    left[seat] = 0
    for tab in (one, two):
        (over,) = tab.all("game:over")
        assert (over["winner"], over["reason"]) == (two.id, "afk_timeout")
        assert over["clock"] == {"remainingMs": left, "running": None}
        assert f"{game}:afk_warning" not in tab.names
    session = await harness.platform.sessions.get((await harness.table(one)).seats[0].session or "")
    assert session.result is not None and session.result["reason"] == "afk_timeout"


@with_harness
async def test_the_deadline_that_is_asked_for_is_the_flag_s(harness: RoomHarness, clock: FakeClock) -> None:
    one, _ = await harness.pair(time_control=BRONSTEIN)
    clock.wait(20)
    status = (await one.act("afk:check"))["status"]
    assert (status["playerId"], status["secondsRemaining"]) == (one.id, 112.0)
    assert status["clock"] == {"remainingMs": [112_000, 120_000], "running": 0, "delayMs": 0}


@with_harness
async def test_players_meet_only_those_who_chose_the_same(harness: RoomHarness) -> None:
    waiting = [
        await harness.enter("ann"),
        await harness.enter("ben", time_control=FISCHER),
        await harness.enter("cid", time_control=BRONSTEIN),
    ]
    assert [tab.names for tab in waiting] == [["matchmaking:waiting"]] * 3
    dan = await harness.enter("dan", time_control=FISCHER)
    assert dan.room == waiting[1].room
    eve = await harness.enter("eve")
    assert eve.room == waiting[0].room
    assert "timeControl" not in eve.last("game:started")
    assert "game:started" not in waiting[2].names


@with_harness
async def test_nobody_has_to_stay_in_a_correspondence_game(harness: RoomHarness, clock: FakeClock) -> None:
    one, two = await harness.pair(time_control=CORRESPONDENCE)
    await one.drop()
    assert two.last("player:disconnected")["secondsRemaining"] is None
    await advance(harness.platform, clock, 2 * DAY - 1)
    assert "game:over" not in two.names
    await advance(harness.platform, clock, 1)
    assert two.last("game:over")["winner"] == two.id


@with_harness
async def test_a_game_without_a_limit_against_a_bot_waits(harness: RoomHarness, clock: FakeClock) -> None:
    ann = await harness.enter("ann", match_type="bot", time_control=NO_LIMIT)
    assert ann.last("game:started")["abandonSeconds"] == 30 * DAY, "else it would be kept for ever"
    started: Any = ann.last("game:started")
    assert started["timeControl"] == {"type": "none"}
    assert (started["afkTimeoutEnabled"], started["reconnectSeconds"]) == (False, None)
    await advance(harness.platform, clock, 20 * DAY)
    assert "game:over" not in ann.names


@with_harness
async def test_a_rematch_starts_with_full_clocks(harness: RoomHarness, clock: FakeClock) -> None:
    one, two = await harness.pair(time_control=FISCHER)
    clock.wait(10)
    await one.act("game:resign")
    assert two.last("game:over")["clock"] == {"remainingMs": [290_000, 300_000], "running": None}
    await one.act("game:rematch")
    await two.act("game:rematch")
    assert len(one.all("game:started")) == 2
    assert one.last("game:started")["clock"] == {"remainingMs": [300_000, 300_000], "running": 0}
