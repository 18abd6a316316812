"""Bots in real worker processes, which are killed now and then."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ludus.core.errors import UnknownOption
from ludus.core.game import Game
from ludus.engines.levels import LEVELS
from ludus.games import GAMES
from ludus.games.backgammon.position import Roll
from ludus.games.checkers.position import Move
from ludus.service.engine_pool import FIRST_GUESS, EngineFailed, EnginePool, choose

pytestmark = pytest.mark.slow

CHECKERS = GAMES["checkers"].variants["standard"]
BACKGAMMON = GAMES["backgammon"].play(GAMES["backgammon"].variants["standard"], Roll(6, 4))
POSITIONS = {"checkers": CHECKERS, "backgammon": BACKGAMMON}


@asynccontextmanager
async def working(workers: int = 1) -> AsyncIterator[EnginePool]:
    engine_pool = EnginePool(workers)
    await engine_pool.start()
    try:
        yield engine_pool
    finally:
        await engine_pool.stop()


def workers() -> set[int]:
    return {child.pid for child in multiprocessing.active_children() if child.pid}


async def new_worker(before: set[int]) -> int:
    while not (started := workers() - before):
        await asyncio.sleep(0)
    return started.pop()


def test_a_search_that_would_take_too_long_is_cut_short_and_not_measured() -> None:
    async def run() -> None:
        async with working() as engine_pool:
            engine_pool._seconds["checkers", "hard"] = 1000.0
            move = await engine_pool.choose("checkers", CHECKERS, "hard", 1, seconds=0.05)
            assert move in GAMES["checkers"].moves(CHECKERS)
            assert engine_pool.expected_seconds("checkers", "hard") == 1000.0
            assert engine_pool.expected_seconds("checkers", "hard, short") != FIRST_GUESS

    asyncio.run(run())


def test_a_worker_chooses_what_the_same_seed_chooses_here() -> None:
    async def run() -> None:
        async with working() as engine_pool:
            for game, position in POSITIONS.items():
                for level in LEVELS:
                    move = await engine_pool.choose(game, position, level, 5)
                    assert move == choose(game, position, level, 5)
                    assert type(move) in (type(legal) for legal in GAMES[game].moves(position))

    asyncio.run(run())


def test_the_positions_before_travel_with_the_question() -> None:
    game = Game(GAMES["checkers"], start=GAMES["checkers"].notation.read_position("B:WK28,K32:BK18,K23,K10"))

    async def run() -> None:
        async with working() as engine_pool:
            first = await engine_pool.choose("checkers", game.position, "hard", 1)
            back = Move(first.path[::-1])
            for _ in range(2):
                for move in (first, "28-24", back, "24-28"):
                    game.play(move)
            *past, now = game.positions
            assert await engine_pool.choose("checkers", now, "hard", 1, past) != first

    asyncio.run(run())


def test_no_worker_runs_before_it_is_needed_nor_after_the_end() -> None:
    async def run() -> None:
        before = workers()
        async with working(workers=2) as engine_pool:
            assert not workers() - before
            await engine_pool.choose("checkers", CHECKERS, "easy", 1)
            assert len(workers() - before) == 1
        assert not workers() - before

    asyncio.run(run())


def test_more_bots_than_workers_are_all_answered() -> None:
    async def run() -> list[Any]:
        async with working() as engine_pool:
            return await asyncio.gather(*(engine_pool.choose("checkers", CHECKERS, "easy", seed) for seed in range(8)))

    assert asyncio.run(run()) == [choose("checkers", CHECKERS, "easy", seed) for seed in range(8)]


def test_a_worker_killed_while_it_thinks_is_replaced_and_the_move_comes() -> None:
    async def run() -> None:
        before = workers()
        async with working() as engine_pool:
            choosing = asyncio.create_task(engine_pool.choose("checkers", CHECKERS, "hard", 3))
            killed = await new_worker(before)
            os.kill(killed, signal.SIGKILL)
            assert await choosing == choose("checkers", CHECKERS, "hard", 3)
            assert killed not in workers()

    asyncio.run(run())


def test_a_worker_killed_while_it_waits_is_replaced() -> None:
    async def run() -> None:
        before = workers()
        async with working() as engine_pool:
            await engine_pool.choose("checkers", CHECKERS, "easy", 1)
            os.kill((workers() - before).pop(), signal.SIGKILL)
            assert await engine_pool.choose("checkers", CHECKERS, "easy", 2) == choose("checkers", CHECKERS, "easy", 2)

    asyncio.run(run())


class Poison:
    """A position that ends the process it is sent to."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


def test_a_move_that_kills_two_workers_is_given_up_and_the_next_is_not() -> None:
    async def run() -> None:
        async with working() as engine_pool:
            with pytest.raises(EngineFailed, match="died 2 times") as failure:
                await engine_pool.choose("checkers", Poison(), "easy", 1)
            assert failure.value.code == "engine_failed"
            assert await engine_pool.choose("checkers", CHECKERS, "easy", 2) == choose("checkers", CHECKERS, "easy", 2)

    asyncio.run(run())


def test_ctrl_c_does_not_reach_a_worker() -> None:
    async def run() -> None:
        async with working() as engine_pool:
            (worker,) = engine_pool._workers
            assert await worker.call(signal.getsignal, signal.SIGINT) == signal.SIG_IGN

    ours = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background may have it ignored
    try:
        asyncio.run(run())
    finally:
        signal.signal(signal.SIGINT, ours)


def test_searches_get_the_cpu_that_the_server_leaves() -> None:
    async def run() -> None:
        async with working() as engine_pool:
            (worker,) = engine_pool._workers
            assert await worker.call(os.nice, 0) == min(19, os.nice(0) + 10)

    asyncio.run(run())


def test_what_the_engine_raises_comes_through_and_the_worker_lives() -> None:
    async def run() -> None:
        before = workers()
        async with working() as engine_pool:
            await engine_pool.choose("checkers", CHECKERS, "easy", 1)
            worker = workers() - before
            with pytest.raises(UnknownOption, match="no bot 'easy' at chess"):
                await engine_pool.choose("chess", CHECKERS, "easy", 1)
            with pytest.raises(
                UnknownOption,
                match="no bot 'cruel' at checkers; there are beginner, novice, easy, steady, medium, hard",
            ):
                await engine_pool.choose("checkers", CHECKERS, "cruel", 1)
            await engine_pool.choose("checkers", CHECKERS, "easy", 1)
            assert workers() - before == worker

    asyncio.run(run())


def test_a_stopped_pool_refuses_searches() -> None:
    async def run() -> None:
        engine_pool = EnginePool(1)
        with pytest.raises(EngineFailed, match="is stopped"):
            await engine_pool.choose("checkers", CHECKERS, "easy", 1)
        await engine_pool.start()
        await engine_pool.stop()
        await engine_pool.stop()
        with pytest.raises(EngineFailed, match="is stopped"):
            await engine_pool.choose("checkers", CHECKERS, "easy", 1)

    asyncio.run(run())


SERVER = """
import asyncio, multiprocessing
from ludus.core.game import Game
from ludus.games import GAMES
from ludus.service.engine_pool import EnginePool

async def serve():
    engine_pool = EnginePool(1)
    await engine_pool.start()
    await engine_pool.choose("checkers", GAMES["checkers"].variants["standard"], "easy", 1)
    print(multiprocessing.active_children()[0].pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(serve())
"""


def test_workers_of_a_killed_server_end_too() -> None:
    """They hold its output open: it ends with the last of them."""
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        worker = int(server.stdout.readline())
        server.kill()
        try:
            assert server.communicate(timeout=60)[0] == ""
        except subprocess.TimeoutExpired:
            os.kill(worker, signal.SIGKILL)
            raise


RUNAWAY = """
from ludus.service import engine_pool as engine_pool

class Lost:
    def choose(self, *question):
        while True:
            pass

engine_pool.CPU_SECONDS = 0.05
engine_pool._player = lambda *_: Lost()
engine_pool.choose("checkers", None, "hard", 1)
"""


def test_a_search_without_end_ends_its_worker() -> None:
    assert subprocess.run([sys.executable, "-c", RUNAWAY], check=False).returncode == -signal.SIGVTALRM
    choose("checkers", CHECKERS, "easy", 1)
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)
