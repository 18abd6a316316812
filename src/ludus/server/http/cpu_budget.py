"""What requests cost the event loop, who pays for it, and what happens to clients that take more than their share.

Everything a client sends has a price: an estimate of the time for which it holds the event loop, in seconds. It is
charged before the work to the client's connection, identity and address, and corrected by what the work really took.
Each of these accounts is a leaky bucket that refills with a share of one core. A client within its share isn't held up.
One that is above it waits for its turn, and in the end is refused. See decision 22.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextvars import ContextVar
from math import ceil
from time import monotonic, perf_counter, thread_time
from typing import Any, Final, Generic, Protocol, TypeVar

import structlog
from starlette.types import Scope

from ludus.core.errors import LudusError
from ludus.server.http.addresses import counted

T = TypeVar("T")

log = structlog.get_logger("ludus.http")

FORWARDING: Final = frozenset({b"x-forwarded-for", b"forwarded"})
PAYER: Final = "ludus.payer"
"""The key in a request's scope, and in the environment of a Socket.IO connection, of who pays for it."""
PAYING: Final[ContextVar[Payer]] = ContextVar("PAYING")
"""Who pays for what the current task does, and for the tasks that it starts."""
NOTES: Final = "notes"
LIGHT: Final = 0.02
"""Seconds' worth of its share by which a client may be ahead and still not be held up by anyone."""
BURST: Final = 0.5
"""Seconds' worth of its share that a client may use at once; beyond it, it waits."""
MOST_WAIT: Final = 2.0
"""Seconds that a client waits for its turn before it is refused."""
MOST_FLOOD: Final = 5.0
"""Seconds for which a slowed client may go on sending without waiting for answers."""
MOST_DEBT: Final = BURST + 2 * MOST_WAIT
"""Seconds; more would only outlast the attack."""
PAUSE: Final = 1.0
"""Seconds before an HTTP request is refused, so that refusals can't be had at any rate."""
DEAR: Final = 0.002
"""Seconds; work that costs more never starts together with other such work, even from another client."""
SLACK: Final = 0.002
"""Seconds of work that are let through together, since timers count in milliseconds."""
EARLY: Final = 0.5e-3
"""Seconds by which a turn may come too soon, for the same reason."""
REFUSAL: Final = 100e-6
"""The price of being refused."""
CONNECTION_PART: Final = 0.5
"""The part of an address's share that one of its connections can use."""
LEAST_PACE: Final = 0.1
"""The share of a core left for clients above their share, however busy the others are."""
LEAST_THROTTLE: Final = 0.1
"""The part of the pace that is left, however late the event loop is."""
LONG_STEP: Final = 0.002
"""Seconds from which on a step is checked against the thread's CPU time, which is a system call."""
MOST_STEP: Final = 0.2
"""Seconds charged for one step at most."""
MOST_WAITING: Final = 20_000
"""Requests that wait for their turn, of all clients."""
TICK: Final = 0.05
"""Seconds between adjustments of the share."""
SHRINK, GROW, SLOW = 0.6, 1.15, 0.8
LATE: Final = 0.025
"""Seconds by which a timer is late when the loop has more to do than it can, for whatever reason."""
LEAST_SHARE: Final = 0.005
"""In cores; a person who plays needs a fifth of it."""
LONG_QUEUE: Final = BURST + MOST_WAIT
"""Seconds for which work waits, at which the share shrinks: as long as a client waits that has its fair share."""
FULL: Final = 0.85
"""Cores in use, by all, at which the share shrinks."""
SWEEP: Final = 1.0
MOST_PRICE: Final = 0.02
CLOSE: Final = 0.25
"""The part of a price by which work may differ from it without a correction; on average, prices are right."""
DEFAULT_PRICE: Final = 300e-6
PRICES: Final[Mapping[str, float]] = {
    "GET": DEFAULT_PRICE,
    "POST": 500e-6,
    "GET /mcp": 1e-3,
    "POST /mcp": 3e-3,
    "poll": 200e-6,
    "handshake": 1.5e-3,
    "socket": 1e-3,
    "frame": 20e-6,
    "action": 300e-6,
    "packet": 100e-6,
    "connect": 500e-6,
    "matchmaking:join": 1.5e-3,
    "matchmaking:leave": 300e-6,
    "game:reconnect": 3e-3,
    "game:spectate": 3e-3,
    "game:get_moves": 300e-6,
    "game:move": 300e-6,
    "game:resign": 500e-6,
    "game:resign:offer": 300e-6,
    "game:resign:accept": 500e-6,
    "game:resign:decline": 300e-6,
    "game:roll": 300e-6,
    "game:double:offer": 300e-6,
    "game:double:take": 300e-6,
    "game:double:drop": 500e-6,
    "game:double:beaver": 300e-6,
    "game:draw:offer": 300e-6,
    "game:draw:accept": 500e-6,
    "game:draw:decline": 300e-6,
    "game:rematch": 1e-3,
    "game:takeback": 1e-3,
    "game:hint": 300e-6,
    "game:tutor": 400e-6,
    "game:boards": 1e-3,
    "game:phrase": 200e-6,
    "afk:check": 150e-6,
}
"""Seconds, until the first requests of a kind have been timed."""
EVENTS: Final = frozenset(kind for kind in PRICES if ":" in kind)
"""Of rooms."""
LEARNING: Final = 1 / 16
"""The weight of a new measurement in the price of its kind."""


class OverBudget(LudusError):
    """The client has used far more than its share of the processor."""

    code = "too_fast"

    def __init__(self, seconds: float) -> None:
        self.retry_after = max(1, ceil(seconds))
        super().__init__(f"Too much work for one client; try again in {self.retry_after} s")


class Timer(Protocol):
    def cancel(self) -> None: ...


class CallLater(Protocol):
    def __call__(self, delay: float, callback: Callable[[], object], /) -> Timer: ...


class Payer:
    """One connection, or one request of plain HTTP, and whose it is."""

    __slots__ = ("_budget", "address", "connection", "flooding_since", "identity", "price", "unread")

    def __init__(self, budget: CpuBudget, address: str, connection: float | None) -> None:
        self._budget = budget
        self.address = address
        self.connection = connection
        """The connection's own account, like those of the budget; None for plain HTTP."""
        self.identity = ""
        """The tenant, agent or player, once that is known."""
        self.price = 0.0
        """Of the work under way."""
        self.unread: Callable[[], int] | None = None
        """How many of the connection's frames wait to be read, where that is known."""
        self.flooding_since: float | None = None
        """Since when it has been sending more while earlier frames had to wait."""

    async def identify(self, identity: str) -> None:
        """From here on the identity pays too, for the work under way as well."""
        if not self.identity and identity:
            self.identity = identity
            await self._budget.admit_identity(identity, self.price)


class CpuBudget:
    """The accounts of one process. An account is the time at which it will be full again.

    All clients above their share get `total` together, in equal parts; none gets more than `share`.
    """

    def __init__(
        self,
        share: float,
        total: float,
        *,
        now: Callable[[], float] = monotonic,
        stopwatch: Callable[[], float] = perf_counter,
        cpu: Callable[[], float] = thread_time,
        call_later: CallLater | None = None,
        sleep: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep,
    ) -> None:
        """`share` and `total` are in cores. The clocks return seconds."""
        self._most_share = share
        self._connection_share = share * CONNECTION_PART
        self._total = max(share, total)
        self._now = now
        self.stopwatch = stopwatch
        self._call_later = call_later
        self.sleep = sleep
        self.share = share
        """What an account is refilled with at present."""
        self._addresses: dict[str, float] = {}
        self._identities: dict[str, float] = {}
        self._prices = dict(PRICES)
        self._full = max(FULL, 1.1 * self._total)
        self._pace = self._total
        self._light = 0.0
        """Seconds of work since the last tick by clients that weren't held up."""
        self._light_rate = 0.0
        self._started = 0.0
        """Seconds of all work since the last tick."""
        self._queued = 0.0
        """Seconds of all work that waits."""
        self._ticked = self._swept = now()
        self._cpu = cpu
        self._cpu_ticked = cpu()
        self._waiting: list[tuple[float, int, asyncio.Future[None], float]] = []
        """A heap: when its turn comes, a number, what to wake, and the price."""
        self._number = 0
        self._line: deque[tuple[asyncio.Future[None], float]] = deque()
        """Expensive work of clients within their share, and its price."""
        self._line_at = 0.0
        """When the next of it may start."""
        self._free_at = 0.0
        """When the next of those that wait may start."""
        self._timer: Timer | None = None
        self._timer_at = 0.0
        self._late = 0.0
        """By how much the timer was late since the last tick, at most."""
        self._throttle = 1.0
        """A factor on the pace, below 1 while the event loop is late."""
        self._has_warned = False
        self.charged = 0.0
        self.slowed = 0
        self.refused = 0

    @property
    def accounts(self) -> int:
        return len(self._addresses) + len(self._identities)

    @property
    def waiting(self) -> int:
        return len(self._waiting) + len(self._line)

    def payer(self, address: str, *, has_connection: bool = False) -> Payer:
        return Payer(self, counted(address), 0.0 if has_connection else None)

    def price(self, kind: str) -> float:
        return self._prices.get(kind, DEFAULT_PRICE)

    def know(self, kind: str, price: float = DEFAULT_PRICE) -> None:
        """Adds a kind whose price is learned; there is no other way to add one."""
        self._prices.setdefault(kind, price)

    def cpu_of(self, seconds: float) -> float:
        """What to charge for a long step: not the time in which another process had the core, or the disk stalled.

        Nor so much that one step alone, in which a garbage collection may have run, would get a client refused.
        """
        return min(seconds, self._cpu() - self._cpu_ticked, MOST_STEP)

    def learn(self, kind: str, seconds: float) -> None:
        price = self._prices.get(kind)
        if price is not None:
            if seconds > MOST_PRICE:
                seconds = MOST_PRICE
            self._prices[kind] = price + (seconds - price) * LEARNING

    def charge(self, payer: Payer, price: float) -> asyncio.Future[None] | None:
        """Charges all accounts of the payer. None if the work may start at once, else what to wait for.

        Raises `OverBudget` if the wait would be too long.
        """
        now = self._now()
        if now - self._ticked >= TICK:
            self._tick(now)
        seconds = price / self.share
        address, identity, connection = payer.address, payer.identity, payer.connection
        latest = at = self._addresses.get(address, now)
        if at < now:
            latest = at = now
        if connection is not None:
            if connection < now:
                connection = now
            if connection > latest:
                latest = connection
        if identity:
            identity_at = self._identities.get(identity, now)
            if identity_at < now:
                identity_at = now
            if identity_at > latest:
                latest = identity_at
        ahead = latest - now
        if ahead > LIGHT and payer.unread is not None:
            self._refuse_flood(payer, payer.unread(), now)
        if ahead > BURST + MOST_WAIT or (ahead > BURST and self._queued > 2 * LONG_QUEUE * self._pace):
            raise self._refusal(address, now, ahead)
        self._addresses[address] = at + seconds
        if connection is not None:
            payer.connection = connection + price / self._connection_share
        if identity:
            self._identities[identity] = identity_at + seconds
        payer.price = price
        self.charged += price
        if ahead > LIGHT:
            return self._queue(now, ahead, price)
        payer.flooding_since = None
        self._light += price
        self._started += price
        return self._line_up(now, price) if price > DEAR else None

    async def admit(self, payer: Payer, price: float) -> None:
        """Charges, and returns when the work may start."""
        turn = self.charge(payer, price)
        if turn is not None:
            await turn

    async def admit_identity(self, identity: str, price: float) -> None:
        """The same for an account that is known only after the others were charged."""
        now = self._now()
        ahead = max(self._identities.get(identity, now) - now, 0.0)
        if ahead > BURST + MOST_WAIT:
            self.refused += 1
            raise OverBudget(ahead - BURST)
        self._identities[identity] = now + ahead + price / self.share
        if ahead > BURST:
            await self._queue(now, ahead, price)

    def correct(self, payer: Payer, seconds: float) -> None:
        """Charges what the work took beyond its price, or gives back (below 0) what it didn't take."""
        now, wall = self._now(), seconds / self.share
        latest = now + MOST_DEBT
        self._addresses[payer.address] = min(max(self._addresses.get(payer.address, now), now) + wall, latest)
        if payer.identity:
            self._identities[payer.identity] = min(max(self._identities.get(payer.identity, now), now) + wall, latest)
        if payer.connection is not None:
            payer.connection = min(max(payer.connection, now) + seconds / self._connection_share, latest)
        self.charged += seconds
        self._started += seconds
        if seconds > 0:
            self._free_at = max(self._free_at, now) + seconds / self._pace

    async def do_for_client(self, work: Coroutine[Any, Any, None]) -> None:
        """Does what a client's request has led to, at the client's cost; free of charge if it was not a client's."""
        payer = PAYING.get(None)
        if payer is None:
            await work
        else:
            await Timed(self, payer, NOTES, 0.0, work)

    def warn_of_proxy(self, scope: Scope) -> None:
        """Once, if a refused request came through an untrusted proxy: then all its clients count as one."""
        client = scope.get("client")
        names_client = any(name in FORWARDING for name, _ in scope["headers"])
        if not self._has_warned and names_client and client and client[1] != 0:  # 0 if the proxy's word was taken
            self._has_warned = True
            log.warning(
                "refused a request of an untrusted proxy: its clients count as one; if you run it, add it to `proxies`",
                address=client[0],
            )

    def release(self) -> None:
        """Wakes those whose turn has come, and sets the timer for the rest.

        Of those within their share one at a time; of the others as many as fit into `SLACK`.
        """
        self._timer = None
        now, waiting, line = self._now(), self._waiting, self._line
        self._late = max(self._late, now - self._timer_at)
        while line and self._line_at < now + EARLY:
            turn, price = line.popleft()
            if not turn.done():  # else the client has gone
                turn.set_result(None)
                self._line_at = now + price
        if line:
            self._set_timer(now, self._line_at)
        self._free_at = max(self._free_at, now)
        while waiting and waiting[0][0] < now + EARLY and self._free_at < now + SLACK:
            _, _, turn, price = heapq.heappop(waiting)
            self._queued -= price
            if not turn.done():
                turn.set_result(None)
                self._started += price
                self._free_at += price / self._pace
        if waiting:
            self._set_timer(now, max(waiting[0][0], self._free_at))

    def _line_up(self, now: float, price: float) -> asyncio.Future[None]:
        """For expensive work of clients within their share: it waits for other such work only."""
        turn = self._turn()
        self._line.append((turn, price))
        self._set_timer(now, self._line_at)
        return turn

    def _turn(self) -> asyncio.Future[None]:
        if self.waiting >= MOST_WAITING:
            self.refused += 1
            raise OverBudget(MOST_WAIT)
        return asyncio.get_running_loop().create_future()

    def _queue(self, now: float, ahead: float, price: float) -> asyncio.Future[None]:
        turn = self._turn()
        self.slowed += 1
        ready = now + ahead - BURST  # in the past for a client that has not used its burst: it comes before the others
        self._number += 1
        heapq.heappush(self._waiting, (ready, self._number, turn, price))
        self._queued += price
        self._set_timer(now, max(ready, self._free_at))
        return turn

    def _set_timer(self, now: float, at: float) -> None:
        if self._timer is not None:
            if self._timer_at <= at:
                return
            self._timer.cancel()
        call_later = self._call_later or asyncio.get_running_loop().call_later
        self._timer_at, self._timer = at, call_later(max(0.0, at - now), self.release)

    def _refuse_flood(self, payer: Payer, unread: int, now: float) -> None:
        """A client that is slowed down waits for its answers; one that goes on sending regardless is refused."""
        if not unread:
            payer.flooding_since = None
        elif payer.flooding_since is None:
            payer.flooding_since = now
        elif now - payer.flooding_since > MOST_FLOOD:
            raise self._refusal(payer.address, now, BURST + MOST_WAIT)

    def _refusal(self, address: str, now: float, ahead: float) -> OverBudget:
        self.refused += 1
        self.charged += REFUSAL
        if address in self._addresses:
            self._addresses[address] = min(self._addresses[address] + REFUSAL / self.share, now + MOST_DEBT)
        return OverBudget(ahead - BURST)

    def _tick(self, now: float) -> None:
        passed = now - self._ticked
        self._light_rate += (self._light / passed - self._light_rate) / 4
        is_late = self._late > LATE
        self._throttle = max(LEAST_THROTTLE, self._throttle * SLOW) if is_late else min(1.0, self._throttle * GROW)
        self._late = 0.0
        self._pace = max(LEAST_PACE, self._total - self._light_rate) * self._throttle
        if self._started > self._full * passed or self._queued > LONG_QUEUE * self._pace:
            self.share = max(min(LEAST_SHARE, self._most_share), self.share * SHRINK)
        else:
            self.share = min(self._most_share, self.share * GROW ** min(100.0, passed / TICK))
        self._light = self._started = 0.0
        self._ticked, self._cpu_ticked = now, self._cpu()
        if now - self._swept >= SWEEP:
            self._swept = now
            self._addresses = {name: at for name, at in self._addresses.items() if at > now}
            self._identities = {name: at for name, at in self._identities.items() if at > now}


class Timed(Generic[T]):
    """Awaits a coroutine, and corrects its price by the time for which it holds the event loop.

    What the work takes more is charged at once; what it takes less is given back at the end.
    """

    __slots__ = ("_budget", "_coroutine", "_fixed", "_kind", "_payer", "_price")

    def __init__(
        self,
        budget: CpuBudget,
        payer: Payer,
        kind: str,
        price: float,
        coroutine: Coroutine[Any, Any, T],
        fixed: float = 0.0,
    ) -> None:
        """`fixed` is the part of the price, in seconds, for what happens outside the coroutine."""
        self._budget = budget
        self._payer = payer
        self._kind = kind
        self._price = price
        self._coroutine = coroutine
        self._fixed = fixed

    def __await__(self) -> Generator[Any, Any, T]:
        stopwatch, coroutine = self._budget.stopwatch, self._coroutine
        spent, paid = self._fixed, self._price
        PAYING.set(self._payer)
        step: Callable[[Any], Any] = coroutine.send
        argument: Any = None
        try:
            while True:
                began = stopwatch()
                try:
                    awaited = step(argument)
                except StopIteration as done:
                    result: T = done.value
                    return result
                finally:
                    took = stopwatch() - began
                    spent += took if took < LONG_STEP else self._budget.cpu_of(took)
                    if spent > paid * (1 + CLOSE):
                        self._budget.correct(self._payer, spent - paid)
                        paid = spent
                try:
                    argument = yield awaited
                    step = coroutine.send
                except GeneratorExit:
                    coroutine.close()
                    raise
                except BaseException as error:
                    step, argument = coroutine.throw, error
        finally:
            if spent < paid * (1 - CLOSE):
                self._budget.correct(self._payer, spent - paid)
            self._budget.learn(self._kind, spent)
