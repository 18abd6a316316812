"""Whose search is next, counted in searches by workers that only note what they are asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.service.parts import FakeClock, first_play
from tests.service.platforms import enter, found_tenant, open_platform, seated, until, wanted

from ludus.engines.engine import OWN_LIMIT
from ludus.games import GAMES
from ludus.service import engine_pool
from ludus.service.cluster import Work
from ludus.service.commands import Resign
from ludus.service.engine_pool import EnginePool
from ludus.service.lobby import Seeker
from ludus.service.platform import Platform
from ludus.service.table import Seat, SeatKind, Table

START = GAMES["checkers"].variants["standard"]
asked: list[str] = []
"""The level of each search, or `analyse`."""


class NotingWorker(engine_pool.Worker):
    async def load(self, game: str) -> None: ...

    async def call(self, job: Callable[..., Any], *args: Any) -> Any:
        game, position = args[:2]
        asked.append(args[2] if job is engine_pool.choose else "analyse")
        await asyncio.sleep(0)
        return GAMES[game].moves(position)[0]


@pytest.fixture(autouse=True)
def pool(monkeypatch: pytest.MonkeyPatch) -> EnginePool:
    """One worker, for which `hard` takes fifty times as long as `easy`."""
    asked.clear()
    monkeypatch.setattr(engine_pool, "Worker", NotingWorker)
    monkeypatch.setattr(engine_pool, "MEMORY", 1.0)  # keeps what is set below
    pool = EnginePool(1)
    pool._seconds = {("checkers", "easy"): 0.01, ("checkers", "hard"): 0.5, ("checkers", "analysis"): 0.5}
    return pool


async def guest(platform: Platform, number: int, level: str, address: str) -> Table:
    """A game of a guest at this address, who has just moved."""
    seat = Seat(f"guest/{number}", str(number), "Guest", SeatKind.PERSON)
    table = await platform.lobby.play_bot(Seeker(seat, "checkers", "training", "training", 1500.0, True, None), level)
    platform.bots.note_owner(table, address)
    await platform.tables.execute(table.id, first_play(table))
    return table


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_sixty_guests_of_one_address_do_not_delay_the_bot_of_another(
    tmp_path: Path, pool: EnginePool, level: str
) -> None:
    async def tell() -> None:
        async with open_platform(tmp_path, FakeClock(), pool) as platform:
            worker = await pool._take("", 0)
            for number in range(60):
                await guest(platform, number, "hard" if level == "easy" else "easy", "198.51.100.1")
            table = await guest(platform, 60, level, "203.0.113.5")
            await until(lambda: len(pool._free) == 61)
            pool._free.put(worker)
            await until(lambda: len(asked) == 61)
            await until(lambda: platform.tables.cached(table.id).table.moves == 2)  # type: ignore[union-attr]  # the game is live

    asyncio.run(tell())
    expected = {"easy": 0, "hard": 50}[level]  # `hard` waits for as much work as it is itself
    assert abs(asked.index(level) - expected) <= 1


def test_games_whose_owner_is_not_known_count_for_their_player(tmp_path: Path, pool: EnginePool) -> None:
    async def tell() -> None:
        async with open_platform(tmp_path, FakeClock(), pool) as platform:
            await found_tenant(platform)
            table = await enter(platform, await platform.sessions.create(wanted(match_type="bot")))
            assert table is not None
            worker = await pool._take("", 0)
            await platform.tables.execute(table.id, first_play(table))
            await until(lambda: len(pool._free) == 1)
            assert pool._free._owners == {"acme/live/ann": 1}
            pool._free.put(worker)
            await until(lambda: len(asked) == 1)

    asyncio.run(tell())


def test_an_owner_is_forgotten_when_the_game_ends(tmp_path: Path, pool: EnginePool) -> None:
    async def tell() -> None:
        async with open_platform(tmp_path, FakeClock(), pool) as platform:
            table = await guest(platform, 1, "easy", "203.0.113.5")
            assert platform.bots._owners == {table.id: "203.0.113.5"}
            await platform.tables.execute(table.id, Resign(0))
            await platform.bus.drain()
            assert platform.bots._owners == {}
            platform.bots.note_owner((await platform.tables.load(table.id)).table, "203.0.113.5")
            assert platform.bots._owners == {}

    asyncio.run(tell())


def test_an_owner_is_kept_only_where_the_bot_plays(tmp_path: Path, pool: EnginePool) -> None:
    async def tell() -> None:
        async with open_platform(tmp_path, FakeClock(), pool) as platform:
            bots, table = platform.bots, await guest(platform, 1, "easy", "203.0.113.5")
            await platform.bus.drain()
            await until(lambda: platform.tables.cached(table.id).table.moves == 2)  # type: ignore[union-attr]  # the game is live
            assert bots._owners == {table.id: "203.0.113.5"}
            shards = platform.cluster.shards
            platform.cluster.shards = dict.fromkeys(Work, frozenset())  # another process takes over
            await platform.tables.execute(table.id, Resign(0))
            await platform.bus.drain()
            assert bots._owners == {}
            await guest(platform, 2, "easy", "203.0.113.5")
            assert bots._owners == {}
            platform.cluster.shards = shards

    asyncio.run(tell())


def test_nothing_is_kept_of_games_between_people(tmp_path: Path, pool: EnginePool) -> None:
    async def tell() -> None:
        async with open_platform(tmp_path, FakeClock(), pool) as platform:
            await found_tenant(platform)
            table, *_ = await seated(platform)
            platform.bots.note_owner(table, "203.0.113.5")
            assert platform.bots._owners == {}

    asyncio.run(tell())


def test_a_move_comes_before_an_analysis_that_takes_as_long(pool: EnginePool) -> None:
    async def tell() -> None:
        await pool.start()
        worker = await pool._take("", 0)
        analysis = asyncio.create_task(pool.assess("checkers", START, OWN_LIMIT))
        await asyncio.sleep(0)
        moves = [asyncio.create_task(pool.choose("checkers", START, "hard", 1, owner=f"{n}")) for n in range(3)]
        await asyncio.sleep(0)
        pool._free.put(worker)
        await asyncio.gather(analysis, *moves)

    asyncio.run(tell())
    assert asked == ["hard", "hard", "hard", "analyse"]


def test_programs_share_their_worker_fairly(tmp_path: Path, pool: EnginePool) -> None:
    async def tell() -> None:
        async with open_platform(tmp_path, FakeClock(), pool) as platform:
            worker = await pool._take("", 0)
            for name, level in [*((f"crowd {number}", "hard") for number in range(8)), ("ann", "easy")]:
                seat = Seat(f"agent/{name}", name, name, SeatKind.AGENT)
                seeker = Seeker(seat, "checkers", "fast", "arena/fast", 1500.0, True, None, channel="arena")
                table = await platform.lobby.play_bot(seeker, level)
                platform.bots.note_owner(table, name.split()[0])
                if table.seats[0].kind == SeatKind.AGENT:
                    await platform.tables.execute(table.id, first_play(table))
            await until(lambda: len(platform.bots._for_programs) == 8 and len(pool._free) == 1)
            pool._free.put(worker)
            await until(lambda: len(asked) == 9)

    asyncio.run(tell())
    assert asked[1] == "easy"  # the first one already had its turn
