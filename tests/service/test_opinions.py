"""What an engine thinks of a position while somebody looks: in stages, within bounds, and no longer than wanted."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from tests.service.parts import FakeClock
from tests.service.platforms import FirstMove, open_platform

from ludus.core.rules import Player
from ludus.engines import adapter
from ludus.engines.engine import Line
from ludus.engines.review import Assessment
from ludus.engines.study import CubeEquities, CubeWindow
from ludus.games import GAMES
from ludus.service import opinions, repeated_notes
from ludus.service.analysis import Busy
from ludus.service.engine_pool import EngineFailed
from ludus.service.opinions import Opinion, OpinionLine, decider, read, write
from ludus.service.platform import Platform

START = GAMES["checkers"].notation.write_position(GAMES["checkers"].start("standard"))
STAGES = len(adapter("checkers").deepening)


class Thinker(FirstMove):
    """Likes the first moves best, and waits before every stage until it is let go on."""

    def __init__(self, failures: int = 0) -> None:
        super().__init__(failures)
        self.may_go_on = asyncio.Semaphore(0)
        self.stages: list[int] = []
        self.owners: list[str] = []

    async def opinion(self, game: str, position: Any, stage: int, lines: int, owner: str) -> Assessment:
        self.stages.append(stage)
        self.owners.append(owner)
        await self.may_go_on.acquire()
        if self.failures:
            raise EngineFailed("this engine fails on purpose")
        moves = GAMES[game].moves(position)[:lines]
        return Assessment([Line(move, 0.5 - number / 10, (move,), depth=stage) for number, move in enumerate(moves)])


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def ask(platform: Platform, owner: str = "ann", position: str = START) -> list[Opinion]:
    return [opinion async for opinion in platform.opinions.stream("checkers", position, owner)]


def run(tmp_path: Path, pool_of: Any, happen: Any) -> None:
    async def whole() -> None:
        pool = pool_of()
        async with open_platform(tmp_path, FakeClock(), pool) as platform:
            await happen(platform, pool)

    asyncio.run(whole())


def test_opinions_come_from_deeper_and_deeper_searches(tmp_path: Path) -> None:
    async def happen(platform: Platform, pool: Thinker) -> None:
        async with aclosing(platform.opinions.stream("checkers", START, "ann")) as stream:
            for stage in range(1, STAGES + 1):
                pool.may_go_on.release()
                opinion = await anext(stream)
                assert (opinion.stage, opinion.stages, opinion.depth) == (stage, STAGES, stage - 1)
                assert [line.value for line in opinion.lines] == [0.5, 0.4, 0.3, 0.2, 0.1]
            with pytest.raises(StopAsyncIteration):
                await anext(stream)
        assert set(pool.owners) == {"ann"}

    run(tmp_path, Thinker, happen)


def test_a_request_is_repeated_until_a_process_heeds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when it comes while a worker that has just started takes over the bots."""
    monkeypatch.setattr(repeated_notes, "REPEAT_SECONDS", 0.01)

    async def happen(platform: Platform, pool: Thinker) -> None:
        with monkeypatch.context() as nobody:
            nobody.setattr(platform.cluster, "has", lambda *_: False)
            reader = asyncio.create_task(ask(platform))
            await settled()
            await platform.bus.drain()
            assert pool.stages == []
        for _ in range(STAGES):
            pool.may_go_on.release()
        assert [opinion.stage for opinion in await reader] == list(range(1, STAGES + 1))
        assert pool.stages == list(range(STAGES))

    run(tmp_path, Thinker, happen)


def test_the_search_stops_when_nobody_waits_for_more(tmp_path: Path) -> None:
    async def happen(platform: Platform, pool: Thinker) -> None:
        pool.may_go_on.release()
        async with aclosing(platform.opinions.stream("checkers", START, "ann")) as stream:
            await anext(stream)
        await platform.bus.drain()
        await settled()
        for _ in range(STAGES):
            pool.may_go_on.release()
        await settled()
        assert len(pool.stages) <= 2

    run(tmp_path, Thinker, happen)


def test_a_reader_who_leaves_before_the_first_opinion_frees_the_place(tmp_path: Path) -> None:
    async def happen(platform: Platform, pool: Thinker) -> None:
        for _ in range(3 * opinions.MAX_OWN):
            reader = asyncio.create_task(ask(platform))
            await settled()
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
        await platform.bus.drain()
        assert len(pool.stages) == 3 * opinions.MAX_OWN

    run(tmp_path, Thinker, happen)


def test_one_owner_looks_at_few_positions_at_a_time_and_another_is_not_held_up(tmp_path: Path) -> None:
    async def happen(platform: Platform, pool: Thinker) -> None:
        readers = [asyncio.create_task(ask(platform)) for _ in range(opinions.MAX_OWN)]
        await settled()
        with pytest.raises(Busy):
            await ask(platform)
        other = asyncio.create_task(ask(platform, "ben"))
        await settled()
        for _ in range(STAGES * (opinions.MAX_OWN + 1)):
            pool.may_go_on.release()
        assert all(len(found) == STAGES for found in await asyncio.gather(other, *readers))

    run(tmp_path, Thinker, happen)


def test_a_position_that_was_looked_at_costs_nothing_again(tmp_path: Path) -> None:
    async def happen(platform: Platform, pool: Thinker) -> None:
        for _ in range(STAGES):
            pool.may_go_on.release()
        first = await ask(platform)
        again = await ask(platform, "ben")
        assert again == first[-1:]
        assert len(pool.stages) == STAGES

    run(tmp_path, Thinker, happen)


def test_an_engine_that_fails_is_an_error_and_not_a_wait(tmp_path: Path) -> None:
    async def happen(platform: Platform, pool: Thinker) -> None:
        pool.may_go_on.release()
        with pytest.raises(EngineFailed):
            await ask(platform)

    run(tmp_path, lambda: Thinker(failures=1), happen)


def test_a_finished_game_needs_one_look(tmp_path: Path) -> None:
    async def happen(platform: Platform, pool: Thinker) -> None:
        pool.may_go_on.release()
        [opinion] = await ask(platform, position="B:W21:B")
        assert (opinion.lines, opinion.stages) == ((), 1)

    run(tmp_path, Thinker, happen)


def test_an_opinion_fits_into_a_note() -> None:
    cube = CubeEquities(0.1, 0.2, 1.0, (0.5, 0.1, 0.0, 0.1, 0.0))
    line = OpinionLine("24/18 13/11", 0.25, False, (0.5, 0.1, 0.0, 0.1, 0.0), ("24/18 13/11",))
    opinion = Opinion(1, 3, 2, (line,) * 5, cube)
    assert read(write(opinion)) == opinion
    with_beavers = opinion._replace(cube=cube._replace(double_beaver=0.4))
    assert read(write(with_beavers)) == with_beavers
    window = CubeWindow(0.2, 0.25, 0.2, 0.7, None, None, 0.3, 0.5)
    with_window = opinion._replace(window=window, effective_pips=(43.38, None))
    assert read(write(with_window)) == with_window
    long = opinion._replace(lines=(line._replace(moves=("x" * 400,)),) * 5)
    assert read(write(long)) == opinion._replace(lines=(line._replace(moves=()),) * 5)
    assert write(opinion._replace(lines=(line._replace(move="x" * 800),) * 5)) == ""


def test_the_opinion_of_a_process_of_an_older_version_can_be_read() -> None:
    assert read("[1,3,2,[],[0.1,0.2,1.0,[0.5]]]") == Opinion(1, 3, 2, (), CubeEquities(0.1, 0.2, 1.0, (0.5,)))


def test_a_move_is_worth_what_it_leaves_the_opponent(tmp_path: Path) -> None:
    rules = GAMES["checkers"]

    async def value(platform: Platform, position: str, move: str) -> float:
        before = rules.notation.read_position(position)
        return await platform.opinions.value_of(rules, before, rules.notation.read_move(before, move), "ann")

    async def happen(platform: Platform, pool: Thinker) -> None:
        for _ in range(STAGES - 1):  # the last one searches more than an analysis, so it isn't waited for
            pool.may_go_on.release()
        assert await value(platform, START, "11-15") == -0.5
        assert await value(platform, "B:W14:B10", "10x17") == 1.0

    run(tmp_path, Thinker, happen)


def test_before_a_roll_a_position_is_judged_for_the_player_who_rolls(tmp_path: Path) -> None:
    rules = GAMES["backgammon"]
    before = rules.notation.read_position("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    move = rules.notation.read_move(before, "8/5 6/5")
    assert decider(rules, before) is Player.FIRST
    assert decider(rules, rules.play(before, move)) is Player.SECOND
