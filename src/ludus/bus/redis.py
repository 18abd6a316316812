"""The bus of many processes, over the streams of Redis or Valkey.

Each process has one connection that writes and one that reads. What is published while an answer is awaited goes out
together, as one entry of the process's stream. Entries are numbered, and every second each process writes a beacon with
its number, so that the others notice if anything was lost: the stream was flushed or trimmed, Redis has restarted or
was replaced. Redis need not keep anything, since the store is the truth.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from ludus.bus.dispatcher import Dispatcher, Do, Listener, lane_of, put, subject_of
from ludus.bus.numbers import Numbers
from ludus.bus.wire import (
    MAX_NOTES,
    STREAMS,
    Beacon,
    Entry,
    Malformed,
    is_local,
    read_beacon,
    read_entry,
    stream_of,
    write_beacon,
    write_entry,
)
from ludus.core.errors import BadInput
from ludus.service.ports.bus import Concern, Note

log = logging.getLogger(__name__)

MAX_ENTRIES: Final = 10_000
"""Kept in a stream, about: those who were away for longer read the store instead."""
MAX_BEACONS: Final = 1_000
MAX_WAITING: Final = 10_000
"""Notes that wait while Redis is away; then the oldest are dropped."""
MAX_READ: Final = 250
"""Entries of each stream in one answer."""
YIELD_AFTER: Final = 100
"""Notes that are dispatched in a row."""
BATCH_SECONDS: Final = 0.005
"""The pause between two writes or two reads: what comes in it goes together. When it's quiet, nothing waits."""
BEACON_SECONDS: Final = 1.0
SETTLED_AFTER: Final = 3
"""Beacons of our own that have come back: by then those of all others have been heard as well."""
ANSWER_SECONDS: Final = 2.0
STOP_SECONDS: Final = 1.0
PAUSE_SECONDS: Final = 0.02
"""Before a lost connection is replaced; each pause is twice the one before."""
MAX_PAUSE_SECONDS: Final = 2.0
FIELD: Final = b"e"
SEAL_BYTES: Final = 16
"""Of the signature in front of an entry."""
START: Final = b"0-0"


class Watch(Protocol):
    """Counts what happens, for the metrics."""

    def bus_notes(self, direction: str, number: int) -> None:
        """`sent`, `received`, or `dropped` while Redis was away."""
        ...

    def bus_lag(self, seconds: float) -> None:
        """Between the publication of notes in another process and their dispatch in this one."""
        ...

    def bus_gap(self) -> None: ...


class Connection(Protocol):
    """Of redis-py's connections, what is used here: its client would take twice the time."""

    async def connect(self) -> None: ...

    async def disconnect(self, nowait: bool = False) -> None: ...

    async def send_packed_command(self, command: bytes, check_health: bool = True) -> None: ...

    async def read_response(self) -> Any: ...


class RedisBus:
    def __init__(
        self,
        url: str,
        publisher: str,
        *,
        name: str = "ludus",
        key: bytes = b"",
        watch: Watch | None = None,
        do: Do | None = None,
        beacon_seconds: float = BEACON_SECONDS,
    ) -> None:
        """`publisher` is an id that no other process has, or had.

        Processes with the same `name` and the same secret `key` hear each other.
        """
        self.on_gap: list[Callable[[], None]] = []
        self._make_connection = connections(url)
        self._publisher = publisher
        self._key = key
        self._own = write_beacon(Beacon(publisher, ()))[: -len("[]]")]
        """The prefix of everything that this process writes."""
        self._watch = watch
        self._beacon_seconds = beacon_seconds
        self._dispatcher = Dispatcher(do)
        self._keys = [f"{name}:notes:{stream}".encode() for stream in range(STREAMS)] + [f"{name}:beacons".encode()]
        self._ids = [START] * len(self._keys)
        """Of the last entries read, by stream; the last is that of the beacons."""
        self._has_ids = False
        self._stream = stream_of(publisher)
        self._outgoing: dict[Hashable, Note] = {}
        self._sent = 0
        """The number of the last entry."""
        self._unsent: list[bytes] = []
        """Commands that Redis has not confirmed; repeated after a failure, since an entry may come twice."""
        self._unsent_notes = 0
        """In those commands."""
        self._wakeup = asyncio.Event()
        self._is_beacon_due = True
        self._beacons: dict[str, Sequence[int]] = {}
        """Of the others, not yet compared with what has arrived."""
        self._numbers = Numbers(STREAMS, time.monotonic)
        self._own_beacons = 0
        self._heard_at = 0.0
        """When the last beacon of our own came back."""
        self._is_failing = False
        self._has_reported_foreign = False
        self._is_stopping = False
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def is_connected(self) -> bool:
        """Whether what this process wrote a moment ago came back, so that what others write must come too."""
        return self._numbers.is_settled and time.monotonic() - self._heard_at < 3 * self._beacon_seconds

    def subscribe(self, listener: Listener, concerns: Concern | None = None) -> None:
        self._dispatcher.subscribe(listener, concerns)

    async def publish(self, note: Note) -> None:
        self._dispatcher.dispatch(note)
        if is_local(note) or self._is_stopping:
            return
        waiting = self._outgoing
        put(waiting, (lane_of(note), subject_of(note)), note)
        if len(waiting) > MAX_WAITING:
            del waiting[next(iter(waiting))]
            self._sent += 1  # the others notice
            self._count("dropped", 1)
        self._wakeup.set()

    def notify(self, note: Note) -> None:
        self._dispatcher.dispatch(note)

    async def drain(self) -> None:
        await self._dispatcher.drain()

    async def start(self) -> None:
        self._is_stopping = False
        self._dispatcher.start()
        self._tasks = [
            asyncio.create_task(self._keep_up(self._write), name="bus writer"),
            asyncio.create_task(self._keep_up(self._read), name="bus reader"),
            asyncio.create_task(self._make_beacons(), name="bus beacons"),
        ]

    async def stop(self) -> None:
        await self._dispatcher.stop()
        self._is_stopping = True
        self._wakeup.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await asyncio.gather(*self._tasks[:1])
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def _keep_up(self, use: Callable[[Connection], AsyncIterator[None]]) -> None:
        """Connects, and connects again after every failure. `use` yields after each answer."""
        failures = 0
        while not self._is_stopping:
            connection = self._make_connection()
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    await connection.connect()
                async for _ in use(connection):
                    failures = 0
            except Exception as error:
                self._note_failure(error)
            finally:
                await connection.disconnect(nowait=True)
            if not self._is_stopping:
                await asyncio.sleep(min(MAX_PAUSE_SECONDS, PAUSE_SECONDS * 2 ** min(failures, 10)))
                failures += 1

    async def _make_beacons(self) -> None:
        while True:
            await asyncio.sleep(self._beacon_seconds)
            self._is_beacon_due = True
            self._wakeup.set()

    async def _write(self, connection: Connection) -> AsyncIterator[None]:
        self._is_beacon_due = True
        while not self._is_stopping or self._has_outgoing:
            if not self._has_outgoing:
                self._wakeup.clear()
                await self._wakeup.wait()
            await self._flush(connection)
            yield
            await asyncio.sleep(BATCH_SECONDS)

    @property
    def _has_outgoing(self) -> bool:
        return bool(self._is_beacon_due or self._unsent or self._outgoing)

    async def _flush(self, connection: Connection) -> None:
        """Writes everything that waits, with one round trip; what has failed is repeated before, alone."""
        is_new = not self._unsent
        if is_new:
            self._unsent_notes = self._collect()
        commands = self._unsent
        if self._is_beacon_due and is_new:
            self._is_beacon_due = False
            numbers = [self._sent if stream == self._stream else 0 for stream in range(STREAMS)]
            beacon = self._sealed(write_beacon(Beacon(self._publisher, numbers)))
            commands = [*commands, command(*_addition(self._keys[-1], MAX_BEACONS, beacon))]
        async with asyncio.timeout(ANSWER_SECONDS):
            await connection.send_packed_command(b"".join(commands), check_health=False)
            for _ in commands:
                await connection.read_response()
        self._unsent = []
        self._count("sent", self._unsent_notes)

    def _collect(self) -> int:
        """Makes entries of the notes that wait; returns how many notes."""
        at, notes = round(time.time() * 1000), list(self._outgoing.values())
        self._outgoing.clear()
        for start in range(0, len(notes), MAX_NOTES):
            self._sent += 1
            content = write_entry(Entry(self._publisher, self._sent, at, notes[start : start + MAX_NOTES]))
            addition = _addition(self._keys[self._stream], MAX_ENTRIES, self._sealed(content))
            self._unsent.append(command(*addition))
        return len(notes)

    async def _read(self, connection: Connection) -> AsyncIterator[None]:
        await self._find_ids(connection)
        block = b"%d" % round(2000 * self._beacon_seconds)
        start = (b"XREAD", b"COUNT", b"%d" % MAX_READ, b"BLOCK", block, b"STREAMS", *self._keys)
        while True:
            async with asyncio.timeout(2 * self._beacon_seconds + ANSWER_SECONDS):
                await connection.send_packed_command(command(*start, *self._ids), check_health=False)
                answer = await connection.read_response()
            await self._take(answer or ())
            yield
            await asyncio.sleep(BATCH_SECONDS)

    async def _find_ids(self, connection: Connection) -> None:
        """Starts at the end; after a failure, where it was, or at the start of a stream that is another now."""
        commands = [command(b"XREVRANGE", key, b"+", b"-", b"COUNT", b"1") for key in self._keys]
        async with asyncio.timeout(ANSWER_SECONDS):
            await connection.send_packed_command(b"".join(commands), check_health=False)
            answers = [await connection.read_response() for _ in commands]
        last = [answer[0][0] if answer else START for answer in answers]
        if self._has_ids:
            last = [id if _order(id) <= _order(end) else START for id, end in zip(self._ids, last, strict=True)]
        self._ids, self._has_ids = last, True

    async def _take(self, answer: Iterable[Any]) -> None:
        """Notes first, then the beacons: a beacon refers only to entries written before it."""
        is_gap = is_full = False
        count = 0
        for key, entries in answer:
            stream = self._keys.index(key)
            for id, fields in entries:
                self._ids[stream] = id
                entry = self._parsed(stream, fields)
                if entry is None:
                    continue
                is_gap = self._numbers.entry(entry.publisher, stream, entry.number) or is_gap
                self._receive(entry)
                count += len(entry.notes)
                if count > YIELD_AFTER:
                    count = 0
                    await asyncio.sleep(0)
            is_full = is_full or (stream < STREAMS and len(entries) == MAX_READ)
        if not is_full:
            for publisher, numbers in self._beacons.items():
                is_gap = self._numbers.beacon(publisher, numbers) or is_gap
            self._beacons.clear()
        if is_gap:
            log.warning("notes of other processes were lost; reading the store instead")
            if self._watch is not None:
                self._watch.bus_gap()
            self._catch_up()

    def _parsed(self, stream: int, fields: Sequence[bytes] | None) -> Entry | None:
        """Another process's notes; None where there are none."""
        try:
            if fields is None or len(fields) != 2 or fields[0] != FIELD:
                raise Malformed
            is_beacon = stream == STREAMS
            is_own = fields[1].startswith(self._own, SEAL_BYTES)
            if is_own and not is_beacon:
                return None
            content = self._unsealed(fields[1])
            if is_own:
                self._note_own_beacon()
                return None
            if not is_beacon:
                return read_entry(content)
            beacon = read_beacon(content)
            self._beacons[beacon.publisher] = beacon.numbers
        except Malformed:
            if not self._has_reported_foreign:
                self._has_reported_foreign = True
                log.warning("something else writes to %s on the bus; ignored", self._keys[stream].decode())
        return None

    def _sealed(self, content: bytes) -> bytes:
        """Signed, since processes take over the events in each other's notes; Redis may have other users."""
        return hmac.digest(self._key, content, hashlib.sha256)[:SEAL_BYTES] + content

    def _unsealed(self, sealed: bytes) -> bytes:
        seal, content = sealed[:SEAL_BYTES], sealed[SEAL_BYTES:]
        if not hmac.compare_digest(seal, hmac.digest(self._key, content, hashlib.sha256)[:SEAL_BYTES]):
            raise Malformed
        return content

    def _receive(self, entry: Entry) -> None:
        if self._watch is not None and entry.notes:
            self._watch.bus_lag(max(0.0, time.time() - entry.at / 1000))
        self._count("received", len(entry.notes))
        for note in entry.notes:
            self._dispatcher.dispatch(note)

    def _note_own_beacon(self) -> None:
        self._heard_at = time.monotonic()
        self._own_beacons += 1
        if self._own_beacons == SETTLED_AFTER:
            self._numbers.is_settled = True
            self._catch_up()  # nobody knows what was published before
        if self._is_failing:
            self._is_failing = False
            log.warning("the bus works again")

    def _note_failure(self, error: Exception) -> None:
        """Logs the first failure in a row."""
        if not self._is_failing:
            self._is_failing = True
            is_ours = not isinstance(error, RedisError | OSError)  # else it is the network or Redis
            reason = str(error) or type(error).__name__
            log.error(
                "the bus cannot be reached; retrying, and reading the store until it works: %s",
                reason,
                exc_info=error if is_ours else None,
            )

    def _catch_up(self) -> None:
        for listener in self.on_gap:
            listener()

    def _count(self, direction: str, number: int) -> None:
        if self._watch is not None and number:
            self._watch.bus_notes(direction, number)


def connections(url: str) -> Callable[[], Connection]:
    scheme, colon, rest = url.partition(":")
    known = {"redis": "redis", "rediss": "rediss", "valkey": "redis", "valkeys": "rediss", "unix": "unix"}
    try:
        if scheme not in known or not rest.startswith("//"):
            raise ValueError("the scheme is none of " + ", ".join(known))
        make: Callable[[], Connection] = ConnectionPool.from_url(
            known[scheme] + colon + rest,
            protocol=2,
            socket_timeout=None,
            socket_connect_timeout=ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),
        ).make_connection
        make()  # an option in the URL may be unknown
    except (TypeError, ValueError, RedisError) as error:
        # a URL may contain a password: show only its scheme
        raise BadInput(f"unknown bus {scheme + colon!r}: give redis://…, rediss://…, valkey://… or unix://…") from error
    return make


def _addition(key: bytes, most: int, content: bytes) -> Sequence[bytes]:
    return (b"XADD", key, b"MAXLEN", b"~", b"%d" % most, b"*", FIELD, content)


def command(*words: bytes) -> bytes:
    """In Redis's protocol."""
    return b"*%d\r\n" % len(words) + b"".join([b"$%d\r\n%b\r\n" % (len(word), word) for word in words])


def _order(id: bytes) -> tuple[int, int]:
    """Ids of entries are two numbers, of which the first is a time."""
    at, _, number = id.partition(b"-")
    return int(at), int(number)
