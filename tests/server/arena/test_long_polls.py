"""Requests that wait cost a future and a timer, and are all answered."""

from __future__ import annotations

import asyncio

import pytest

from ludus.server.arena.long_polls import MOST_HELD, LongPolls

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def asleep(polls: LongPolls, *matches: str, seconds: float = 60) -> list[asyncio.Task[bool]]:
    tasks = [asyncio.create_task(polls.wait(match, seconds, match)) for match in matches]
    await asyncio.sleep(0)
    assert len(polls) == len(matches)
    return tasks


async def test_waiters_of_one_match_are_woken_together_and_no_others() -> None:
    polls = LongPolls()
    one, two, other = await asleep(polls, "a", "a", "b")
    polls.wake("a")
    await asyncio.gather(one, two)
    assert not other.done() and len(polls) == 1
    polls.wake("b")
    await other
    assert len(polls) == 0


async def test_the_time_runs_out() -> None:
    polls = LongPolls()
    await polls.wait("a", 0.001, "ann")
    assert len(polls) == 0


async def test_one_who_hangs_up_is_forgotten() -> None:
    polls = LongPolls()
    one, two = await asleep(polls, "a", "a")
    one.cancel()
    await asyncio.gather(one, return_exceptions=True)
    assert len(polls) == 1
    polls.wake("a")
    await two


async def test_waking_twice_or_without_waiters_is_harmless() -> None:
    polls = LongPolls()
    (one,) = await asleep(polls, "a")
    polls.wake("a")
    polls.wake("a")
    polls.wake("b")
    await one


async def test_one_may_sleep_again_as_soon_as_woken() -> None:
    polls = LongPolls()

    async def twice() -> None:
        await polls.wait("a", 60, "ann")
        await polls.wait("a", 60, "ann")

    task = asyncio.create_task(twice())
    for _ in range(2):
        await asyncio.sleep(0)
        polls.wake("a")
        await asyncio.sleep(0)
    await task
    assert len(polls) == 0


async def test_an_agent_that_waits_in_too_many_requests_has_the_oldest_answered() -> None:
    polls = LongPolls()
    tasks = [asyncio.create_task(polls.wait(f"m{number}", 60, "ann")) for number in range(MOST_HELD + 3)]
    other = asyncio.create_task(polls.wait("m0", 60, "ben"))
    done, _ = await asyncio.wait(tasks, timeout=0.05)
    assert done == set(tasks[:3]) and not any(task.result() for task in done)
    assert len(polls) == MOST_HELD + 1 and not other.done()
    polls.wake_all()
    assert all(await asyncio.gather(*tasks[3:], other))
    assert len(polls) == 0


async def test_everybody_is_woken_for_good() -> None:
    polls = LongPolls()
    tasks = await asleep(polls, *map(str, range(1000)))
    polls.wake_all()
    await asyncio.gather(*tasks)
    assert polls.is_stopping and len(polls) == 0
