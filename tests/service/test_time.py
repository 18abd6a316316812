"""A fault costs nobody a game: outages, clock changes, suspensions and restarts in any order, against a plain model.

The model knows what really happened: when the server worked, and how long each player has kept the other waiting. Who
loses on time must have had the whole limit while it worked; who has kept the other waiting for longer must lose.
"""

from __future__ import annotations

import asyncio
import inspect
import tempfile
from collections.abc import Awaitable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar, cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.service.parts import FakeClock, first_play
from tests.service.platforms import SECRET, FirstMove, seated, settle, wanted

from ludus.bus.memory import MemoryBus
from ludus.service.clock import GRACE, SETTLE
from ludus.service.commands import Command, Leave, Return
from ludus.service.platform import Platform, Timeouts
from ludus.service.ports.store import Store, Unavailable
from ludus.service.ports.writes import PutTenant
from ludus.service.records import Tenant
from ludus.storage import store_for

pytestmark = pytest.mark.slow

T = TypeVar("T")
IDLE, AWAY, SESSION = 14_000, 10_000, 20_000
TIMEOUTS = Timeouts(warn=6_000, idle=IDLE, reconnect=AWAY, session=SESSION, room=SESSION)
CREDIT = SETTLE + GRACE
"""Milliseconds that a fault gives everybody at most, besides its own length."""
TABLES = st.integers(0, 1)
SEATS = st.integers(0, 1)
WRITES = ("commit", "heartbeat")


class Span(NamedTuple):
    start: int
    end: int

    def within(self, since: int, until: int) -> int:
        return max(0, min(self.end, until) - max(self.start, since))


class FaultyStore:
    """A store that refuses to write, or to do anything, and that may take its time."""

    def __init__(self, store: Store, clock: FakeClock) -> None:
        self._store = store
        self._clock = clock
        self.fault = ""
        """`writes` or `all`."""
        self.is_refused = False
        """Whether something was refused since that was last set to false."""
        self.stall: tuple[int, float] | None = None
        """How many calls are answered at once, and how many seconds the next one takes."""
        self.stalled: list[Span] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not inspect.iscoroutinefunction(found) or name in ("open", "close", "claim"):
            return found

        async def call(*args: Any, **options: Any) -> Any:
            self._take_time()
            if self.fault == "all" or (self.fault and name in WRITES):
                self.is_refused = self.is_refused or name in WRITES
                raise Unavailable("the disk is full")
            return await found(*args, **options)

        return call

    def _take_time(self) -> None:
        if self.stall is None:
            return
        calls, seconds = self.stall
        self.stall = (calls - 1, seconds) if calls else None
        if not calls:
            start = self._clock.elapsed
            self._clock.wait(seconds)
            self.stalled.append(Span(start, self._clock.elapsed))


class TimeMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.runner = self.stack.enter_context(asyncio.Runner())
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.clock = FakeClock()
        self.closed: list[Span] = []
        """When the server really did not work, for longer than it may miss, or so that somebody was refused."""
        self.missed: list[Span] = []
        """When the server cannot know whether it worked."""
        self.failing_since: int | None = None
        self.was_refused = False
        self.beat = self.clock.elapsed
        self.open_platform()

    @property
    def now(self) -> int:
        """What has really passed since the beginning, in milliseconds."""
        return self.clock.elapsed

    def run(self, coroutine: Awaitable[T]) -> T:
        async def whole() -> T:
            return await coroutine

        return self.runner.run(whole())

    def open_platform(self) -> None:
        self.store = FaultyStore(store_for("", self.folder), self.clock)
        self.platform = Platform(
            cast("Store", self.store), MemoryBus(), FirstMove(), SECRET, TIMEOUTS, clock=self.clock, rng=Random(1)
        )
        self.run(self.platform.open())
        self.run(settle(self.platform))
        self.beat = self.now

    @initialize()
    def begin(self) -> None:
        self.run(self.platform.store.commit(PutTenant(Tenant("acme", "Acme", 0))))
        self.tables = [self.run(seated(self.platform))[0].id for _ in range(2)]
        self.turn_since = [self.now, self.now]
        self.away: list[list[int | None]] = [[None, None], [None, None]]
        self.session = self.run(self.platform.sessions.create(wanted())).session.id
        self.session_since = self.now

    def worked(self, since: int) -> int:
        """How long the server has worked since then, in milliseconds."""
        closed, counted = 0, since
        for span in sorted(self.closed):  # they may overlap
            closed += span.within(counted, self.now)
            counted = max(counted, span.end)
        return self.now - since - closed

    def known(self, since: int) -> int:
        """How long the server must know to have worked since then, at least."""
        spans = [span for span in self.missed if span.end >= since - CREDIT]
        return self.now - since - sum(span.within(since, self.now) + CREDIT for span in spans)

    @contextmanager
    def noted(self) -> Iterator[None]:
        """What is refused is known to have been, and what took its time was closed meanwhile."""
        with suppress(Unavailable):
            yield
        self.was_refused = self.was_refused or self.store.is_refused
        self.store.is_refused = False
        self.closed += self.store.stalled
        self.store.stalled.clear()

    def round(self) -> None:
        """What the server does every second."""
        started = self.now
        with self.noted():
            self.run(self.platform._heartbeat())
            self.note_heartbeat(started)
            self.run(self.platform.lobby.sweep())
            self.run(self.platform.sweep())
        if not self.store.fault and self.now == started:
            self.everybody_who_is_late_has_lost()
        self.nobody_lost_unjustly()

    def note_heartbeat(self, at: int) -> None:
        if at - self.beat > GRACE or self.was_refused:
            self.missed.append(Span(self.beat, at))
        self.beat, self.was_refused = at, False

    def command(self, table: int, command: Command) -> bool:
        """Whether it was accepted."""
        with self.noted():
            return self.run(self.platform.tables.execute(self.tables[table], command)).event is not None
        return False

    def outcome(self, table: int) -> Any:
        return self.run(self.platform.tables.load(self.tables[table])).table.outcome

    def nobody_lost_unjustly(self) -> None:
        with self.working():
            for table in range(len(self.tables)):
                outcome = self.outcome(table)
                if outcome is not None:
                    loser = 1 - outcome.winner
                    since = self.away[table][loser] if outcome.reason == "disconnect" else self.turn_since[table]
                    assert since is not None
                    limit = AWAY if outcome.reason == "disconnect" else IDLE
                    assert self.worked(since) >= limit, f"{outcome} after {self.worked(since)} of {limit} ms"
            if self.run(self.platform.sessions.get(self.session)).status == "ended":
                assert self.worked(self.session_since) >= SESSION

    def everybody_who_is_late_has_lost(self) -> None:
        with self.working():
            for table in range(len(self.tables)):
                if self.outcome(table) is None:
                    assert self.known(self.turn_since[table]) < IDLE
                    for since in self.away[table]:
                        assert since is None or self.known(since) < AWAY
            if self.run(self.platform.sessions.get(self.session)).status == "pending":
                assert self.known(self.session_since) < SESSION

    @contextmanager
    def working(self) -> Iterator[None]:
        """For the test's own questions to the store."""
        state = self.store.fault, self.store.stall
        self.store.fault, self.store.stall = "", None
        yield
        self.store.fault, self.store.stall = state

    @rule(seconds=st.integers(1, 8))
    def the_server_runs(self, seconds: int) -> None:
        for _ in range(seconds):
            self.clock.wait(1)
            self.round()

    @precondition(lambda self: not self.store.fault and self.store.stall is None)
    @rule(left=st.sampled_from([200, 1500]))
    def a_deadline_comes_near(self, left: int) -> None:
        """So near that the next fault decides."""
        for _ in range((IDLE + CREDIT) // 1000):
            due = [due for due in map(self.deadline, range(len(self.tables))) if due is not None]
            wait = min(due, default=0) - self.platform.clock.moment().clock - left
            if wait <= 0:
                break
            self.clock.wait(min(1000, wait) / 1000)
            self.round()

    def deadline(self, table: int) -> int | None:
        """When somebody loses, according to the server."""
        live = self.run(self.platform.tables.load(self.tables[table])).table
        ends = [end for end in (live.idle_due(), live.away_due(0), live.away_due(1)) if end is not None]
        return min(ends, default=None)

    @rule(seconds=st.sampled_from([0.2, 1, 2.5]))
    def a_heartbeat_is_late(self, seconds: float) -> None:
        self.clock.wait(seconds)

    @rule()
    def a_sweep_comes(self) -> None:
        with self.noted():
            self.run(self.platform.sweep())
        self.nobody_lost_unjustly()

    @rule(table=TABLES)
    def a_move(self, table: int) -> None:
        with self.working():
            live = self.run(self.platform.tables.load(self.tables[table])).table
        if live.outcome is None:
            now = self.now
            if self.command(table, first_play(live)):
                self.turn_since[table] = now

    @rule(table=TABLES, seat=SEATS)
    def somebody_leaves(self, table: int, seat: int) -> None:
        now = self.now
        if self.command(table, Leave(seat)):
            self.away[table][seat] = now

    @rule(table=TABLES, seat=SEATS)
    def somebody_returns(self, table: int, seat: int) -> None:
        if self.command(table, Return(seat)):
            self.away[table][seat] = None

    @precondition(lambda self: self.failing_since is None)
    @rule(what=st.sampled_from(["writes", "all"]))
    def storage_fails(self, what: str) -> None:
        self.store.fault, self.failing_since = what, self.now

    @precondition(lambda self: self.failing_since is not None)
    @rule()
    def storage_returns(self) -> None:
        assert self.failing_since is not None
        if self.was_refused or self.now - self.failing_since > GRACE:
            self.closed.append(Span(self.failing_since, self.now))
        self.store.fault, self.failing_since = "", None

    @precondition(lambda self: self.failing_since is None)
    @rule(table=TABLES, seconds=st.sampled_from([0.2, 1, 2.5]))
    def storage_fails_for_a_moment(self, table: int, seconds: float) -> None:
        """In which somebody wants to move."""
        self.storage_fails("writes")
        self.a_move(table)
        self.clock.wait(seconds)
        self.storage_returns()
        self.a_sweep_comes()

    @rule(seconds=st.sampled_from([4, 60, 3600]), is_near=st.booleans(), is_swept=st.booleans())
    def the_process_is_suspended(self, seconds: int, is_near: bool, is_swept: bool) -> None:
        if is_near and not self.store.fault and self.store.stall is None:
            self.a_deadline_comes_near(200)
        start = self.now
        self.clock.wait(seconds)
        self.closed.append(Span(start, self.now))
        if is_swept:  # before the next heartbeat
            self.a_sweep_comes()

    @rule(calls=st.integers(0, 4), seconds=st.sampled_from([4, 60, 3600]))
    def storage_will_stall(self, calls: int, seconds: int) -> None:
        self.store.stall = calls, seconds

    @rule(seconds=st.sampled_from([-86_400, -120, -31, 31, 120, 86_400]), is_swept=st.booleans())
    def the_wall_clock_is_set(self, seconds: int, is_swept: bool) -> None:
        self.clock.jump(seconds)
        if is_swept:
            self.a_sweep_comes()

    @precondition(lambda self: self.failing_since is None)
    @rule(seconds=st.sampled_from([0, 1, 40, 3600]), is_killed=st.booleans())
    def the_server_restarts(self, seconds: int, is_killed: bool) -> None:
        """All who were connected are away from then on."""
        self.store.stall = None
        with self.noted():
            self.run(self.platform.store.close() if is_killed else self.platform.close())
        start, beat = self.now, self.beat
        self.clock.wait(seconds)
        self.closed.append(Span(start, self.now))
        self.missed.append(Span(beat, self.now))
        self.was_refused = False
        self.open_platform()
        for table in range(len(self.tables)):
            if self.outcome(table) is None:
                self.away[table] = [self.now if since is None else since for since in self.away[table]]

    @invariant()
    def the_platform_has_no_tasks(self) -> None:
        assert all(task.done() for task in self.platform._tasks)

    def teardown(self) -> None:
        """Nothing fails any more: within the longest limit, and what the faults gave, all who wait must lose."""
        try:
            if hasattr(self, "tables"):
                if self.failing_since is not None:
                    self.storage_returns()
                self.store.stall = None
                for _ in range((SESSION + CREDIT) // 1000 + 1):
                    self.clock.wait(1)
                    self.round()
                assert None not in [self.outcome(table) for table in range(len(self.tables))]
            self.run(self.platform.close())
        finally:
            self.stack.close()


TimeMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestTime = TimeMachine.TestCase
