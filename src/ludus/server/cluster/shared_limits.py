"""Limits that hold across processes: each counts by itself, and ten times a second they compare their counts in Redis.

No request waits for Redis. What arrives between two comparisons is judged by the last one. While Redis doesn't answer,
each process admits its part of every limit. See decision 32.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from itertools import islice
from time import monotonic
from typing import Any, Final, NamedTuple

from redis.exceptions import RedisError

from ludus.bus.redis import Connection, command, connections
from ludus.server.http.rate_limit import RequestLimit, SocketCount, Window

log = logging.getLogger(__name__)

FLUSH_SECONDS: Final = 0.1
CLOSE_SECONDS: Final = 0.02
"""Between two comparisons while a client has nearly used a limit up."""
ANSWER_SECONDS: Final = 1.0
CURRENT_SECONDS: Final = 2.0
"""After the last answer, beyond which the others' counts are not known even if nothing has failed yet."""
OPEN_SECONDS: Final = 30.0
"""How long open things of a process count after it last reported them; it reports them three times as often."""
RECHECKS: Final = 5
"""Comparisons of all clients after Redis was away or lost its counts, in which the others' counts come back as well."""
MOST_AT_ONCE: Final = 1000
"""Clients in one comparison; the rest wait for the next."""
COUNT: Final = b"""
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
    left = tonumber(ARGV[2])
    redis.call('PEXPIRE', KEYS[1], left)
end
return {total, left}
"""
"""In one step, so that a window which ends at this moment leaves no count behind that never expires."""

Take = Callable[[list[Any]], None]


class Question(NamedTuple):
    """Commands for Redis, and what takes their answers."""

    commands: tuple[bytes, ...]
    take: Take


def nothing() -> None:
    pass


class SharedLimits:
    """A `Processes`. `members` returns the ids of all processes that serve, this one included."""

    def __init__(
        self,
        url: str,
        member: str,
        members: Callable[[], Collection[str]],
        *,
        name: str,
        secret: bytes,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`name` is what all keys start with. Keys contain no addresses, only marks made with the secret."""
        self._make_connection = connections(url)
        self._member = member
        self._members = members
        self._name = name
        self._secret = hmac.digest(secret, b"limits", hashlib.sha256)
        self._clock = clock
        self._answered = -CURRENT_SECONDS
        self._epoch: bytes | None = None
        """Which Redis this is: it has another one after it was flushed or replaced."""
        self._refreshed = clock()
        self._rechecks = 0
        self._is_close = False
        """Whether any client in the last comparison has nearly used a limit up."""
        self._is_failing = False
        self._requests: list[tuple[str, RequestLimit, set[str]]] = []
        self._counts: list[tuple[str, SocketCount, set[str]]] = []
        """Limits by name, with the clients whose counts have to be compared."""
        self.on_compared: Callable[[], None] = nothing
        self._task: asyncio.Task[None] | None = None

    def share(self, name: str, limit: RequestLimit | SocketCount) -> None:
        """From here on, processes count for each other in this limit."""
        changed: set[str] = set()
        limit.processes = self
        limit.on_change = changed.add
        if isinstance(limit, RequestLimit):
            self._requests.append((name, limit, changed))
        else:
            self._counts.append((name, limit, changed))

    @property
    def is_current(self) -> bool:
        """Whether the others' counts are known."""
        return self._clock() - self._answered < CURRENT_SECONDS

    def share_of(self, limit: int) -> int:
        return limit if self.is_current else max(1, limit // max(1, len(self._members())))

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            try:
                await self._keep_comparing()
            except Exception as error:
                self._note_failure(error)
            await asyncio.sleep(FLUSH_SECONDS)

    async def _keep_comparing(self) -> None:
        """Until something fails."""
        connection = self._make_connection()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await connection.connect()
            while True:
                await self.compare(connection)
                if self._is_failing:
                    log.info("limits are shared again")
                self._is_failing = False
                await asyncio.sleep(CLOSE_SECONDS if self._is_close else FLUSH_SECONDS)
        finally:
            with suppress(OSError, RedisError):
                await connection.disconnect(nowait=True)

    def _note_failure(self, error: Exception) -> None:
        """Logs the first failure in a row."""
        if not self._is_failing:
            is_known = isinstance(error, OSError | RedisError | ValueError | TypeError)  # no answer, or none of ours
            log.warning(
                "limits are not shared: %s; each process lets in its part",
                type(error).__name__,
                exc_info=None if is_known else error,
            )
        self._is_failing = True
        self._answered = self._clock() - CURRENT_SECONDS
        self._rechecks = RECHECKS

    async def compare(self, connection: Connection) -> None:
        """Tells Redis what has changed here, and takes over what the others have counted of the same clients."""
        if self._clock() - self._refreshed >= OPEN_SECONDS / 3:
            self._refreshed = self._clock()
            self._mark_open()
        if self._rechecks:
            self._rechecks -= 1
            self._mark_all()
        questions = [self._ask_for_epoch(), *islice(self._questions(), MOST_AT_ONCE)]
        packed = b"".join(each for question in questions for each in question.commands)
        async with asyncio.timeout(ANSWER_SECONDS):
            await connection.send_packed_command(packed, check_health=False)
            answers = [[await connection.read_response() for _ in question.commands] for question in questions]
        self._is_close = False
        for question, found in zip(questions, answers, strict=True):
            question.take(found)
        self._answered = self._clock()
        self.on_compared()

    def _ask_for_epoch(self) -> Question:
        key = f"{self._name}:limits".encode()
        return Question((command(b"SET", key, secrets.token_bytes(8), b"NX"), command(b"GET", key)), self._take_epoch)

    def _take_epoch(self, found: list[Any]) -> None:
        """In a Redis that has lost all counts, each process counts its own once more."""
        epoch: bytes = found[1]
        if self._epoch is not None and epoch != self._epoch:
            for _, limit, _ in self._requests:
                for window in limit.windows.values():
                    window.sent = 0
            self._rechecks = RECHECKS
        self._epoch = epoch

    def _mark_all(self) -> None:
        for _, limit, changed in self._requests:
            changed.update(limit.windows)
        self._mark_open()

    def _mark_open(self) -> None:
        for _, count, changed in self._counts:
            changed.update(count.open)

    def _questions(self) -> Iterator[Question]:
        for name, limit, changed in self._requests:
            for who in list(changed):
                changed.discard(who)
                window = limit.window(who, limit.clock())
                if window is not None:
                    yield self._ask_for_window(self._key(name, who), limit, window)
        for name, count, changed in self._counts:
            for who in list(changed):
                changed.discard(who)
                yield self._ask_for_open(self._key(name, who), count, who)

    def _ask_for_window(self, key: bytes, limit: RequestLimit, window: Window) -> Question:
        left = max(1, round((window.ends - limit.clock()) * 1000))
        new = window.hits - window.sent

        def take(found: list[Any]) -> None:
            ((total, left),) = found
            now = limit.clock()
            window.sent += new
            window.others = max(0, int(total) - window.sent)
            window.ends = now + min(limit.seconds, max(0, int(left)) / 1000)
            self._is_close = self._is_close or limit.is_close(window)

        return Question((command(b"EVAL", COUNT, b"1", key, b"%d" % new, b"%d" % left),), take)

    def _ask_for_open(self, key: bytes, count: SocketCount, who: str) -> Question:
        own, number = b"%b:%b" % (key, self._member.encode()), count.open.get(who, 0)
        expiry = b"%d" % round(OPEN_SECONDS * 1000)
        saying = command(b"SET", own, b"%d" % number, b"PX", expiry) if number else command(b"DEL", own)
        others = [b"%b:%b" % (key, each.encode()) for each in self._members() if each != self._member]

        def take(found: list[Any]) -> None:
            count.others.pop(who, None)
            if others and who in count.open:  # else any address would be remembered that was ever seen
                count.others[who] = sum(int(each or 0) for each in found[1])

        return Question((saying, command(b"MGET", *others)) if others else (saying,), take)

    def _key(self, name: str, who: str) -> bytes:
        mark = hmac.new(self._secret, f"{name}/{who}".encode(errors="surrogatepass"), hashlib.sha256).hexdigest()[:24]
        return f"{self._name}:limits:{name}:{mark}".encode()
