"""Requests that wait cost a future and a timer, and are all answered."""

from __future__ import annotations

import asyncio

import pytest

from ludus.server.arena.waiting import Waiting

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def asleep(waiting: Waiting, *matches: str, seconds: float = 60) -> list[asyncio.Task[None]]:
    tasks = [asyncio.create_task(waiting.sleep(match, seconds)) for match in matches]
    await asyncio.sleep(0)
    assert len(waiting) == len(matches)
    return tasks


async def test_those_of_one_match_are_woken_together_and_nobody_else() -> None:
    waiting = Waiting()
    one, two, other = await asleep(waiting, "a", "a", "b")
    waiting.wake("a")
    await asyncio.gather(one, two)
    assert not other.done() and len(waiting) == 1
    waiting.wake("b")
    await other
    assert len(waiting) == 0


async def test_the_time_runs_out() -> None:
    waiting = Waiting()
    await waiting.sleep("a", 0.001)
    assert len(waiting) == 0


async def test_one_who_hangs_up_is_forgotten() -> None:
    waiting = Waiting()
    one, two = await asleep(waiting, "a", "a")
    one.cancel()
    await asyncio.gather(one, return_exceptions=True)
    assert len(waiting) == 1
    waiting.wake("a")
    await two


async def test_waking_twice_or_where_nobody_sleeps_is_harmless() -> None:
    waiting = Waiting()
    (one,) = await asleep(waiting, "a")
    waiting.wake("a")
    waiting.wake("a")
    waiting.wake("b")
    await one


async def test_one_may_sleep_again_as_soon_as_woken() -> None:
    waiting = Waiting()

    async def twice() -> None:
        await waiting.sleep("a", 60)
        await waiting.sleep("a", 60)

    task = asyncio.create_task(twice())
    for _ in range(2):
        await asyncio.sleep(0)
        waiting.wake("a")
        await asyncio.sleep(0)
    await task
    assert len(waiting) == 0


async def test_everybody_is_woken_for_good() -> None:
    waiting = Waiting()
    tasks = await asleep(waiting, *map(str, range(1000)))
    waiting.wake_all()
    await asyncio.gather(*tasks)
    assert waiting.is_over and len(waiting) == 0
