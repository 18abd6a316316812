from __future__ import annotations

import asyncio

import pytest
from tests.service.parts import FakeClock
from tests.service.platforms import BEN, TIMEOUTS, advance, enter, seated, wanted, with_platform

from ludus.service.commands import Leave, Resign
from ludus.service.platform import Platform
from ludus.service.table import EventKind
from ludus.service.tables import NotFound


async def kinds(platform: Platform, table: str) -> list[str]:
    """What has happened since the table was opened."""
    return [event.kind for event in (await platform.tables.load(table)).events[1:]]


@with_platform
async def test_a_first_arrival_is_not_a_return(platform: Platform) -> None:
    table, *_ = await seated(platform)
    assert not await platform.presence.arrive(table.id, 0)
    assert await kinds(platform, table.id) == []


@with_platform
async def test_a_player_with_two_tabs_leaves_with_the_second(platform: Platform) -> None:
    table, *_ = await seated(platform)
    await platform.presence.arrive(table.id, 0)
    await platform.presence.depart(table.id, 0, "tab-1")
    assert await kinds(platform, table.id) == []
    await platform.presence.depart(table.id, 0, "tab-2")
    left = (await platform.tables.load(table.id)).events[-1]
    assert (left.kind, left.seat, left.data) == (EventKind.LEFT, 0, {"socket": "tab-2"})


@with_platform
async def test_a_return_is_one_event_however_many_tabs_connect(platform: Platform) -> None:
    table, *_ = await seated(platform)
    await platform.presence.depart(table.id, 1, "tab")
    assert await platform.presence.arrive(table.id, 1)
    assert not await platform.presence.arrive(table.id, 1)
    assert await kinds(platform, table.id) == [EventKind.LEFT, EventKind.RETURNED]


@with_platform
async def test_one_player_s_tabs_do_not_count_for_the_other(platform: Platform) -> None:
    table, *_ = await seated(platform)
    await platform.presence.arrive(table.id, 0)
    await platform.presence.depart(table.id, 1, "tab")
    assert (await platform.tables.load(table.id)).table.away[0] is None
    assert (await platform.tables.load(table.id)).table.away[1] is not None


@with_platform
async def test_a_return_during_a_departure_counts(platform: Platform, clock: FakeClock) -> None:
    table, *_ = await seated(platform)
    await asyncio.gather(platform.presence.depart(table.id, 0, "old"), platform.presence.arrive(table.id, 0))
    assert (await platform.tables.load(table.id)).table.away == (None, None)
    await platform.presence.depart(table.id, 0, "new")
    await advance(platform, clock, 2)
    assert (await platform.tables.load(table.id)).table.away[0] is not None


@with_platform
async def test_a_player_whom_another_process_took_for_gone_is_back_with_the_next_sweep(platform: Platform) -> None:
    """It looked for connections just before the player's was there, and stored the departure just after."""
    table, *_ = await seated(platform)
    for seat in (0, 1):  # both are connected
        await platform.tables.execute(table.id, Leave(seat))
    await platform.presence.depart(table.id, 1, "tab")
    await platform.presence.sweep_absences()
    (first, second) = (await platform.tables.load(table.id)).table.away
    assert first is None and second is not None
    before = await kinds(platform, table.id)
    await platform.presence.sweep_absences()
    assert await kinds(platform, table.id) == before


@with_platform
async def test_leaving_after_the_end_changes_nothing(platform: Platform) -> None:
    table, *_ = await seated(platform)
    await platform.tables.execute(table.id, Resign(0))
    await platform.presence.depart(table.id, 0, "tab")
    assert not await platform.presence.arrive(table.id, 0)
    assert await kinds(platform, table.id) == [EventKind.RESIGNED]


@with_platform
async def test_those_who_are_not_there_are_noted_once(platform: Platform) -> None:
    table, *_ = await seated(platform)
    await platform.presence.depart(table.id, 0, "tab")
    for _ in range(2):
        await platform.presence.reconcile(table.id)
    assert await kinds(platform, table.id) == [EventKind.LEFT]


@with_platform
async def test_bots_are_never_missed(platform: Platform) -> None:
    table = await enter(platform, await platform.sessions.create(wanted(match_type="bot")))
    assert table is not None
    await platform.presence.reconcile(table.id)
    away = (await platform.tables.load(table.id)).table.away
    assert [since is None for since in away] == [False, True]


@with_platform
async def test_a_player_who_never_arrived_is_absent(platform: Platform) -> None:
    await enter(platform, await platform.sessions.create(wanted()))
    table = await enter(platform, await platform.sessions.create(wanted(players=(BEN,))))
    assert table is not None
    await platform.presence.arrive(table.id, 0)
    await platform.presence.reconcile(table.id)
    away = (await platform.tables.load(table.id)).table.away
    assert [since is None for since in away] == [True, False]


@with_platform
async def test_arriving_at_an_unknown_table_is_refused(platform: Platform) -> None:
    with pytest.raises(NotFound):
        await platform.presence.arrive("nowhere", 0)
    with pytest.raises(NotFound):
        await platform.presence.depart("nowhere", 0, "tab")


@pytest.mark.parametrize("is_there_at_the_end", [True, False])
@with_platform
async def test_leaving_and_returning_again_and_again_is_told_once_a_second(
    platform: Platform, clock: FakeClock, is_there_at_the_end: bool
) -> None:
    table, *_ = await seated(platform)
    changes, seconds = 240, 10
    for number in range(changes * seconds):
        await platform.presence.depart(table.id, 0, f"tab {number}")
        clock.wait(0.5 / changes)
        await platform.presence.arrive(table.id, 0)
        clock.wait(0.5 / changes)
        if number % (changes // 5) == 0:
            await platform.presence.sweep()
    if not is_there_at_the_end:
        await platform.presence.depart(table.id, 0, "the last one")
        left_at = platform.clock.moment().clock
    assert len(await kinds(platform, table.id)) <= seconds
    await advance(platform, clock, 2)
    assert len(await kinds(platform, table.id)) <= seconds + 2
    away = (await platform.tables.load(table.id)).table.away[0]
    assert away == (None if is_there_at_the_end else left_at)


@with_platform
async def test_the_time_to_reconnect_counts_from_the_departure_not_from_when_it_is_told(
    platform: Platform, clock: FakeClock
) -> None:
    table, *_ = await seated(platform)
    await platform.presence.depart(table.id, 0, "tab 1")
    await platform.presence.arrive(table.id, 0)
    await platform.presence.depart(table.id, 0, "tab 2")
    left_at = platform.clock.moment().clock
    await advance(platform, clock, 2)
    live = (await platform.tables.load(table.id)).table
    assert live.away_due(0) == left_at + TIMEOUTS.reconnect
    await advance(platform, clock, TIMEOUTS.reconnect / 1000 - 2)
    outcome = (await platform.tables.load(table.id)).table.outcome
    assert outcome is not None and outcome.reason == "disconnect"


@with_platform
async def test_a_departure_that_cannot_be_stored_is_told_later(
    platform: Platform, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, *_ = await seated(platform)
    left_at = platform.clock.moment().clock

    async def fail(*_: object) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(platform.store, "commit", fail)
        for attempt in (platform.presence.depart(table.id, 0, "tab"), advance(platform, clock, 2)):
            with pytest.raises(OSError, match="no space"):
                await attempt
    await advance(platform, clock, 2)
    assert (await platform.tables.load(table.id)).table.away[0] == left_at
    await platform.presence.sweep()
    assert await kinds(platform, table.id) == [EventKind.LEFT]


@with_platform
async def test_nothing_is_kept_of_players_who_are_long_gone_or_there(platform: Platform, clock: FakeClock) -> None:
    table, *_ = await seated(platform)
    await platform.presence.depart(table.id, 0, "tab")
    await platform.presence.depart(table.id, 1, "tab")
    await platform.presence.arrive(table.id, 1)
    await platform.presence.depart(table.id, 1, "tab")
    for _ in range(2):
        await advance(platform, clock, 2)
    assert not platform.presence._changed and not platform.presence._departed


@with_platform
async def test_who_has_returned_since_the_sweep_began_is_not_reported(platform: Platform) -> None:
    table, *_ = await seated(platform)
    await platform.presence._store_departure((table.id, 0))  # the sweep listed it, but by now it is gone
    assert await kinds(platform, table.id) == []
