"""Requests that wait cost a future and a timer, and are all answered."""

from __future__ import annotations

import asyncio

import pytest

from ludus.server.arena.waiting import MOST_HELD, Waiting

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def asleep(waiting: Waiting, *matches: str, seconds: float = 60) -> list[asyncio.Task[bool]]:
    tasks = [asyncio.create_task(waiting.sleep(match, seconds, match)) for match in matches]
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
    await waiting.sleep("a", 0.001, "ann")
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
        await waiting.sleep("a", 60, "ann")
        await waiting.sleep("a", 60, "ann")

    task = asyncio.create_task(twice())
    for _ in range(2):
        await asyncio.sleep(0)
        waiting.wake("a")
        await asyncio.sleep(0)
    await task
    assert len(waiting) == 0


async def test_an_agent_that_waits_in_too_many_requests_has_the_oldest_answered() -> None:
    waiting = Waiting()
    tasks = [asyncio.create_task(waiting.sleep(f"m{number}", 60, "ann")) for number in range(MOST_HELD + 3)]
    other = asyncio.create_task(waiting.sleep("m0", 60, "ben"))
    done, _ = await asyncio.wait(tasks, timeout=0.05)
    assert done == set(tasks[:3]) and not any(task.result() for task in done)
    assert len(waiting) == MOST_HELD + 1 and not other.done()
    waiting.wake_all()
    assert all(await asyncio.gather(*tasks[3:], other))
    assert len(waiting) == 0


async def test_everybody_is_woken_for_good() -> None:
    waiting = Waiting()
    tasks = await asleep(waiting, *map(str, range(1000)))
    waiting.wake_all()
    await asyncio.gather(*tasks)
    assert waiting.is_over and len(waiting) == 0
