"""Games that bots play for spectators: only while somebody watches, only if there is no other game, and not counted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.service.parts import FakeClock
from tests.service.platforms import (
    FirstMove,
    advance_with_heartbeats,
    found_tenant,
    open_platform,
    run_in,
    seated,
    until,
)

from ludus.games import GAMES
from ludus.service.activity import activity
from ludus.service.cluster import Cluster, Role, Work
from ludus.service.engine_pool import EXHIBITIONS, EnginePool
from ludus.service.exhibitions import EXHIBITION, FIRST, LOOK_MS, WATCHED_MS, Exhibitions
from ludus.service.platform import Platform, new_member
from ludus.service.records import TableRow
from ludus.service.retention import EXHIBITION_MS, Days, Retention
from ludus.service.shards import SHARDS, shard_of
from ludus.service.table import SeatKind


class Waiting(FirstMove):
    """Chooses a move when it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.allowed = asyncio.Semaphore(0)

    async def answer(self, game: str, position: Any, past: Sequence[Any]) -> Any:
        await self.allowed.acquire()
        return await super().answer(game, position, past)

    def let(self, moves: int) -> None:
        for _ in range(moves):
            self.allowed.release()


@asynccontextmanager
async def open_to_viewers(folder: Path, clock: FakeClock) -> AsyncIterator[Platform]:
    async with open_platform(folder, clock, Waiting()) as platform:
        platform.exhibitions.is_on = True
        await found_tenant(platform)
        yield platform


with_exhibitions = run_in(open_to_viewers)


async def look(platform: Platform) -> Sequence[TableRow]:
    """Somebody opens the start page, and the platform handles it; returns the exhibitions."""
    await platform.exhibitions.note_viewer()
    await platform.bus.drain()
    await platform.exhibitions.sweep()
    await platform.bus.drain()
    return await exhibitions(platform)


async def exhibitions(platform: Platform) -> Sequence[TableRow]:
    return await platform.store.live_tables_of(FIRST)


async def moves_at(platform: Platform, table: str) -> int:
    return (await platform.tables.load(table)).table.moves


async def settle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


def engine(platform: Platform) -> Waiting:
    assert isinstance(platform.engine_pool, Waiting)
    return platform.engine_pool


@with_exhibitions
async def test_one_of_each_game_starts_when_somebody_looks(platform: Platform) -> None:
    await platform.exhibitions.sweep()
    assert await exhibitions(platform) == []
    rows = await look(platform)
    assert sorted(row.game for row in rows) == sorted(GAMES)
    assert {row.mode for row in rows} == {EXHIBITION}
    assert {player["kind"] for row in rows for player in row.players} == {SeatKind.BOT}
    assert all(len({player["id"] for player in row.players}) == 2 for row in rows)


@with_exhibitions
async def test_a_second_look_opens_no_second_game(platform: Platform, clock: FakeClock) -> None:
    first = await look(platform)
    clock.wait(LOOK_MS / 1000)
    assert await look(platform) == first


@with_exhibitions
async def test_without_the_setting_nothing_is_played(platform: Platform) -> None:
    platform.exhibitions.is_on = False
    assert await look(platform) == []


@with_exhibitions
async def test_games_in_progress_end_where_the_setting_was_turned_off(platform: Platform) -> None:
    rows = await look(platform)
    platform.exhibitions.is_on = False
    await platform.exhibitions.sweep()
    assert await exhibitions(platform) == []
    ended = [await platform.store.table(row.id) for row in rows]
    assert {row.result["reason"] for row in ended if row and row.result} == {"cancelled"}


@with_exhibitions
async def test_the_game_stands_still_while_nobody_looks_and_then_goes_on(platform: Platform, clock: FakeClock) -> None:
    rows = await look(platform)
    await until(lambda: engine(platform).asked == len(GAMES))
    engine(platform).let(len(GAMES))
    await until(lambda: engine(platform).asked == 2 * len(GAMES))
    clock.wait(WATCHED_MS / 1000)
    engine(platform).let(100)
    await until(lambda: not platform.bots._running)
    stood = [await moves_at(platform, row.id) for row in rows]
    await platform.exhibitions.sweep()
    await settle()
    assert [await moves_at(platform, row.id) for row in rows] == stood
    assert [row.id for row in await look(platform)] == [row.id for row in rows]
    await until(lambda: engine(platform).asked > 2 * len(GAMES))


@with_exhibitions
async def test_a_spectator_of_the_game_itself_keeps_it_going(platform: Platform, clock: FakeClock) -> None:
    (row, *_) = await look(platform)
    platform.exhibitions.spectators = lambda table: int(table == row.id)
    for _ in range(4):
        clock.wait(WATCHED_MS / 2000)
        await platform.exhibitions.sweep()
        await platform.bus.drain()
    assert platform.exhibitions.is_watched
    platform.exhibitions.spectators = lambda _table: 0
    clock.wait(WATCHED_MS / 1000)
    assert not platform.exhibitions.is_watched


@with_exhibitions
async def test_where_people_play_in_public_there_is_no_exhibition(platform: Platform) -> None:
    table, *_ = await seated(platform)
    rows = await look(platform)
    assert table.opening.game not in {row.game for row in rows}
    assert len(rows) == len(GAMES) - 1


@with_exhibitions
async def test_it_leaves_no_rating_and_no_statistics_and_is_deleted_soon(platform: Platform, clock: FakeClock) -> None:
    rows = await look(platform)
    engine(platform).let(10_000)
    async with asyncio.timeout(60):
        while await exhibitions(platform):
            await asyncio.sleep(0.01)
    ended = [await platform.store.table(row.id) for row in rows]
    assert all(row and row.status == "over" and row.moves > 5 for row in ended)
    for row in rows:
        assert (await platform.store.tally(row.game)).matches == 0
        assert await platform.store.opened_since(row.game, 0) == 0
        for key in (FIRST, f"{EXHIBITION}/1"):
            assert await platform.store.ratings_of(key) == []
    retention = Retention(platform.store, clock, Days())
    await retention.delete_old()
    assert [await platform.store.table(row.id) for row in rows] == ended
    clock.wait(EXHIBITION_MS / 1000 + 1)
    await retention.delete_old()
    assert [await platform.store.table(row.id) for row in rows] == [None] * len(rows)


@with_exhibitions
async def test_what_goes_on_is_counted_without_exhibitions(platform: Platform) -> None:
    await look(platform)
    nothing = await activity(platform)
    assert nothing.playing == 0
    assert set(nothing.games.values()) == {(0, 0)}
    table, *_ = await seated(platform)
    found = await activity(platform)
    assert found.playing == 2
    assert {game: each.live for game, each in found.games.items() if each.live} == {table.opening.game: 1}


def test_the_same_game_goes_on_after_a_restart(tmp_path: Path) -> None:
    async def scenario() -> None:
        clock = FakeClock()
        async with open_to_viewers(tmp_path, clock) as platform:
            rows = await look(platform)
            engine(platform).let(6)
            await until(lambda: engine(platform).asked == 6 + len(GAMES))
            await advance_with_heartbeats(platform, clock, 1)
            before = {row.id: await moves_at(platform, row.id) for row in rows}
        async with open_platform(tmp_path, clock, Waiting()) as platform:
            platform.exhibitions.is_on = True
            await settle()
            assert engine(platform).asked == 0
            assert {row.id: await moves_at(platform, row.id) for row in await look(platform)} == before
            await until(lambda: engine(platform).asked == len(GAMES))

    asyncio.run(scenario())


class Process:
    """A member of a cluster on the platform's store; its shards are given to it by hand."""

    def __init__(self, platform: Platform, shards: str) -> None:
        store = platform.store
        cluster = Cluster(store, new_member(b"secret", Role.BOTH), is_sole=False)
        cluster.shards = {Work.SWEEP: frozenset(), Work.BOTS: frozenset(shards)}
        self.woken: list[str] = []
        self.exhibitions = Exhibitions(
            store, platform.bus, platform.tables, cluster, platform.clock, Random(2), is_on=True
        )
        self.exhibitions.wake = lambda table: self.woken.append(table.id)
        platform.bus.subscribe(self.exhibitions.on_note)


@with_exhibitions
async def test_one_process_opens_the_games_and_each_plays_its_own(platform: Platform, clock: FakeClock) -> None:
    platform.exhibitions.is_on = False
    own = shard_of(EXHIBITION)
    one, two = Process(platform, SHARDS.replace(own, "")), Process(platform, own)
    await one.exhibitions.note_viewer()  # the other one gets the note
    await platform.bus.drain()
    await one.exhibitions.sweep()
    assert await exhibitions(platform) == []
    await two.exhibitions.sweep()
    rows = await exhibitions(platform)
    assert sorted(row.game for row in rows) == sorted(GAMES)
    clock.wait(LOOK_MS / 1000)
    for each in (one, two):
        await each.exhibitions.sweep()
    assert sorted(one.woken) == sorted(row.id for row in rows if shard_of(row.id) != own)
    assert sorted(two.woken) == sorted(row.id for row in rows if shard_of(row.id) == own)


@with_exhibitions
async def test_of_two_games_that_were_opened_at_once_the_older_stays(platform: Platform, clock: FakeClock) -> None:
    platform.exhibitions.is_on = False
    one, two = Process(platform, SHARDS), Process(platform, SHARDS)
    await one.exhibitions.note_viewer()
    await platform.bus.drain()
    await one.exhibitions._open("checkers")
    clock.wait(1)
    await two.exhibitions._open("checkers")
    older = min(await exhibitions(platform), key=lambda row: row.opened_at)
    await one.exhibitions.sweep()
    assert [row.id for row in await exhibitions(platform) if row.game == "checkers"] == [older.id]


async def _in_order(pool: EnginePool, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    served: list[str] = []

    async def answer(_worker: object, _job: object, _game: str, _position: object, player: str, *_: object) -> None:
        served.append(player)

    monkeypatch.setattr(pool, "_with", answer)  # the order is the question, not the moves
    await pool.start()
    worker = await pool._take("", 0)
    asked = [("novice", EXHIBITIONS), ("steady", EXHIBITIONS), ("hard", "ann"), ("easy", "ben")]
    tasks = [asyncio.create_task(pool.choose("checkers", None, level, 1, (), owner)) for level, owner in asked]
    await settle()
    pool._free.put(worker)
    await asyncio.gather(*tasks)
    await pool.stop()
    return served


def test_bots_of_people_who_wait_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asyncio.run(_in_order(EnginePool(1), monkeypatch))[:2] == ["hard", "easy"]


@with_exhibitions
async def test_an_exhibition_that_cannot_be_read_is_replaced(platform: Platform, clock: FakeClock) -> None:
    damaged = (await look(platform))[0]
    platform.tables.discard(damaged.id)
    platform.tables.unreadable.add(damaged.id)
    clock.wait(LOOK_MS / 1000)
    games = [row.game for row in await look(platform) if row.id != damaged.id]
    assert sorted(games) == sorted(GAMES)
