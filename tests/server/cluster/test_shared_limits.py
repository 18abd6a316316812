"""Limits of two processes that compare their counts in a real Redis."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from math import ceil

import pytest
from tests.redis_server import RedisServer, redis_server

from ludus.bus.redis import Connection, connections
from ludus.server.cluster import shared_limits
from ludus.server.cluster.shared_limits import CURRENT_SECONDS, MOST_AT_ONCE, OPEN_SECONDS, RECHECKS, SharedLimits
from ludus.server.http.rate_limit import CLOSE, RequestLimit, SocketCount

pytestmark = pytest.mark.slow

LIMIT = 10
ANN = "203.0.113.5"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture(autouse=True)
def empty(redis: RedisServer) -> None:
    redis.flush()


class Process:
    """One process's limits: requests in a minute, and things that are open."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.shared = SharedLimits(
            cluster.redis.url, name, lambda: cluster.members, name="test", secret=b"s", clock=lambda: cluster.now
        )
        self.requests = RequestLimit(LIMIT, lambda: cluster.now)
        self.open = SocketCount(LIMIT)
        self.shared.share("requests", self.requests)
        self.shared.share("open", self.open)
        self.connection: Connection = connections(cluster.redis.url)()

    async def compare(self) -> None:
        await self.shared.compare(self.connection)

    def hits(self, number: int, who: str = ANN) -> int:
        """How many of so many requests are let in."""
        return sum(self.requests.hit(who).allowed for _ in range(number))

    def enters(self, number: int, who: str = ANN) -> int:
        return sum(self.open.enter(who) for _ in range(number))


class Cluster:
    def __init__(self, redis: RedisServer) -> None:
        self.redis = redis
        self.now = 1000.0
        self.members = ["one", "two"]
        self.one, self.two = Process(self, "one"), Process(self, "two")

    async def compare(self) -> None:
        """Twice, so that each knows of what the other has said."""
        for process in (self.one, self.two, self.one, self.two):
            await process.compare()


def script(run: Callable[[Cluster], Awaitable[None]]) -> Callable[[RedisServer], None]:
    async def go(redis: RedisServer) -> None:
        cluster = Cluster(redis)
        for process in (cluster.one, cluster.two):
            await process.connection.connect()
        try:
            await cluster.compare()
            await run(cluster)
        finally:
            for process in (cluster.one, cluster.two):
                await process.connection.disconnect()

    def test(redis: RedisServer) -> None:
        asyncio.run(go(redis))

    return test


@script
async def test_a_client_that_alternates_gets_its_limit_once(cluster: Cluster) -> None:
    let_in = 0
    for _ in range(LIMIT):
        for process in (cluster.one, cluster.two):
            let_in += process.hits(1)
            await process.compare()
    assert let_in == LIMIT + 1  # for each process but one, the request after which it asks what the others have counted


@script
async def test_what_arrives_between_two_comparisons_is_judged_by_the_last_one(cluster: Cluster) -> None:
    assert cluster.one.hits(LIMIT + 5) + cluster.two.hits(LIMIT + 5) == 2 * LIMIT
    await cluster.compare()
    assert cluster.one.hits(5) + cluster.two.hits(5) == 0


@script
async def test_who_has_nearly_used_a_limit_up_is_compared_sooner(cluster: Cluster) -> None:
    shared, most = cluster.one.shared, ceil(CLOSE * LIMIT)
    for hits, is_close in ((most - 1, False), (1, True), (LIMIT - most, False)):
        cluster.one.hits(hits)
        await cluster.one.compare()
        assert shared._is_close is is_close
    cluster.two.hits(1)
    await cluster.two.compare()
    assert not cluster.two.shared._is_close  # what the other has let in counts as well


@script
async def test_the_others_hits_are_part_of_the_quota(cluster: Cluster) -> None:
    cluster.one.hits(4)
    cluster.two.hits(3)
    await cluster.compare()
    assert cluster.two.requests.hit(ANN).remaining == LIMIT - 8


@script
async def test_a_window_ends_for_all_processes_when_it_ends_for_the_first(cluster: Cluster) -> None:
    cluster.one.hits(LIMIT)
    await cluster.one.compare()
    cluster.now += 20  # for the processes; Redis has a clock of its own
    cluster.redis.ask(f"PEXPIRE {key_of(cluster, 'requests')} 40000")
    cluster.two.hits(1)
    await cluster.two.compare()
    refused = cluster.two.requests.hit(ANN)
    assert not refused.allowed and 30 <= refused.retry_after <= 40
    cluster.now += 41
    cluster.redis.ask(f"DEL {key_of(cluster, 'requests')}")
    assert cluster.one.hits(1) == cluster.two.hits(1) == 1


@script
async def test_a_count_always_expires(cluster: Cluster) -> None:
    key = key_of(cluster, "requests")
    cluster.redis.ask(f"SET {key} {LIMIT - 1}")  # as if it had expired just before it was added to
    cluster.one.hits(1)
    await cluster.one.compare()
    assert 0 < int(cluster.redis.ask(f"PTTL {key}").strip(b":\r\n")) <= cluster.one.requests.seconds * 1000
    assert cluster.one.hits(1) == 0


@script
async def test_what_is_taken_back_is_taken_back_for_all(cluster: Cluster) -> None:
    cluster.one.hits(LIMIT)
    await cluster.one.compare()
    cluster.one.requests.take_back(ANN)
    await cluster.one.compare()
    assert cluster.two.hits(1) == 1
    await cluster.two.compare()
    assert cluster.two.hits(1) == 0


@script
async def test_clients_and_limits_are_counted_apart(cluster: Cluster) -> None:
    cluster.one.hits(LIMIT)
    await cluster.compare()
    assert cluster.two.hits(LIMIT, "other") == LIMIT
    assert cluster.two.enters(LIMIT) == LIMIT


@script
async def test_what_is_open_at_the_other_process_counts(cluster: Cluster) -> None:
    assert cluster.one.enters(6) + cluster.two.enters(1) == 7
    await cluster.compare()
    assert cluster.two.enters(LIMIT) == 3
    cluster.one.open.leave(ANN)
    await cluster.compare()
    assert cluster.two.enters(LIMIT) == 1


@script
async def test_one_that_was_refused_is_let_in_when_the_others_have_room(cluster: Cluster) -> None:
    cluster.one.enters(LIMIT - 1)
    cluster.two.enters(1)
    await cluster.compare()
    assert cluster.two.enters(1) == 0
    await cluster.two.compare()
    for _ in range(LIMIT - 1):
        cluster.one.open.leave(ANN)
    await cluster.one.compare()
    assert cluster.two.enters(1) == 0  # but it is compared again
    await cluster.two.compare()
    assert cluster.two.enters(1) == 1


@script
async def test_a_process_that_has_died_has_nothing_open(cluster: Cluster) -> None:
    cluster.one.enters(LIMIT)
    cluster.two.enters(1)
    await cluster.compare()
    assert cluster.two.enters(1) == 0
    cluster.members.remove("one")
    await cluster.two.compare()
    assert cluster.two.enters(1) == 1


@script
async def test_what_stays_open_is_said_again_before_it_expires(cluster: Cluster) -> None:
    cluster.one.enters(3)
    await cluster.one.compare()
    key = f"{key_of(cluster, 'open')}:one"
    cluster.redis.ask(f"PEXPIRE {key} 1000")
    await cluster.one.compare()
    assert int(cluster.redis.ask(f"PTTL {key}").strip(b":\r\n")) <= 1000
    cluster.now += OPEN_SECONDS / 3
    await cluster.one.compare()
    assert int(cluster.redis.ask(f"PTTL {key}").strip(b":\r\n")) > 1000


@script
async def test_an_address_without_anything_open_is_forgotten(cluster: Cluster) -> None:
    cluster.one.enters(1)
    cluster.two.enters(1)
    await cluster.compare()
    cluster.one.open.leave(ANN)
    await cluster.one.compare()
    assert not cluster.one.open.others and cluster.redis.ask(f"EXISTS {key_of(cluster, 'open')}:one") == b":0\r\n"


@script
async def test_without_redis_each_process_lets_in_its_part(cluster: Cluster) -> None:
    cluster.now += CURRENT_SECONDS
    assert (cluster.one.hits(LIMIT), cluster.two.hits(LIMIT)) == (LIMIT // 2, LIMIT // 2)
    assert (cluster.one.enters(LIMIT), cluster.two.enters(LIMIT)) == (LIMIT // 2, LIMIT // 2)
    cluster.members += [f"other-{number}" for number in range(100)]
    assert cluster.one.hits(5, "other") == cluster.one.enters(5, "other") == 1


@script
async def test_what_was_counted_without_redis_is_known_when_it_is_back(cluster: Cluster) -> None:
    cluster.now += CURRENT_SECONDS
    cluster.one.hits(4)
    cluster.two.hits(4)
    for process in (cluster.one, cluster.two):
        process.shared._rechecks = RECHECKS  # as after a failure
    await cluster.compare()
    assert cluster.one.hits(LIMIT) == 2
    await cluster.compare()
    assert cluster.two.hits(LIMIT) == 0


@script
async def test_a_redis_that_was_flushed_gets_all_counts_again(cluster: Cluster) -> None:
    cluster.one.hits(4)
    cluster.two.hits(4)
    cluster.one.enters(4)
    cluster.two.enters(4)
    await cluster.compare()
    cluster.redis.flush()
    await cluster.compare()
    await cluster.compare()
    assert cluster.one.hits(LIMIT) == cluster.one.enters(LIMIT) == 2


@script
async def test_nothing_in_redis_tells_who_a_client_is(cluster: Cluster) -> None:
    cluster.one.hits(1)
    cluster.one.enters(1)
    await cluster.compare()
    assert ANN.encode() not in cluster.redis.ask("KEYS *")


@script
async def test_a_flood_of_clients_is_compared_in_parts(cluster: Cluster) -> None:
    for number in range(MOST_AT_ONCE + 1):
        cluster.one.hits(1, str(number))
    await cluster.one.compare()
    first = sum(window.sent for window in cluster.one.requests.windows.values())
    await cluster.one.compare()
    assert (first, sum(window.sent for window in cluster.one.requests.windows.values())) == (1000, 1001)


def key_of(cluster: Cluster, name: str) -> str:
    return cluster.one.shared._key(name, ANN).decode()


async def until(found: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not found():
            await asyncio.sleep(0.005)


def test_it_goes_on_by_itself_through_everything_that_can_happen_to_redis(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shared_limits, "ANSWER_SECONDS", 0.2)

    async def go(redis: RedisServer) -> None:
        shared = SharedLimits(redis.url, "one", lambda: ["one", "two"], name="test", secret=b"s")
        limit = RequestLimit(LIMIT, lambda: 1000.0)
        shared.share("requests", limit)
        assert not shared.is_current
        shared.start()
        await until(lambda: shared.is_current)
        for fault, repair in ((redis.freeze, redis.thaw), (redis.kill, redis.start)):
            fault()
            await until(lambda: not shared.is_current)
            assert limit.hit(ANN).allowed
            repair()
            await until(lambda: shared.is_current)
        redis.cut_connections()
        await until(lambda: caplog.text.count("shared again") == 3)
        redis.flush()
        redis.ask(f"SET {shared._key('requests', ANN).decode()} nonsense")
        limit.hit(ANN)
        await until(lambda: "ResponseError" in caplog.text)
        redis.flush()
        await until(lambda: caplog.text.count("shared again") == 4)
        await until(lambda: all(window.sent == window.hits == 3 for window in limit.windows.values()))
        await shared.stop()

    caplog.set_level("INFO")
    with redis_server() as redis:
        asyncio.run(go(redis))
    assert caplog.text.count("limits are shared again") == 4


def test_it_goes_on_after_a_fault_of_its_own(redis: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    faults = [LookupError("on purpose"), AssertionError("on purpose")]

    def fail() -> None:
        if faults:
            raise faults.pop()

    async def go() -> None:
        shared = SharedLimits(redis.url, "one", lambda: ["one"], name="test", secret=b"s")
        shared.on_compared = fail
        shared.start()
        await until(lambda: "shared again" in caplog.text or (shared._task is not None and shared._task.done()))
        await shared.stop()

    caplog.set_level("INFO")
    asyncio.run(go())
    assert not faults
    assert [record.exc_info is not None for record in caplog.records if "not shared" in record.message] == [True]


def test_stopping_never_fails() -> None:
    async def fail() -> None:
        raise LookupError("on purpose")

    async def go() -> None:
        shared = SharedLimits("redis://127.0.0.1:1/0", "one", lambda: ["one"], name="test", secret=b"s")
        shared._task = asyncio.create_task(fail())
        await asyncio.sleep(0)
        await shared.stop()

    asyncio.run(go())
