from __future__ import annotations

import asyncio

import pytest
from tests.service.houses import BEN, enter, housed, seated, wanted

from ludus.service.decisions import Resign
from ludus.service.house import House
from ludus.service.table import Happened
from ludus.service.tables import NotFound


async def kinds(house: House, table: str) -> list[str]:
    """What has happened since the table was opened."""
    return [event.kind for event in (await house.tables.see(table)).events[1:]]


@housed
async def test_whoever_comes_for_the_first_time_has_not_been_away(house: House) -> None:
    table, *_ = await seated(house)
    assert not await house.presence.arrive(table.id, 0)
    assert await kinds(house, table.id) == []


@housed
async def test_a_player_with_two_tabs_leaves_with_the_second(house: House) -> None:
    table, *_ = await seated(house)
    await house.presence.arrive(table.id, 0)
    await house.presence.depart(table.id, 0, "tab-1")
    assert await kinds(house, table.id) == []
    await house.presence.depart(table.id, 0, "tab-2")
    left = (await house.tables.see(table.id)).events[-1]
    assert (left.kind, left.seat, left.data) == (Happened.LEFT, 0, {"socket": "tab-2"})


@housed
async def test_coming_back_is_told_once_however_many_tabs_come(house: House) -> None:
    table, *_ = await seated(house)
    await house.presence.depart(table.id, 1, "tab")
    assert await house.presence.arrive(table.id, 1)
    assert not await house.presence.arrive(table.id, 1)
    assert await kinds(house, table.id) == [Happened.LEFT, Happened.RETURNED]


@housed
async def test_one_player_s_tabs_do_not_count_for_the_other(house: House) -> None:
    table, *_ = await seated(house)
    await house.presence.arrive(table.id, 0)
    await house.presence.depart(table.id, 1, "tab")
    assert (await house.tables.see(table.id)).table.away[0] is None
    assert (await house.tables.see(table.id)).table.away[1] is not None


@housed
async def test_whoever_comes_back_at_the_moment_of_leaving_is_there(house: House) -> None:
    table, *_ = await seated(house)
    await asyncio.gather(house.presence.depart(table.id, 0, "old"), house.presence.arrive(table.id, 0))
    assert (await house.tables.see(table.id)).table.away == (None, None)
    await house.presence.depart(table.id, 0, "new")
    assert (await house.tables.see(table.id)).table.away[0] is not None


@housed
async def test_leaving_after_the_end_is_nobody_s_business(house: House) -> None:
    table, *_ = await seated(house)
    await house.tables.do(table.id, Resign(0))
    await house.presence.depart(table.id, 0, "tab")
    assert not await house.presence.arrive(table.id, 0)
    assert await kinds(house, table.id) == [Happened.RESIGNED]


@housed
async def test_those_who_are_not_there_are_noted_once(house: House) -> None:
    table, *_ = await seated(house)
    await house.presence.depart(table.id, 0, "tab")
    for _ in range(2):
        await house.presence.note_absent(table.id)
    assert await kinds(house, table.id) == [Happened.LEFT]


@housed
async def test_bots_are_never_missed(house: House) -> None:
    table = await enter(house, await house.sessions.create(wanted(match_type="bot")))
    assert table is not None
    await house.presence.note_absent(table.id)
    away = (await house.tables.see(table.id)).table.away
    assert [since is None for since in away] == [False, True]


@housed
async def test_whoever_never_arrived_is_missed(house: House) -> None:
    await enter(house, await house.sessions.create(wanted()))
    table = await enter(house, await house.sessions.create(wanted(players=(BEN,))))
    assert table is not None
    await house.presence.arrive(table.id, 0)
    await house.presence.note_absent(table.id)
    away = (await house.tables.see(table.id)).table.away
    assert [since is None for since in away] == [True, False]


@housed
async def test_nobody_arrives_where_there_is_no_table(house: House) -> None:
    with pytest.raises(NotFound):
        await house.presence.arrive("nowhere", 0)
    with pytest.raises(NotFound):
        await house.presence.depart("nowhere", 0, "tab")
