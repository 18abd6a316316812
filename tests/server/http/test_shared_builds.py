"""What many ask for is built for a few of them, and shared by the others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from ludus.server.http.shared_builds import PER_SECOND, BuiltOnce, SharedBuilds


class Clock:
    def __init__(self) -> None:
        self.seconds = 5.0

    def __call__(self) -> float:
        return self.seconds


class List:
    """Counts how often it was built."""

    def __init__(self) -> None:
        self.builds = 0
        self.is_ready = asyncio.Event()
        self.is_ready.set()

    async def build(self) -> bytes:
        self.builds += 1
        await self.is_ready.wait()
        return str(self.builds).encode()


def run(scenario: Callable[[SharedBuilds, Clock, List], Awaitable[None]]) -> None:
    async def go() -> None:
        clock = Clock()
        await scenario(SharedBuilds(clock), clock, List())

    asyncio.run(go())


def test_a_list_is_built_a_few_times_a_second_however_many_ask() -> None:
    async def scenario(shared: SharedBuilds, clock: Clock, listed: List) -> None:
        answers = [await shared.get("key", listed.build) for _ in range(100)]
        assert listed.builds == PER_SECOND
        assert [answer.content for answer in answers[:PER_SECOND]] == [b"1", b"2", b"3", b"4"]
        assert {answer.content for answer in answers[PER_SECOND:]} == {b"4"}
        clock.seconds += 1
        assert (await shared.get("key", listed.build)).content == b"5"

    run(scenario)


def test_those_who_ask_at_once_share_one_build() -> None:
    async def scenario(shared: SharedBuilds, _: Clock, listed: List) -> None:
        listed.is_ready.clear()
        asked = [asyncio.ensure_future(shared.get("key", listed.build)) for _ in range(50)]
        await asyncio.sleep(0)
        asked[0].cancel()  # the others still get theirs
        listed.is_ready.set()
        answers = await asyncio.gather(*asked[1:])
        assert listed.builds == 1 and {answer.content for answer in answers} == {b"1"}

    run(scenario)


def test_other_keys_are_other_lists() -> None:
    async def scenario(shared: SharedBuilds, _: Clock, listed: List) -> None:
        answers = [await shared.get(key, listed.build) for key in ("a", "b")]
        assert [answer.content for answer in answers] == [b"1", b"2"]
        assert answers[0].etag != answers[1].etag

    run(scenario)


def test_an_error_is_not_kept() -> None:
    async def scenario(shared: SharedBuilds, _: Clock, listed: List) -> None:
        async def fail() -> bytes:
            raise ValueError("no database")

        for _attempt in range(10):
            with pytest.raises(ValueError, match="no database"):
                await shared.get("key", fail)
        assert (await shared.get("key", listed.build)).content == b"1"

    run(scenario)


def test_a_document_is_built_once_and_not_on_the_event_loop() -> None:
    threads: list[threading.Thread] = []

    def build(key: str) -> bytes:
        threads.append(threading.current_thread())
        if len(threads) == 1:
            raise OSError("not this time")
        return key.encode()

    async def go() -> None:
        built = BuiltOnce(build, most=2)
        with pytest.raises(OSError, match="not this time"):
            await built.get("a")
        answers = await asyncio.gather(*[built.get("a") for _ in range(100)])
        assert {answer.content for answer in answers} == {b"a"} and len(threads) == 2
        assert [(await built.get(key)).content for key in ("b", "c", "c", "b")] == [b"b", b"c", b"c", b"b"]
        assert len(threads) == 4
        assert (await built.get("a")).content == b"a"
        assert len(threads) == 5  # there is room for two

    asyncio.run(go())
    assert threading.main_thread() not in threads
