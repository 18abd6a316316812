from __future__ import annotations

import asyncio

import pytest
from tests.service.platforms import BEN, enter, seated, wanted, with_platform

from ludus.service.commands import Resign
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
async def test_a_return_during_a_departure_counts(platform: Platform) -> None:
    table, *_ = await seated(platform)
    await asyncio.gather(platform.presence.depart(table.id, 0, "old"), platform.presence.arrive(table.id, 0))
    assert (await platform.tables.load(table.id)).table.away == (None, None)
    await platform.presence.depart(table.id, 0, "new")
    assert (await platform.tables.load(table.id)).table.away[0] is not None


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
        await platform.presence.note_absent(table.id)
    assert await kinds(platform, table.id) == [EventKind.LEFT]


@with_platform
async def test_bots_are_never_missed(platform: Platform) -> None:
    table = await enter(platform, await platform.sessions.create(wanted(match_type="bot")))
    assert table is not None
    await platform.presence.note_absent(table.id)
    away = (await platform.tables.load(table.id)).table.away
    assert [since is None for since in away] == [False, True]


@with_platform
async def test_a_player_who_never_arrived_is_absent(platform: Platform) -> None:
    await enter(platform, await platform.sessions.create(wanted()))
    table = await enter(platform, await platform.sessions.create(wanted(players=(BEN,))))
    assert table is not None
    await platform.presence.arrive(table.id, 0)
    await platform.presence.note_absent(table.id)
    away = (await platform.tables.load(table.id)).table.away
    assert [since is None for since in away] == [True, False]


@with_platform
async def test_arriving_at_an_unknown_table_is_refused(platform: Platform) -> None:
    with pytest.raises(NotFound):
        await platform.presence.arrive("nowhere", 0)
    with pytest.raises(NotFound):
        await platform.presence.depart("nowhere", 0, "tab")
