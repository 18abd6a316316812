from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

import pytest
from tests.service.parts import FakeClock, first_play
from tests.service.platforms import (
    TIMEOUTS,
    FirstMove,
    enter,
    found_tenant,
    open_platform,
    play,
    seated,
    until,
    wanted,
    with_platform,
)

from ludus.bus.memory import MemoryBus
from ludus.core.rules import Outcome
from ludus.engines.engine import Line
from ludus.engines.review import Assessment
from ludus.games import GAMES
from ludus.service import bots
from ludus.service.commands import AskRematch, OfferDraw, OfferResignation, Resign, Tick
from ludus.service.engine_pool import EngineFailed
from ludus.service.lobby import Seeker
from ludus.service.pauses import PAUSES
from ludus.service.platform import Platform
from ludus.service.ports.bus import Note, TableChanged
from ludus.service.ports.store import Unavailable
from ludus.service.ports.writes import Write
from ludus.service.table import EventKind, Seat, SeatKind, Table
from ludus.service.tables import LoadedTable, Tables
from ludus.service.time_control import Kind, TimeControl

NEW = "11111111-1111-4111-8111-111111111111"


class BlockingEngine(FirstMove):
    """Thinks until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.is_let_go = asyncio.Event()

    async def answer(self, game: str, position: Any, past: Sequence[Any]) -> Any:
        await self.is_let_go.wait()
        return await super().answer(game, position, past)


async def against_bot(
    platform: Platform, game: str = "checkers", level: str = "easy", time_control: TimeControl | None = None
) -> Table:
    session = wanted(match_type="bot", game=game, bot_level=level, time_control=time_control)
    table = await enter(platform, await platform.sessions.create(session))
    assert table is not None
    return table


@asynccontextmanager
async def game_against(engine_pool: FirstMove, folder: Path) -> AsyncIterator[tuple[Platform, Table]]:
    """A platform with this engine, and a game against it in which the person is to move."""
    async with open_platform(folder, FakeClock(), engine_pool) as platform:
        await found_tenant(platform)
        yield platform, await against_bot(platform)


async def now(platform: Platform, table: Table) -> Table:
    return (await platform.tables.load(table.id)).table


async def kinds(platform: Platform, table: Table) -> list[str]:
    return [event.kind for event in (await platform.tables.load(table.id)).events[1:]]


async def wait_for_person(platform: Platform, table: Table) -> Table:
    """The table when the person is to move, or it is over."""
    live = await platform.tables.load(table.id)
    await until(lambda: live.table.mover in (0, None))
    return live.table


@with_platform
async def test_a_bot_answers_every_move(platform: Platform) -> None:
    table = await against_bot(platform)
    for moves in (2, 4, 6):
        await play(platform, table.id)
        assert (await wait_for_person(platform, table)).moves == moves
    assert await kinds(platform, table) == [EventKind.PLAYED] * 6


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@with_platform
async def test_a_whole_game_against_a_bot_comes_to_its_end(platform: Platform, game: str) -> None:
    table = await wait_for_person(platform, await against_bot(platform, game))
    while not table.outcome:
        await play(platform, table.id)
        table = await wait_for_person(platform, table)
    assert (await platform.sessions.get(str(table.seats[0].session))).status == "ended"


@with_platform
async def test_a_bot_that_has_the_first_move_begins_by_itself(platform: Platform) -> None:
    table = await against_bot(platform)
    await platform.tables.execute(table.id, Resign(0))
    await platform.tables.execute(table.id, AskRematch(0, NEW))
    live = await platform.tables.load(NEW)
    assert [seat.kind for seat in live.table.seats] == [SeatKind.BOT, SeatKind.PERSON]
    await until(lambda: live.table.moves == 1)


@with_platform
async def test_a_bot_declines_a_draw_offered_in_the_person_s_turn(platform: Platform) -> None:
    table = await against_bot(platform)
    await platform.tables.execute(table.id, OfferDraw(0))
    live = await platform.tables.load(table.id)
    await until(lambda: live.table.offer is None)
    assert await kinds(platform, table) == [EventKind.DRAW_OFFERED, EventKind.DRAW_DECLINED]
    assert (await now(platform, table)).outcome is None


class Judge(FirstMove):
    """Values every position alike for the player to move."""

    async def assess(self, *_: Any, **__: Any) -> Assessment:
        return Assessment((Line("", -1.3, chances=(0.0, 0.0, 0.0, 0.3, 0.0)),))


@pytest.mark.parametrize(("win", "answer"), [(1, EventKind.RESIGNATION_DECLINED), (2, EventKind.RESIGNATION_ACCEPTED)])
def test_a_bot_accepts_a_resignation_that_is_as_good_as_playing_on(win: int, answer: str, tmp_path: Path) -> None:
    async def tell() -> None:
        async with open_platform(tmp_path, FakeClock(), Judge()) as platform:
            await found_tenant(platform)
            table = await wait_for_person(platform, await against_bot(platform, "backgammon"))
            await platform.tables.execute(table.id, OfferResignation(0, win))
            live = await platform.tables.load(table.id)
            await until(lambda: live.table.resignation is None)
            assert (await kinds(platform, table))[-2:] == [EventKind.RESIGNATION_OFFERED, answer]

    asyncio.run(tell())


def test_a_draw_offered_while_a_bot_thinks_is_declined_by_its_move(tmp_path: Path) -> None:
    async def tell() -> None:
        engine_pool = BlockingEngine()
        async with game_against(engine_pool, tmp_path) as (platform, table):
            await play(platform, table.id)
            await until(lambda: engine_pool.asked == 1)
            await platform.tables.execute(table.id, OfferDraw(0))
            engine_pool.is_let_go.set()
            after = await wait_for_person(platform, table)
            assert (after.moves, after.offer) == (2, None)

    asyncio.run(tell())


class BlockingJudge(BlockingEngine, Judge): ...


def test_a_resignation_offered_while_a_bot_thinks_is_answered_before_it_moves(tmp_path: Path) -> None:
    async def tell() -> None:
        engine_pool = BlockingJudge()
        async with open_platform(tmp_path, FakeClock(), engine_pool) as platform:
            await found_tenant(platform)
            table = await against_bot(platform, "backgammon")
            await play(platform, table.id)
            await until(lambda: engine_pool.asked == 1)
            await platform.tables.execute(table.id, OfferResignation(0, 3))
            engine_pool.is_let_go.set()
            await until(lambda: not platform.bots._running)
            assert (await kinds(platform, table))[-2:] == [
                EventKind.RESIGNATION_OFFERED,
                EventKind.RESIGNATION_ACCEPTED,
            ]

    asyncio.run(tell())


def test_a_bot_whose_opponent_resigns_while_it_thinks_does_not_move(tmp_path: Path) -> None:
    async def tell() -> None:
        engine_pool = BlockingEngine()
        async with game_against(engine_pool, tmp_path) as (platform, table):
            await play(platform, table.id)
            await until(lambda: engine_pool.asked == 1)
            await platform.tables.execute(table.id, Resign(0))
            engine_pool.is_let_go.set()
            await until(lambda: not platform.bots._running)
            assert await kinds(platform, table) == [EventKind.PLAYED, EventKind.RESIGNED]

    asyncio.run(tell())


def test_a_bot_thinks_once_however_often_it_is_reminded(tmp_path: Path) -> None:
    async def tell() -> None:
        engine_pool = BlockingEngine()
        async with game_against(engine_pool, tmp_path) as (platform, table):
            await play(platform, table.id)
            for _ in range(5):
                platform.bots.consider(await now(platform, table))
            engine_pool.is_let_go.set()
            assert (await wait_for_person(platform, table)).moves == 2
            assert engine_pool.asked == 1

    asyncio.run(tell())


def test_a_bot_that_failed_is_asked_again_until_it_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bots, "RETRY_SECONDS", 0)

    async def tell() -> None:
        engine_pool = FirstMove(failures=2)
        async with game_against(engine_pool, tmp_path) as (platform, table):
            await play(platform, table.id)
            assert (await wait_for_person(platform, table)).moves == 2
            assert engine_pool.asked == 3

    asyncio.run(tell())
    assert "could not act" in caplog.text


def test_a_game_is_aborted_unrated_if_its_bot_fails_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "RETRY_SECONDS", 0)

    async def tell() -> None:
        engine_pool = FirstMove(failures=1_000)
        async with game_against(engine_pool, tmp_path) as (platform, table):
            assert table.opening.is_rated
            await play(platform, table.id)
            async with asyncio.timeout(60):
                while (outcome := (await platform.tables.load(table.id)).table.outcome) is None:
                    await asyncio.sleep(0.01)
            assert (outcome.winner, outcome.reason) == (None, "cancelled")
            assert engine_pool.asked == bots.MAX_FAILURES
            assert [await platform.store.rating(seat.key, "checkers") for seat in table.seats] == [None, None]
            assert (await platform.sessions.get(str(table.seats[0].session))).status == "ended"

    asyncio.run(tell())


def test_a_bot_that_chooses_illegal_moves_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "RETRY_SECONDS", 0)

    class Cheat(FirstMove):
        async def answer(self, game: str, position: Any, past: Sequence[Any]) -> Any:
            return GAMES[game].moves(past[0])[0]

    async def tell() -> None:
        cheat = Cheat()
        async with game_against(cheat, tmp_path) as (platform, table):
            await play(platform, table.id)
            live = await platform.tables.load(table.id)
            await until(lambda: live.table.outcome is not None)
            assert (live.table.outcome, cheat.asked) == (Outcome(None, "cancelled"), bots.MAX_FAILURES)

    asyncio.run(tell())


@pytest.mark.parametrize("is_stored", [False, True], ids=["lost", "stored but not confirmed"])
def test_a_bot_waits_for_storage_however_long_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_stored: bool
) -> None:
    monkeypatch.setattr(bots, "FAULT_SECONDS", 0)

    async def tell() -> None:
        engine_pool = FirstMove()
        async with game_against(engine_pool, tmp_path) as (platform, table):
            attempts = count(1)
            commit = platform.store.commit

            async def fail(*writes: Write) -> None:
                number = next(attempts)
                if number == 1 or (number == 2 and is_stored):  # the person's move; the bot's
                    await commit(*writes)
                if 1 < number < 100:
                    raise Unavailable("the disk is full")
                if number >= 100:
                    await commit(*writes)

            monkeypatch.setattr(platform.store, "commit", fail)
            await play(platform, table.id)
            assert (await wait_for_person(platform, table)).moves == 2
            assert await kinds(platform, table) == [EventKind.PLAYED] * 2
            assert engine_pool.asked == 1
            assert next(attempts) == (3 if is_stored else 101)

    asyncio.run(tell())


def test_a_bot_waits_for_a_table_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "FAULT_SECONDS", 0)

    async def tell() -> None:
        async with game_against(FirstMove(), tmp_path) as (platform, table):
            failures = iter([Unavailable("the database is away")] * 20)
            load = platform.tables.load

            async def fail(id: str) -> LoadedTable:
                for failure in failures:
                    raise failure
                return await load(id)

            monkeypatch.setattr(platform.tables, "load", fail)
            await platform.tables.execute(table.id, first_play(table))
            live = await load(table.id)
            await until(lambda: live.table.moves == 2)

    asyncio.run(tell())


def test_a_bot_waits_for_a_worker_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "FAULT_SECONDS", 0)

    class NoHandles(FirstMove):
        async def answer(self, game: str, position: Any, past: Sequence[Any]) -> Any:
            if self.asked <= 2 * bots.MAX_FAILURES:
                raise EngineFailed("its engine cannot be loaded") from OSError(errno.EMFILE, "too many open files")
            return await super().answer(game, position, past)

    async def tell() -> None:
        async with game_against(NoHandles(), tmp_path) as (platform, table):
            await play(platform, table.id)
            assert (await wait_for_person(platform, table)).moves == 2

    asyncio.run(tell())


def test_a_bot_s_pauses_in_a_fault_grow_up_to_a_limit() -> None:
    assert [bots._pause_after(faults) for faults in (0, 1, 2, 3, 4, 10_000)] == [0.5, 1, 2, 4, 4, 4]


def test_a_move_that_comes_as_a_bot_turns_away_is_answered(tmp_path: Path) -> None:
    """Another process stores the person's move just when the bot has seen that it has nothing to do."""

    async def tell() -> None:
        async with game_against(FirstMove(), tmp_path) as (platform, table):
            other = Tables(platform.store, MemoryBus(), platform.clock, platform.tables.new_id, lambda: b"")
            late: list[asyncio.Task[Any]] = []

            async def hear_of_it() -> None:
                (await platform.tables.load(table.id)).is_stale = True
                await platform.tables.execute(table.id, Tick())

            async def listen(note: Note) -> None:
                if note == TableChanged(table.id, 3):  # the bot's first move
                    await other.execute(table.id, first_play((await platform.tables.load(table.id)).table))
                    late.append(asyncio.create_task(hear_of_it()))

            platform.bus.subscribe(listen)
            await play(platform, table.id)
            live = await platform.tables.load(table.id)
            await until(lambda: live.table.moves == 4)
            await asyncio.gather(*late)

    asyncio.run(tell())


@pytest.mark.parametrize(
    ("time_control", "least", "most"), [(None, 1.0, PAUSES["hard"][1]), (TimeControl(Kind.GAME, 10), 0.0, 10 / 30)]
)
def test_a_bot_pauses_no_longer_than_its_level_does_and_its_clock_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, time_control: TimeControl | None, least: float, most: float
) -> None:
    slept: list[float] = []
    real, engine = asyncio.sleep, FirstMove()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await real(0)

    async def tell() -> None:
        async with open_platform(tmp_path, FakeClock(), engine, timeouts=TIMEOUTS._replace(bot_pause=1.0)) as platform:
            await found_tenant(platform)
            table = await against_bot(platform, level="hard", time_control=time_control)
            monkeypatch.setattr("ludus.service.bots.asyncio.sleep", sleep)
            await play(platform, table.id)
            live = await platform.tables.load(table.id)
            while live.table.moves < 2:
                await real(0.001)

    asyncio.run(tell())
    assert least < max(slept) <= most
    assert engine.seconds == (inf if time_control is None else pytest.approx(most, abs=0.001))


def agent(name: str) -> Seeker:
    seat = Seat(f"agent/{name}", name, name, SeatKind.AGENT)
    return Seeker(seat, "checkers", "fast", "arena/fast", 1500.0, True, None, channel="arena")


def test_programs_are_not_made_to_wait(tmp_path: Path) -> None:
    async def tell() -> None:
        # with pauses, thirty moves would take longer than anybody waits here
        async with open_platform(tmp_path, FakeClock(), timeouts=TIMEOUTS._replace(bot_pause=100.0)) as platform:
            table = await platform.lobby.play_bot(agent("bond"), "hard")
            own = next(place for place, seat in enumerate(table.seats) if seat.kind == SeatKind.AGENT)
            live = await platform.tables.load(table.id)
            for _ in range(30):
                await until(lambda: live.table.mover == own or live.table.outcome is not None)
                if live.table.outcome:
                    return
                await platform.tables.execute(table.id, first_play(live.table))

    asyncio.run(tell())


def test_bots_think_for_one_program_at_a_time_and_for_people_at_once(tmp_path: Path) -> None:
    async def tell() -> None:
        blocking = BlockingEngine()
        async with open_platform(tmp_path, FakeClock(), blocking) as platform:
            await found_tenant(platform)
            tables = [await platform.lobby.play_bot(agent(f"agent {number}"), "easy") for number in range(6)]
            for table in tables:
                if table.seats[0].kind == SeatKind.AGENT:
                    await platform.tables.execute(table.id, first_play(table))
            await until(lambda: blocking.asked == 1)
            await play(platform, (await against_bot(platform)).id)
            await until(lambda: blocking.asked == 2)
            blocking.is_let_go.set()
            await until(lambda: blocking.asked == 7)

    asyncio.run(tell())


@with_platform
async def test_games_between_people_in_other_processes_are_not_followed(platform: Platform) -> None:
    table, *_ = await seated(platform)
    await platform.bus.drain()
    other = Tables(platform.store, MemoryBus(), platform.clock, lambda: NEW, lambda: b"")
    before = platform.tables.cached(table.id)
    assert before is not None
    for version in range(2, 5):
        await other.execute(table.id, first_play((await other.load(table.id)).table))
        platform.bus.notify(TableChanged(table.id, version))
        await platform.bus.drain()
    assert before.table.version == 1 and before.newest == 4  # noted, not read
    assert platform.tables.cached(table.id) is None


@with_platform
async def test_only_so_many_tables_without_a_bot_are_remembered(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "MAX_WITHOUT_BOT", 2)
    tables = [(await seated(platform))[0].id for _ in range(3)]
    await platform.bus.drain()
    assert list(platform.bots._without_bot) == tables[1:]
