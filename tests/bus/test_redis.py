"""Processes on one Redis: what one publishes the others hear, and they know when they have not heard everything."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from unittest.mock import Mock

import pytest
from tests.redis_server import RedisServer
from tests.service.platforms import until

from ludus.bus import bus_for
from ludus.bus import redis as redis_bus
from ludus.bus.redis import RedisBus
from ludus.bus.wire import MAX_NOTES, STREAMS, stream_of
from ludus.core.errors import BadInput
from ludus.service.ports.bus import (
    DeadlinesMoved,
    Note,
    PlayerErased,
    PlayerSeated,
    SessionCancelled,
    TableChanged,
    TableRedacted,
)

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

BEACON_SECONDS = 0.05
KEY = b"the key of the platform"


class Member:
    """A process on the bus, with all that it hears and counts."""

    def __init__(self, url: str, name: str) -> None:
        self.name = name
        self.bus = RedisBus(url, str(uuid.uuid4()), name=name, key=KEY, watch=self, beacon_seconds=BEACON_SECONDS)
        self.heard: list[Note] = []
        self.gaps = 0
        """That the bus has reported to the rest of the process."""
        self.counted_gaps = 0
        self.notes: Counter[str] = Counter()
        self.lags: list[float] = []
        self.open = asyncio.Event()
        self.open.set()
        self.bus.subscribe(self._listen)
        self.bus.on_gap.append(self._note_gap)
        self._take = self.bus._take
        self.bus._take = self._take_when_open  # type: ignore[method-assign]  # so that it can stand still

    async def _listen(self, note: Note) -> None:
        self.heard.append(note)

    def _note_gap(self) -> None:
        self.gaps += 1

    async def _take_when_open(self, answer: Any) -> None:
        """A process that stands still reads no more; it has received one answer of Redis at most."""
        await self.open.wait()
        await self._take(answer)

    def bus_notes(self, direction: str, number: int) -> None:
        self.notes[direction] += number

    def bus_lag(self, seconds: float) -> None:
        self.lags.append(seconds)

    def bus_gap(self) -> None:
        self.counted_gaps += 1

    async def connected(self) -> None:
        await until(lambda: self.bus.is_connected)

    async def hears(self, *notes: Note) -> None:
        await until(lambda: set(notes) <= set(self.heard))

    async def publish(self, *notes: Note) -> None:
        """Returns when Redis has them."""
        for note in notes:
            await self.bus.publish(note)
        await self.written()

    async def written(self) -> None:
        await until(lambda: not self.bus._unsent and not self.bus._outgoing)

    async def stand_still(self, other: Member) -> None:
        """Until opened again, reads nothing that is published from now on."""
        self.open.clear()
        beacons = other.bus._own_beacons
        await until(lambda: other.bus._own_beacons > beacons + 2)  # one of them was the answer that it has received


@asynccontextmanager
async def members(server: RedisServer, number: int = 2) -> AsyncIterator[list[Member]]:
    name = str(uuid.uuid4())
    async with AsyncExitStack() as stack:
        found = [Member(server.url, name) for _ in range(number)]
        for member in found:
            await member.bus.start()
            stack.push_async_callback(member.bus.stop)
        for member in found:
            await member.connected()
            assert (member.gaps, member.counted_gaps) == (1, 0)  # what happened before, nobody knows
            member.gaps = 0
        yield found


def moves(table: str, *versions: int) -> list[Note]:
    return [TableChanged(table, version) for version in versions]


async def test_every_kind_of_note_reaches_the_others_in_the_order_of_its_table(redis: RedisServer) -> None:
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    async with members(redis, 3) as (ann, ben, cid):
        at_table: list[Note] = [
            TableChanged("t1", 1),
            PlayerSeated("ann", "t1"),
            TableChanged("t1", 2, trace),
            TableRedacted("t1"),
        ]
        others: list[Note] = [SessionCancelled("s1"), PlayerErased("acme/live/ann")]
        ann.bus.notify(TableChanged("t2", 2))
        await ann.publish(*at_table, *others, DeadlinesMoved())
        for member in (ben, cid):
            await member.hears(*at_table, *others)
            assert [note for note in member.heard if note in at_table] == at_table
            assert len(member.heard) == 6
            assert member.notes == {"received": 6}
            assert member.lags and min(member.lags) >= 0
        await ann.bus.drain()
        assert len(ann.heard) == 8
        assert ann.notes == {"sent": 6}
        assert [member.gaps for member in (ann, ben, cid)] == [0, 0, 0]


async def test_what_is_published_together_is_written_together(redis: RedisServer) -> None:
    async with members(redis) as (ann, ben):
        published = [TableChanged(f"t{number}", 2) for number in range(1000)]
        await ann.publish(*published)
        await ben.hears(*published)
        sizes = [int(redis.ask(f"XLEN {key.decode()}")[1:]) for key in ann.bus._keys[:STREAMS]]
        assert sum(sizes) <= 1000 / MAX_NOTES + 1  # what is published first goes alone
        assert sizes[stream_of(ann.bus._publisher)] == sum(sizes)
        assert ann.notes == {"sent": 1000} and ben.notes == {"received": 1000}


async def test_of_changes_that_wait_only_the_newest_is_sent(redis: RedisServer) -> None:
    async with members(redis) as (ann, ben):
        await ann.publish(*moves("t1", *range(1, 500)))
        await ben.hears(TableChanged("t1", 499))
        assert ben.heard == moves("t1", 1, 499)


async def test_nothing_is_lost_when_connections_are_cut(redis: RedisServer) -> None:
    async with members(redis) as (ann, ben):
        for number in range(10):
            assert redis.cut_connections() > 0
            await asyncio.gather(
                ann.publish(TableChanged(f"a{number}", 2)),
                ben.publish(TableChanged(f"b{number}", 2)),
            )
        await ann.hears(*[TableChanged(f"b{number}", 2) for number in range(10)])
        await ben.hears(*[TableChanged(f"a{number}", 2) for number in range(10)])
        await ann.connected()
        await ben.connected()
        assert [ann.gaps, ben.gaps] == [0, 0]


async def test_a_flush_between_notes_goes_unnoticed(own_redis: RedisServer) -> None:
    async with members(own_redis) as (ann, ben):
        for version in range(2, 8):
            await ann.publish(TableChanged("t1", version))
            await ben.hears(TableChanged("t1", version))
            own_redis.flush()
        beacons = ann.bus._own_beacons
        await until(lambda: ann.bus._own_beacons > beacons + 2)
        assert [ann.gaps, ben.gaps] == [0, 0]
        assert ann.bus.is_connected and ben.bus.is_connected


async def test_notes_that_were_flushed_before_they_were_read_are_missed_by_the_next_beacon(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with members(own_redis) as (ann, ben):
        await ann.publish(TableChanged("t1", 2))
        await ben.hears(TableChanged("t1", 2))
        await ben.stand_still(ann)
        await ann.publish(TableChanged("t1", 3))
        own_redis.flush()
        ben.open.set()
        await until(lambda: ben.gaps == 1)
        assert ben.counted_gaps == 1
        assert ben.heard == [TableChanged("t1", 2)]
        assert "notes of other processes were lost" in caplog.text
        await ann.publish(TableChanged("t1", 4))
        await ben.hears(TableChanged("t1", 4))
        assert (ben.gaps, ann.gaps) == (1, 0)


async def test_notes_that_were_trimmed_before_they_were_read_are_missed(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_bus, "MAX_ENTRIES", 10)
    async with members(own_redis) as (ann, ben):
        await ben.stand_still(ann)
        published = [TableChanged(f"t{number}", 2) for number in range(300)]
        for note in published:
            await ann.publish(note)
        ben.open.set()
        await until(lambda: ben.gaps == 1)
        await ben.hears(published[-1])
        assert ben.gaps == 1
        assert len(ben.heard) < 300


async def test_a_reader_that_was_slow_reads_everything_that_is_still_there(redis: RedisServer) -> None:
    async with members(redis) as (ann, ben):
        await ben.stand_still(ann)
        published = [TableChanged(f"t{number}", 2) for number in range(3 * 250)]
        for note in published:
            await ann.publish(note)
        ben.open.set()
        await ben.hears(*published)
        assert ben.heard == published
        assert ben.gaps == 0


async def test_after_a_restart_of_redis_all_goes_on_by_itself(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with members(own_redis) as (ann, ben):
        await ann.publish(TableChanged("t1", 2))
        await ben.hears(TableChanged("t1", 2))
        with caplog.at_level(logging.WARNING):
            own_redis.kill()
            await until(lambda: not ann.bus.is_connected and not ben.bus.is_connected)
            await ann.bus.publish(TableChanged("t1", 3))
            await ann.bus.drain()
            assert ann.heard[-1] == TableChanged("t1", 3)  # those here don't need Redis
            own_redis.start()
            await ben.hears(TableChanged("t1", 3))
            await ann.connected()
            await ben.connected()
        assert [ann.gaps, ben.gaps] == [0, 0]
        lines = [record.getMessage().partition(";")[0] for record in caplog.records]
        assert Counter(lines) == {"the bus cannot be reached": 2, "the bus works again": 2}


async def test_what_was_not_read_before_a_restart_of_redis_is_missed(own_redis: RedisServer) -> None:
    async with members(own_redis) as (ann, ben):
        await ben.stand_still(ann)
        await ann.publish(TableChanged("t1", 2))
        own_redis.restart()
        ben.open.set()
        await until(lambda: ben.gaps == 1)
        await ann.publish(TableChanged("t1", 3))
        await ben.hears(TableChanged("t1", 3))
        assert ben.heard == [TableChanged("t1", 3)]


async def test_the_clock_of_another_redis_may_be_behind(own_redis: RedisServer) -> None:
    async with members(own_redis) as (ann, ben):
        for key in ann.bus._keys:
            own_redis.ask(f"XADD {key.decode()} 99999999999999-0 e future")
        await until(lambda: {id.partition(b"-")[0] for id in ben.bus._ids} == {b"99999999999999"})
        own_redis.restart()
        await ann.publish(TableChanged("t1", 2))
        await ben.hears(TableChanged("t1", 2))


async def test_memory_is_bounded_while_redis_is_away(own_redis: RedisServer) -> None:
    async with members(own_redis) as (ann, ben):
        own_redis.kill()
        for number in range(2 * redis_bus.MAX_WAITING):
            await ann.bus.publish(TableChanged(f"t{number}", 2))
        assert len(ann.bus._outgoing) <= redis_bus.MAX_WAITING
        assert ann.notes["dropped"] > 0
        own_redis.start()
        await until(lambda: ben.gaps > 0)
        await until(lambda: len(ben.heard) + ann.notes["dropped"] == 2 * redis_bus.MAX_WAITING)
        assert TableChanged(f"t{2 * redis_bus.MAX_WAITING - 1}", 2) in ben.heard


async def test_memory_is_bounded_while_redis_refuses_what_is_written(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(redis_bus, "MAX_WAITING", 5)
    monkeypatch.setattr(redis_bus, "MAX_PAUSE_SECONDS", 0.01)
    tables = [f"t{number}" for number in range(60)]
    async with members(own_redis) as (ann, ben):
        connect = ann.bus._make_connection = Mock(wraps=ann.bus._make_connection)
        own_redis.ask("CONFIG SET maxmemory 1")
        for start in range(0, 60, 10):
            for table in tables[start : start + 10]:
                await ann.bus.publish(TableChanged(table, 2))
            connect.reset_mock()
            await until(lambda: connect.call_count > 1)
        assert len(ann.bus._unsent) <= 1 and len(ann.bus._outgoing) <= 5
        failures = [record for record in caplog.records if "the bus cannot be reached" in record.getMessage()]
        recoveries = [record for record in caplog.records if "the bus works again" in record.getMessage()]
        assert len(failures) <= 2 + len(recoveries)  # one in a row for each process
        own_redis.ask("CONFIG SET maxmemory 0")
        await until(lambda: ben.gaps > 0)
        await ben.hears(TableChanged(tables[-1], 2))
        await until(lambda: ann.notes["sent"] + ann.notes["dropped"] == 60)
        await until(lambda: len(ben.heard) == ann.notes["sent"])


class Stuck:
    """A connection that takes so many commands, answers them with nothing, and then takes no more."""

    def __init__(self, left: int) -> None:
        self._left = left

    async def connect(self) -> None: ...

    async def disconnect(self, nowait: bool = False) -> None: ...

    async def send_packed_command(self, command: bytes, check_health: bool = True) -> None:
        if not self._left:
            await asyncio.Event().wait()
        self._left -= 1

    async def read_response(self) -> Any:
        return None


@pytest.mark.parametrize(("use", "taken"), [("_write", 0), ("_read", 0), ("_read", 1)])
async def test_a_connection_that_takes_no_commands_is_replaced(
    use: str, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_bus, "ANSWER_SECONDS", 0.01)
    bus = RedisBus("redis://127.0.0.1:1/0", "p1", beacon_seconds=0.001)
    connect = bus._make_connection = Mock(side_effect=lambda: Stuck(taken))
    task = asyncio.create_task(bus._keep_up(getattr(bus, use)))
    try:
        await until(lambda: connect.call_count == 3)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_redis_that_hangs_is_noticed_and_nothing_is_lost(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_bus, "ANSWER_SECONDS", 0.2)
    async with members(own_redis) as (ann, ben):
        own_redis.freeze()
        try:
            await until(lambda: not ann.bus.is_connected and not ben.bus.is_connected)
            await ann.bus.publish(TableChanged("t1", 2))
            await until(lambda: ann.bus._is_failing and ben.bus._is_failing)
        finally:
            own_redis.thaw()
        await ben.hears(TableChanged("t1", 2))
        await ann.connected()
        await ben.connected()
        assert [ann.gaps, ben.gaps] == [0, 0]


async def test_a_process_that_starts_later_is_heard_from_its_first_note(redis: RedisServer) -> None:
    async with members(redis) as (ann, ben):
        late = Member(redis.url, ann.bus._keys[0].decode().partition(":")[0])
        await late.bus.start()
        await late.publish(TableChanged("t1", 2))
        await ann.hears(TableChanged("t1", 2))
        await late.connected()
        await ben.publish(TableChanged("t1", 3))
        await late.hears(TableChanged("t1", 3))
        await late.bus.stop()
        assert [ann.gaps, ben.gaps] == [0, 0]
        assert (late.gaps, late.counted_gaps) == (1, 0)


async def test_a_bus_stops_when_all_that_was_published_is_written(redis: RedisServer) -> None:
    async with members(redis) as (ann, ben):
        await ann.publish(TableChanged("t1", 2))
        await ann.bus.publish(TableChanged("t1", 3))  # waits for others to be written with it
        await ann.bus.stop()
        await ben.hears(TableChanged("t1", 3))
        await ann.bus.publish(TableChanged("t1", 4))
        assert not ann.bus._outgoing


async def test_other_platforms_on_the_same_redis_are_not_heard(redis: RedisServer) -> None:
    async with members(redis) as (ann, _), members(redis) as (other, friend):
        await ann.publish(TableChanged("t1", 2))
        await other.publish(TableChanged("t2", 2))
        await friend.hears(TableChanged("t2", 2))
        assert friend.heard == [TableChanged("t2", 2)]


async def test_notes_that_are_not_signed_with_the_secret_are_not_heard(redis: RedisServer) -> None:
    async with members(redis) as (ann, ben):
        forger = RedisBus(redis.url, "forger", name=ann.name, key=b"a guess", beacon_seconds=BEACON_SECONDS)
        await forger.start()
        await forger.publish(TableChanged("t1", 9))
        beacons = ben.bus._own_beacons
        await until(lambda: ben.bus._own_beacons > beacons + 3)
        await ann.publish(TableChanged("t1", 2))
        await ben.hears(TableChanged("t1", 2))
        await forger.stop()
        assert ben.heard == [TableChanged("t1", 2)]


async def test_what_somebody_else_writes_is_ignored_and_reported_once(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with members(redis) as (ann, ben):
        for key in (key.decode() for key in ann.bus._keys):
            for fields in ("e hello", "name value", "e 1 f 2", 'e ["p1",1,1,[["redacted",1]]]', 'e ["p1",[1]]'):
                redis.ask(f"XADD {key} * {fields}")
        with caplog.at_level(logging.WARNING):
            await ann.publish(TableChanged("t1", 2))
            await ben.hears(TableChanged("t1", 2))
            beacons = ben.bus._own_beacons
            await until(lambda: ben.bus._own_beacons > beacons + 1)
        assert ben.heard == [TableChanged("t1", 2)]
        mine = [record for record in caplog.records if "something else writes" in record.getMessage()]
        assert len(mine) == 2  # one for each process
        assert ben.bus.is_connected and ben.gaps == 0


async def test_a_stream_that_is_something_else_is_reported_and_waited_for(own_redis: RedisServer) -> None:
    async with members(own_redis) as (ann, ben):
        key = ann.bus._keys[ann.bus._stream].decode()
        own_redis.ask(f"SET {key} taken")
        await ann.bus.publish(TableRedacted("t1"))
        await until(lambda: ann.bus._is_failing)
        own_redis.ask(f"DEL {key}")
        await ben.hears(TableRedacted("t1"))
        await ann.connected()


@pytest.mark.parametrize(
    "url", [lambda server: server.url.replace(":right@", ":wrong@"), lambda _: "redis://:wrong@127.0.0.1:1/0"]
)
async def test_a_process_starts_without_redis_and_says_so_once(
    url: Callable[[RedisServer], str], locked_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    member = Member(url(locked_redis), "ludus")
    connect = member.bus._make_connection = Mock(wraps=member.bus._make_connection)
    with caplog.at_level(logging.WARNING):
        await member.bus.start()
        await member.bus.publish(TableChanged("t1", 2))
        await member.bus.drain()
        assert member.heard == [TableChanged("t1", 2)]
        await until(lambda: member.bus._is_failing and connect.call_count >= 6)  # the reader and the writer, again
        await member.bus.stop()
    assert not member.bus.is_connected
    (record,) = caplog.records
    assert record.getMessage().startswith("the bus cannot be reached; retrying, and reading the store until it works: ")
    assert record.exc_info is None
    assert "wrong" not in caplog.text.replace("WRONGPASS", "")


async def test_a_process_that_started_without_redis_finds_it_later(own_redis: RedisServer) -> None:
    own_redis.kill()
    member = Member(own_redis.url, "ludus")
    await member.bus.start()
    await until(lambda: member.bus._is_failing)
    own_redis.start()
    await member.connected()
    assert (member.gaps, member.counted_gaps) == (1, 0)
    await member.bus.stop()


@pytest.mark.parametrize("scheme", ["redis", "valkey"])
async def test_redis_may_be_called_valkey(redis: RedisServer, scheme: str) -> None:
    member = Member(redis.url.replace("redis:", f"{scheme}:"), str(uuid.uuid4()))
    await member.bus.start()
    await member.connected()
    await member.bus.stop()


@pytest.mark.parametrize(
    "url", ["rediss://h?ssl_ca_certs=/etc/ssl/redis.pem", "valkeys://:secret@h:6380/1", "unix:///run/redis.sock?db=2"]
)
def test_tls_and_unix_sockets_are_known(url: str) -> None:
    assert isinstance(bus_for(url, "p1"), RedisBus)


@pytest.mark.parametrize(
    "url",
    [
        "http://u:hidden@host",
        "redis:host",
        "redis",
        "redis://u:hidden@host:port",
        "redis://h?db=hidden",
        "redis://h?hidden=1",
    ],
)
def test_another_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(BadInput, match="unknown bus") as refused:
        bus_for(url, "p1")
    assert "hidden" not in str(refused.value)
