"""The platform as a whole: what is due happens once, and being closed is not held against anybody."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.service.faults import read_only
from tests.service.parts import FakeClock
from tests.service.platforms import (
    BEN,
    TIMEOUTS,
    FirstMove,
    NoteRecorder,
    advance,
    advance_with_heartbeats,
    enter,
    found_tenant,
    open_platform,
    play,
    play_to_rated,
    seated,
    settle,
    until,
    wanted,
    with_platform,
)

from ludus.service import bots
from ludus.service import platform as platform_module
from ludus.service.commands import Resign
from ludus.service.decisions import Decision
from ludus.service.engine_pool import EngineFailed
from ludus.service.platform import Platform
from ludus.service.ports.bus import DeadlinesMoved
from ludus.service.ports.store import Beat, Unavailable, Unreadable
from ludus.service.ports.writes import Append, Write
from ludus.service.table import EventKind, Table
from ludus.service.time_control import Kind, TimeControl


async def kinds(platform: Platform, table: Table) -> list[str]:
    return [event.kind for event in (await platform.tables.load(table.id)).events[1:]]


def downtime(platform: Platform) -> int:
    """In milliseconds, as long as the wall clock is not set."""
    now = platform.clock.moment()
    return now.at - now.clock


async def now(platform: Platform, table: Table) -> Table:
    return (await platform.tables.load(table.id)).table


@with_platform
async def test_a_warning_and_a_forfeit_come_once_each(platform: Platform, clock: FakeClock) -> None:
    table, *_ = await seated(platform)
    await advance(platform, clock, 59.9)
    assert await kinds(platform, table) == []
    for seconds in (0.1, 0, 10, 19.8):
        await advance(platform, clock, seconds)
        assert await kinds(platform, table) == [EventKind.WARNED]
    for seconds in (0.2, 0, 100):
        await advance(platform, clock, seconds)
        assert await kinds(platform, table) == [EventKind.WARNED, EventKind.TIMED_OUT]
    outcome = (await now(platform, table)).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (1, "afk_timeout")


@with_platform
async def test_sweepers_that_come_at_once_fire_once(platform: Platform, clock: FakeClock) -> None:
    table, *_ = await seated(platform)
    clock.wait(60)
    await asyncio.gather(*(platform.sweep() for _ in range(5)))
    clock.wait(30)
    await asyncio.gather(*(platform.sweep() for _ in range(5)))
    assert await kinds(platform, table) == [EventKind.WARNED, EventKind.TIMED_OUT]


@with_platform
async def test_a_player_away_for_a_minute_loses_once(platform: Platform, clock: FakeClock) -> None:
    table, *_ = await seated(platform)
    await play(platform, table.id)
    await platform.presence.depart(table.id, 0, "tab")
    await advance(platform, clock, 59.9)
    assert (await now(platform, table)).outcome is None
    for _ in range(3):
        await advance(platform, clock, 0.2)
    assert await kinds(platform, table) == [EventKind.PLAYED, EventKind.LEFT, EventKind.TIMED_OUT]
    outcome = (await now(platform, table)).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (1, "disconnect")


@with_platform
async def test_a_player_who_returns_in_time_plays_on(platform: Platform, clock: FakeClock) -> None:
    table, *_ = await seated(platform)
    await platform.presence.depart(table.id, 1, "tab")
    await advance(platform, clock, 50)
    await platform.presence.arrive(table.id, 1)
    await advance(platform, clock, 30)
    assert (await now(platform, table)).outcome is None


@with_platform
async def test_a_table_that_cannot_be_swept_does_not_keep_the_others_waiting(
    platform: Platform, clock: FakeClock
) -> None:
    bad, *_ = await seated(platform)
    clock.wait(1)
    good, *_ = await seated(platform)

    async def refuse(decision: Decision) -> list[Write]:
        if decision.after.id == bad.id:
            raise RuntimeError("this table is cursed")
        return []

    platform.tables.hooks.append(refuse)
    session = await platform.sessions.create(wanted())
    await advance(platform, clock, 400)
    assert EventKind.TIMED_OUT in await kinds(platform, good)
    assert await kinds(platform, bad) == []
    assert (await platform.sessions.get(session.session.id)).status == "ended"


def test_downtime_stops_the_players_clocks(tmp_path: Path) -> None:
    async def tell() -> None:
        clock = FakeClock()
        async with open_platform(tmp_path, clock) as platform:
            await found_tenant(platform)
            table, *_ = await seated(platform, time_control=TimeControl(Kind.GAME, 50))
            await advance_with_heartbeats(platform, clock, 20)
            assert (await now(platform, table)).remaining(platform.tables.uptime())[0] == 30_000
        clock.wait(3600)
        async with open_platform(tmp_path, clock) as platform:
            assert (await now(platform, table)).remaining(platform.tables.uptime())[0] == 30_000
            await platform.presence.arrive(table.id, 0)
            await platform.presence.arrive(table.id, 1)
            await advance(platform, clock, 29)
            assert (await now(platform, table)).outcome is None
            await advance(platform, clock, 1)
            outcome = (await now(platform, table)).outcome
            assert outcome is not None and (outcome.winner, outcome.reason) == (1, "timeout")

    asyncio.run(tell())


def test_downtime_does_not_count_against_players(tmp_path: Path) -> None:
    async def tell() -> None:
        clock = FakeClock()
        async with open_platform(tmp_path, clock) as platform:
            await found_tenant(platform)
            table, session, _ = await seated(platform)
            waiting = (await platform.sessions.create(wanted(match_type="private"))).session
            await advance_with_heartbeats(platform, clock, 20)
            await platform.presence.depart(table.id, 1, "tab")
            await advance_with_heartbeats(platform, clock, 20)
            idle_until = platform.clock.wall((await now(platform, table)).idle_due() or 0)
        clock.wait(3600)
        async with open_platform(tmp_path, clock) as platform:
            opened = await now(platform, table)
            assert downtime(platform) == 3_600_000
            assert platform.clock.wall(opened.idle_due() or 0) == idle_until + 3_600_000
            assert opened.outcome is None
            await platform.presence.arrive(table.id, 0)
            await advance(platform, clock, 39)
            assert (await now(platform, table)).outcome is None
            assert (await platform.sessions.get(waiting.id)).status == "pending"
            await advance(platform, clock, 2)
            outcome = (await now(platform, table)).outcome
            assert outcome is not None
            assert (outcome.winner, outcome.reason) == (0, "disconnect")
            assert (await platform.sessions.get(session.id)).status == "ended"
            await advance(platform, clock, 600 - 40 - 41)
            assert (await platform.sessions.get(waiting.id)).status == "ended"

    asyncio.run(tell())


def test_after_a_kill_downtime_starts_at_the_last_heartbeat(tmp_path: Path) -> None:
    async def tell() -> None:
        clock = FakeClock()
        async with open_platform(tmp_path, clock) as platform:
            await advance_with_heartbeats(platform, clock, 5)
            clock.wait(2)
            await platform.store.close()  # so that nothing can be said any more
        clock.wait(100)
        async with open_platform(tmp_path, clock) as platform:
            assert downtime(platform) == 102_000

    asyncio.run(tell())


def test_a_long_stall_counts_as_downtime(tmp_path: Path) -> None:
    async def tell() -> None:
        clock = FakeClock()
        async with open_platform(tmp_path, clock, timeouts=TIMEOUTS._replace(grace=3_000)) as platform:
            clock.wait(3)
            await platform._heartbeat()
            assert downtime(platform) == 0
            clock.wait(3.1)
            await platform._heartbeat()
            assert downtime(platform) == 3_100

    asyncio.run(tell())


@with_platform
async def test_no_deadline_fires_while_nothing_can_be_stored(
    platform: Platform, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, *_ = await seated(platform)

    async def fail(*given: object) -> Beat:
        raise Unavailable("the disk is full")

    clock.wait(100)
    with monkeypatch.context() as patch:
        patch.setattr(platform.store, "heartbeat", fail)
        with pytest.raises(Unavailable):
            await platform.sweep()
    await platform.sweep()
    assert await kinds(platform, table) == []
    await advance(platform, clock, 90)
    assert await kinds(platform, table) == [EventKind.TIMED_OUT]


@with_platform
async def test_no_deadline_fires_while_nobody_can_connect(
    platform: Platform, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, *_ = await seated(platform)

    def fail(path: str, flags: int) -> int:
        raise OSError(errno.EMFILE, "too many open files")

    clock.wait(100)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        with pytest.raises(OSError, match="too many open files"):
            await platform.sweep()
    await platform.sweep()
    assert await kinds(platform, table) == []


@with_platform
async def test_time_in_which_a_move_was_refused_does_not_count(
    platform: Platform, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A heartbeat may fit on a disk that is too full for a move."""
    table, *_ = await seated(platform)

    async def fail(*writes: Write) -> None:
        raise Unavailable("the disk is full")

    clock.wait(89)
    with monkeypatch.context() as patch:
        patch.setattr(platform.store, "commit", fail)
        with pytest.raises(Unavailable):
            await play(platform, table.id)
    clock.wait(2)
    await platform.sweep()
    assert await kinds(platform, table) == []


@with_platform
async def test_everybody_hears_when_deadlines_move(platform: Platform, clock: FakeClock) -> None:
    heard = NoteRecorder(platform)
    clock.wait(1)
    await platform._heartbeat()
    await platform.bus.drain()
    assert heard.notes == []
    clock.jump(120)
    await platform._heartbeat()
    await platform.bus.drain()
    assert heard.notes == [DeadlinesMoved()]


def test_players_present_at_shutdown_are_away_at_startup(tmp_path: Path) -> None:
    async def tell() -> None:
        clock = FakeClock()
        async with open_platform(tmp_path, clock) as platform:
            await found_tenant(platform)
            table, *_ = await seated(platform)
            await advance_with_heartbeats(platform, clock, 5)
            await platform.presence.depart(table.id, 1, "tab")
            gone = (await now(platform, table)).away[1]
            await advance_with_heartbeats(platform, clock, 5)
        clock.wait(3600)
        async with open_platform(tmp_path, clock) as platform:
            assert (await now(platform, table)).away == (platform.clock.moment().clock, gone)
            assert await kinds(platform, table) == [EventKind.LEFT, EventKind.LEFT]
            assert await platform.presence.arrive(table.id, 0)

    asyncio.run(tell())


def test_a_player_who_returns_before_games_are_resumed_was_never_away(tmp_path: Path) -> None:
    async def tell() -> None:
        clock = FakeClock()
        async with open_platform(tmp_path, clock) as platform:
            await found_tenant(platform)
            table, *_ = await seated(platform)
        async with open_platform(tmp_path, clock, is_settled=False) as platform:
            await asyncio.gather(platform.presence.arrive(table.id, 0), settle(platform))
            away = (await now(platform, table)).away
            assert [since is None for since in away] == [True, False]

    asyncio.run(tell())


def test_those_in_line_have_to_come_again(tmp_path: Path) -> None:
    async def tell() -> None:
        clock = FakeClock()
        async with open_platform(tmp_path, clock) as platform:
            await found_tenant(platform)
            await enter(platform, await platform.sessions.create(wanted()))
            assert await platform.store.pools()
        async with open_platform(tmp_path, clock) as platform:
            assert not await platform.store.pools()
            assert await enter(platform, await platform.sessions.create(wanted(players=(BEN,)))) is None

    asyncio.run(tell())


def test_bots_resume_after_a_restart(tmp_path: Path) -> None:
    class Endless(FirstMove):
        async def answer(self, game: str, position: Any, past: Sequence[Any]) -> Any:
            await asyncio.Event().wait()

    async def tell() -> None:
        clock = FakeClock()
        async with open_platform(tmp_path, clock, Endless()) as platform:
            await found_tenant(platform)
            table = await enter(platform, await platform.sessions.create(wanted(match_type="bot")))
            assert table is not None
            assert (await play(platform, table.id)).moves == 1
        async with open_platform(tmp_path, clock) as platform:
            live = await platform.tables.load(table.id)
            await until(lambda: live.table.moves == 2)

    asyncio.run(tell())


def test_a_table_that_cannot_be_taken_up_does_not_keep_the_others_from_it(tmp_path: Path) -> None:
    async def tell() -> None:
        clock = FakeClock()
        async with open_platform(tmp_path, clock) as platform:
            await found_tenant(platform)
            good, *_ = await seated(platform)
            clock.wait(1)
            bad, *_ = await seated(platform)
            live = await platform.tables.load(bad.id)
            event = live.events[0]._replace(version=2, kind="unheard_of")
            await platform.store.commit(Append(live.table.row()._replace(version=2), event))
        async with open_platform(tmp_path, clock) as platform:
            assert None not in (await now(platform, good)).away

    asyncio.run(tell())


def test_a_failed_sweep_is_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(platform_module, "SWEEP_SECONDS", 0.001)
    monkeypatch.setattr(platform_module, "HEARTBEAT_SECONDS", 0.001)

    async def tell() -> None:
        clock = FakeClock()
        async with open_platform(tmp_path, clock, is_settled=False) as platform:
            failures = iter([OSError("the disk is gone")])
            real = platform.lobby.sweep

            async def sweep() -> None:
                for failure in failures:
                    raise failure
                await real()

            monkeypatch.setattr(platform.lobby, "sweep", sweep)
            await found_tenant(platform)
            ticket = await platform.sessions.create(wanted())
            for _ in range(101):
                seen = clock.time
                clock.wait(3)
                await until_heartbeat(platform, seen)
            assert (await platform.sessions.get(ticket.session.id)).status == "ended"

    async def until_heartbeat(platform: Platform, seen: int) -> None:
        heard = asyncio.Event()
        heartbeat = platform.store.heartbeat

        async def listen(at: int, clock: int | None = None, member: str = "") -> Beat:
            beat = await heartbeat(at, clock, member)
            if at > seen:
                heard.set()
            return beat

        monkeypatch.setattr(platform.store, "heartbeat", listen)
        await heard.wait()
        monkeypatch.setattr(platform.store, "heartbeat", heartbeat)

    asyncio.run(tell())
    assert "the sweep failed" in caplog.text


def test_a_tournament_that_takes_long_holds_up_no_heartbeat_and_a_failure_is_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(platform_module, "SWEEP_SECONDS", 0.001)
    monkeypatch.setattr(platform_module, "HEARTBEAT_SECONDS", 0.001)
    sweeps = iter([OSError("the disk is gone"), OSError("it still is"), None])

    async def tell() -> None:
        async with open_platform(tmp_path, FakeClock(), is_settled=False) as platform:
            began = asyncio.Event()

            async def sweep() -> None:
                if (error := next(sweeps)) is not None:
                    raise error
                began.set()
                await asyncio.Event().wait()

            monkeypatch.setattr(platform.director, "sweep", sweep)
            await began.wait()
            seen = platform._heartbeats
            await until(lambda: platform._heartbeats > seen + 2)

    asyncio.run(tell())
    assert caplog.text.count("tournaments cannot go on") == 1


def test_no_bot_starts_a_search_during_shutdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "RETRY_SECONDS", 0)
    monkeypatch.setattr(platform_module, "SWEEP_SECONDS", 0.001)

    class Slow(FirstMove):
        """Fails at backgammon and is slow at checkers until it is switched; then the other way round."""

        is_stopping = False

        async def answer(self, game: str, position: Any, past: Sequence[Any]) -> Any:
            if game == "backgammon" and not self.is_stopping:
                raise EngineFailed("not yet")
            try:
                await asyncio.Event().wait()
            finally:
                self.is_stopping = True
                await asyncio.sleep(0.05)

    async def tell() -> None:
        async with open_platform(tmp_path, FakeClock(), Slow(), is_settled=False) as platform:
            await found_tenant(platform)
            for game in ("checkers", "backgammon"):
                table = await enter(platform, await platform.sessions.create(wanted(match_type="bot", game=game)))
                assert table is not None
                if table.mover == 0:
                    await play(platform, table.id)
        assert not platform.bots._running

    asyncio.run(tell())


@with_platform
async def test_a_rated_game_is_rated_once_for_both(platform: Platform) -> None:
    table, *_ = await seated(platform)
    loser, winner = table.seats
    await play(platform, table.id, 10)
    await platform.tables.execute(table.id, Resign(0))
    won, lost = await platform.rating_of(winner.key, "checkers"), await platform.rating_of(loser.key, "checkers")
    assert (won.games, won.wins, lost.games, lost.wins) == (1, 1, 1, 0)
    assert won.rating > 1500 > lost.rating
    assert (await platform.rating_of(winner.key, "backgammon")).games == 0


@with_platform
async def test_bots_are_rated_like_people(platform: Platform) -> None:
    for _ in range(2):
        table = await enter(platform, await platform.sessions.create(wanted(match_type="bot")))
        assert table is not None
        await play_to_rated(platform, table.id)
        await platform.tables.execute(table.id, Resign(0))
    bot, ann = await platform.rating_of("bot/easy", "checkers"), await platform.rating_of("acme/live/ann", "checkers")
    assert (bot.games, bot.wins, ann.games, ann.wins) == (2, 2, 2, 0)


@with_platform
async def test_training_is_not_rated(platform: Platform) -> None:
    table, *_ = await seated(platform, mode="training")
    await platform.tables.execute(table.id, Resign(0))
    assert [await platform.store.rating(seat.key, "checkers") for seat in table.seats] == [None, None]


@with_platform
async def test_games_that_end_at_once_are_all_rated(platform: Platform) -> None:
    """They all change the rating of one bot."""
    people = [({"id": f"p{number}", "displayName": "P"},) for number in range(24)]
    tickets = [await platform.sessions.create(wanted(match_type="bot", players=each)) for each in people]
    tables = [await enter(platform, ticket) for ticket in tickets]
    for table in tables:
        assert table is not None
        await play_to_rated(platform, table.id)
    await asyncio.gather(*(platform.tables.execute(table.id, Resign(0)) for table in tables if table))
    bot = await platform.rating_of("bot/easy", "checkers")
    assert (bot.games, bot.wins) == (24, 24)


@with_platform
async def test_tables_opened_later_have_later_names(platform: Platform, clock: FakeClock) -> None:
    """So that games played at the same time lie together in the store."""
    names = []
    for _ in range(20):
        names.append(platform.tables.new_id())
        clock.wait(0.001)
    assert names == sorted(names)
    assert len({platform.tables.new_id() for _ in range(1000)}) == 1000


def test_after_a_fault_the_record_is_compared_with_the_open_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_module, "SWEEP_SECONDS", 0)
    monkeypatch.setattr(platform_module, "HEARTBEAT_SECONDS", 0)

    async def run() -> None:
        async with open_platform(tmp_path, FakeClock(), is_settled=False) as platform:
            await found_tenant(platform)
            table, *_ = await seated(platform)
            store: Any = platform.store
            with read_only(platform):
                await until(lambda: not store.is_storing)
                platform.presence._connections.pop((table.id, 1))  # a departure that nobody could note
            await until(lambda: not platform._is_outdated and store.is_storing)
            assert (await now(platform, table)).away[0] is None
            assert (await now(platform, table)).away[1] is not None

    asyncio.run(run())


@with_platform
async def test_a_damaged_table_keeps_no_other_from_being_swept(
    platform: Platform, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(platform_module, "BATCH", 1)
    bad, *_ = await seated(platform)
    clock.wait(1)
    good, *_ = await seated(platform)
    store: Any = platform.store
    store._connection.execute("UPDATE events SET data = '{' WHERE \"table\" = ?", (bad.id,))
    store._connection.execute("UPDATE tables SET players = '[' WHERE id = ?", (bad.id,))
    platform.tables.discard(bad.id)
    await platform._resume_tables()
    for _ in range(3):
        await advance(platform, clock, 400)
    assert EventKind.TIMED_OUT in await kinds(platform, good)
    assert [row.id for row in await platform.store.ended_tables("checkers", 10)] == [good.id]
    with pytest.raises(Unreadable):
        await platform.tables.load(bad.id)
    assert [record.name for record in caplog.records] == ["ludus.service.tables"]
