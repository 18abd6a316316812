from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.service.fair_queue import FairQueue

Request = tuple[str, float]
LONG, SHORT = 0.5, 0.01


async def order_of(requests: Iterable[Request]) -> list[Request]:
    """The order in which one worker serves requests that all came while it was busy."""
    queue: FairQueue[str] = FairQueue()
    served: list[Request] = []

    async def work(request: Request) -> None:
        item = await queue.get(*request)
        served.append(request)
        queue.put(item)

    tasks = [asyncio.create_task(work(request)) for request in requests]
    await asyncio.sleep(0)
    queue.put("worker")
    await asyncio.gather(*tasks)
    return served


def served(requests: Iterable[Request]) -> list[Request]:
    return asyncio.run(order_of(requests))


def test_the_request_of_an_idle_owner_is_served_next_however_many_another_has() -> None:
    assert served([("crowd", SHORT)] * 60 + [("ann", SHORT)]).index(("ann", SHORT)) == 1


def test_short_work_comes_before_the_long_work_of_many_owners() -> None:
    many = [(f"owner {number}", LONG) for number in range(50)]
    assert served([*many, ("ann", SHORT)])[0] == ("ann", SHORT)


def test_owners_with_equal_work_take_turns() -> None:
    assert "".join(owner for owner, _ in served([("a", 1.0)] * 3 + [("b", 1.0)] * 3)) == "ababab"


def test_one_owner_s_requests_keep_their_order() -> None:
    assert served([("a", LONG), ("a", SHORT), ("a", LONG)]) == [("a", LONG), ("a", SHORT), ("a", LONG)]


def test_long_work_is_not_starved_by_an_endless_stream_of_short_work_of_new_owners() -> None:
    async def tell() -> int:
        queue: FairQueue[str] = FairQueue()
        long = asyncio.create_task(queue.get("ann", LONG))
        await asyncio.sleep(0)
        for number in range(10_000):
            short = asyncio.create_task(queue.get(f"owner {number}", SHORT))
            await asyncio.sleep(0)
            queue.put("worker")
            await asyncio.wait({long, short}, return_when=asyncio.FIRST_COMPLETED)
            if long.done():
                short.cancel()
                return number
        raise AssertionError("it was starved")

    assert asyncio.run(tell()) <= 2 * LONG / SHORT


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from([SHORT, LONG])), max_size=40))
def test_every_request_is_served_once(requests: list[Request]) -> None:
    assert Counter(served(requests)) == Counter(requests)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=6))
def test_while_all_wait_no_owner_is_served_more_than_one_request_ahead_of_another(numbers: Sequence[int]) -> None:
    """For requests of equal cost."""
    requests = [(str(owner), 1.0) for owner, number in enumerate(numbers) for _ in range(number)]
    done: Counter[str] = Counter()
    for owner, _ in served(requests):
        done[owner] += 1
        waiting = [str(each) for each, number in enumerate(numbers) if done[str(each)] < number]
        assert all(done[owner] - done[other] <= 1 for other in waiting)


def test_nobody_waits_while_there_is_an_item() -> None:
    async def tell() -> None:
        queue: FairQueue[int] = FairQueue()
        for number in (1, 2):
            queue.put(number)
        assert [await queue.get("a", 9.0), await queue.get("a", 9.0)] == [2, 1]
        assert len(queue) == 0

    asyncio.run(tell())


@pytest.mark.parametrize("is_served", [False, True])
def test_a_request_that_is_cancelled_keeps_no_item(is_served: bool) -> None:
    async def tell() -> None:
        queue: FairQueue[str] = FairQueue()
        first, second = (asyncio.create_task(queue.get(owner, 1.0)) for owner in "ab")
        await asyncio.sleep(0)
        if is_served:
            queue.put("worker")
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        if not is_served:
            queue.put("worker")
        assert first.cancelled()
        assert await second == "worker"
        assert len(queue) == 0

    asyncio.run(tell())
