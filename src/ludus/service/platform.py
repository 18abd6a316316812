"""The platform: its parts wired together, opened, swept for deadlines, and closed."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import uuid
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from random import Random, SystemRandom
from typing import Any, Final, NamedTuple

from structlog.contextvars import bound_contextvars

from ludus import __version__
from ludus.core.errors import GameIsOver
from ludus.core.rules import Reason
from ludus.puzzles import Puzzle
from ludus.puzzles import puzzles as shipped_puzzles
from ludus.service import history
from ludus.service.address_marks import AddressMarks
from ludus.service.bots import Bots, Watcher
from ludus.service.clock import GRACE, SETTLE, Heartbeat, StoreClock, UptimeClock, WallClock
from ludus.service.cluster import Cluster, Role, Work, secret_mark
from ludus.service.commands import Abort, Tick
from ludus.service.connection_rows import ConnectionRows
from ludus.service.dice import SEED_BYTES
from ludus.service.documents import Documents
from ludus.service.engine_pool import EnginePool
from ludus.service.exhibitions import Exhibitions
from ludus.service.explorer import Explorer
from ludus.service.hints import Hints
from ludus.service.ids import ordered_id
from ludus.service.lobby import ARENA, Lobby, is_bot
from ludus.service.opinions import Opinions
from ludus.service.ports.bus import Bus, DeadlinesMoved, SessionCancelled
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Conflict, Store, Unavailable, Unreadable
from ludus.service.ports.writes import TakeEntry, Write
from ludus.service.presence import Presence
from ludus.service.puzzles import Puzzles
from ludus.service.rating_updates import RatingUpdates
from ludus.service.records import Member, Rating, Session
from ludus.service.seat_codes import SeatCodes
from ludus.service.sessions import Sessions, player_key, pool_of
from ludus.service.table import Limits, Seat, SeatKind, is_page_game
from ludus.service.tables import MAX_TRIES, Tables
from ludus.service.time_control import NO_LIMIT, TimeControl
from ludus.service.tokens import Tokens
from ludus.service.tournaments.director import Director
from ludus.service.tournaments.tournaments import Tournaments
from ludus.service.tutor import Tutor

log = logging.getLogger(__name__)

SWEEP_SECONDS: Final = 0.2
"""Between two checks for expired deadlines."""
HEARTBEAT_SECONDS: Final = 1.0
BATCH: Final = 100
"""Due rows read at once."""
FORGET_EVERY: Final = 10
"""Heartbeats, after which what is no longer needed is removed."""
SYSTEM_RANDOM: Final = SystemRandom()


class Timeouts(NamedTuple):
    """The platform's time limits in milliseconds, and the scale of the bots' pauses."""

    warn: int = 60_000
    idle: int = 90_000
    reconnect: int = 60_000
    session: int = 300_000
    room: int = 600_000
    bot_pause: float = 1.0
    fast_turn: int = 15 * 60_000
    standard_turn: int = 65 * 60_000
    fast_queue: int = 20 * 60_000
    standard_queue: int = 65 * 60_000
    page_reconnect: int = 180_000
    """On our own page, like the next two."""
    page_abandon: int | None = 30 * 24 * 3_600_000
    """How long a game is kept in which nobody moves any more."""
    invitation: int = 24 * 3_600_000
    bot_fallback: int | None = 20_000
    """How long an agent waits for an opponent before it meets a bot; None if it never does."""
    no_show: int = 120_000
    """How long a player of a tournament may take for the first move of a game."""
    grace: int = GRACE
    settle: int = SETTLE

    def limits(
        self,
        channel: str,
        mode: str,
        has_afk_limit: bool,
        seats: Sequence[Seat] = (),
        time_control: TimeControl | None = None,
    ) -> Limits:
        """A table's limits; in the arena the mode is the lane. No game without a limit is kept forever."""
        limits = self._limits(channel, mode, has_afk_limit, seats).under(time_control)
        return limits._replace(abandon=self.page_abandon) if time_control == NO_LIMIT else limits

    def _limits(self, channel: str, mode: str, has_afk_limit: bool, seats: Sequence[Seat]) -> Limits:
        if channel == ARENA:
            return Limits(None, self.fast_turn if mode == "fast" else self.standard_turn, None)
        reconnect, abandon = self.reconnect, None
        if is_page_game(seats):
            if any(seat.kind == SeatKind.BOT for seat in seats):  # nobody is kept waiting
                return Limits(None, None, None, self.page_abandon)
            reconnect, abandon = self.page_reconnect, self.page_abandon
        if not has_afk_limit:
            return Limits(None, None, reconnect, abandon)
        return Limits(self.warn, self.idle, reconnect, abandon)

    def queue(self, lane: str) -> int:
        """How long an agent may stay in the queue."""
        return self.fast_queue if lane == "fast" else self.standard_queue


class Platform:
    def __init__(
        self,
        store: Store,
        bus: Bus,
        engine_pool: EnginePool,
        secret: bytes,
        timeouts: Timeouts,
        clock: Clock | None = None,
        rng: Random | None = None,
        watch: Watcher | None = None,
        open_modes: Collection[str] = ("test", "training"),
        cluster: Cluster | None = None,
        has_exhibitions: bool = False,
        puzzles: Callable[[str], Sequence[Puzzle]] = shipped_puzzles,
    ) -> None:
        """In sessions of the `open_modes` people may play against agents.

        Without a `cluster` no other process serves the same database. With exhibitions, bots play for spectators when
        there is nothing else to watch. `puzzles` are those of each game.
        """
        rng = rng or SYSTEM_RANDOM
        self.cluster = cluster = cluster or Cluster(store, new_member(secret, Role.BOTH))
        self.store = store
        self.bus = bus
        self.timeouts = timeouts
        self.open_modes = open_modes
        clock = clock or WallClock()
        self._store_clock = clock if isinstance(clock, StoreClock) else None
        self.clock = UptimeClock(clock, grace=timeouts.grace, settle=timeouts.settle)
        self.tokens = Tokens(secret)
        self.tables = Tables(
            store,
            bus,
            self.clock,
            self._new_id,
            lambda: secrets.token_bytes(SEED_BYTES),
            is_shared=not cluster.is_sole,
        )
        self.sessions = Sessions(
            store,
            self.clock,
            self.tokens,
            lambda: str(uuid.uuid4()),
            secrets.choice,
            timeouts.session,
            timeouts.room,
            timeouts.invitation,
        )
        self.seat_codes = SeatCodes(store, clock, secrets.choice, secret)
        self.lobby = Lobby(store, bus, self.tables, self.clock, timeouts.limits, cluster, rng, timeouts.bot_fallback)
        self.rating_updates = RatingUpdates(store)
        self.puzzles = Puzzles(store, lambda: self.clock.moment().at, rng, puzzles)
        self.address_marks = AddressMarks(store, clock, secret)
        self.documents = Documents(self.tables)
        self.presence = Presence(self.tables, self.clock, ConnectionRows(store, cluster))
        self.exhibitions = Exhibitions(store, bus, self.tables, cluster, self.clock, rng, is_on=has_exhibitions)
        self.bots = Bots(
            self.tables,
            engine_pool,
            cluster,
            rng,
            timeouts.bot_pause,
            watch or (lambda _game, _seconds: None),
            self.exhibitions.may_move,
        )
        self.exhibitions.wake = self.bots.consider
        self.hints = Hints(self.tables, engine_pool, cluster, bus, rng)
        self.explorer = Explorer(store, is_ours=lambda: self.has_lease and cluster.has(Work.SWEEP, "explorer"))
        self.tutor = Tutor(self.tables, engine_pool, cluster, bus)
        self.opinions = Opinions(engine_pool, cluster, bus, lambda: secrets.token_hex(8))
        self.engine_pool = engine_pool
        self.roster = engine_pool.roster
        self.director = Director(
            store,
            bus,
            self.tables,
            self.clock,
            timeouts.limits,
            cluster,
            self.presence,
            lambda: str(uuid.uuid4()),
            timeouts.no_show,
        )
        self.tournaments = Tournaments(
            store, self.clock, self.director, self.roster, self._new_id, meets_people="training" in open_modes
        )
        self.has_lease = False
        """Whether this process may act on the store: alone, or as a member of the cluster."""
        self._is_sweep_failing = False
        self._is_outdated = False
        """Whether the store has failed or was another process's: what is in memory may not be what is stored."""
        self._is_dropped = False
        """Whether the cluster took this process for dead, and it has not joined again."""
        self._has_gap = False
        """Whether notes of other processes were lost."""
        self._heartbeats = 0
        self._heartbeat_lock = asyncio.Lock()
        self._resuming: set[asyncio.Task[None]] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self.expiry_hooks: list[Callable[[Session, str], Awaitable[Sequence[Write]]]] = []
        """Called with a session that ends without a game, and the reason: `timeout` or `cancelled`."""
        self.catch_up_hooks: list[Callable[[], Awaitable[None]]] = []
        """Called when notes may have been lost, to look in the store for what the clients here wait for."""
        self.tables.hooks += [
            self.sessions.on_decision,
            self.rating_updates.on_decision,
            history.on_decision,
            self.director.on_decision,
        ]
        bus.on_gap.append(self._note_gap)
        bus.subscribe(self.tables.on_note, self.tables.is_concerned)  # first
        bus.subscribe(self.bots.on_note, self.bots.is_concerned)
        bus.subscribe(self.hints.on_note, lambda _change: False)
        bus.subscribe(self.tutor.on_note, lambda _change: False)
        bus.subscribe(self.opinions.on_note, lambda _change: False)
        bus.subscribe(self.exhibitions.on_note, lambda _change: False)

    async def open(self) -> None:
        """Ready on return; games that were live at shutdown are resumed in the background."""
        await self.store.open()
        try:
            await self.store.claim(sole=self.cluster.is_sole)
            at = self.clock.moment().at
            beat = await self.store.heartbeat(at)
            self.clock.resume(at, beat.clock)
            await self.cluster.join(beat.clock)
        except BaseException:
            await self.store.close()
            raise
        self.has_lease = True
        if self.cluster.is_sole:
            await self.lobby.clear("rooms")
        await self.engine_pool.start()
        await self.bus.start()
        work = (self._resume(), self._run(), self._run_tournaments())
        self._tasks = [asyncio.create_task(each) for each in work]
        if not self.cluster.is_sole:
            self._tasks.append(asyncio.create_task(self._pulse()))

    async def prepare_to_stop(self) -> None:
        """Starts no new games, and lets the cluster's other processes take over the work."""
        self.lobby.is_stopping = True
        if not self.cluster.is_sole:
            with suppress(Exception):  # they take over in a few seconds anyway
                await self.cluster.leave()

    async def close(self) -> None:
        """Stops the background tasks; everything accepted is already stored."""
        await self.prepare_to_stop()
        tasks = [*self._tasks, *self._resuming]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.bots.stop()  # after the sweep, which wakes bots
        await self.hints.stop()
        await self.tutor.stop()
        await self.opinions.stop()
        await self.bus.stop()  # after everything that publishes
        await self.engine_pool.stop()
        with suppress(Exception):
            await self._heartbeat()
        await self.store.close()

    async def sweep(self) -> None:
        """Executes what is due at tables and expires sessions, up to a heartbeat that succeeds just before."""
        await self.presence.sweep()
        now = self.clock.moment().clock
        unreadable = self.tables.unreadable
        shards = self.cluster.shards_to_read(Work.SWEEP)
        due = await self.store.tables_due(now, BATCH + len(unreadable), shards)
        tables = [id for id in due if id not in unreadable]
        sessions = await self.store.sessions_due(now, BATCH, shards)
        if not tables and not sessions:
            return
        await self._heartbeat()
        until = self.clock.confirmed
        await asyncio.gather(*[self._tick(table, until) for table in tables])
        for session in sessions:
            if session.due is not None and session.due <= until:
                with _log_and_continue("session", session.id), suppress(Conflict):
                    await self._expire(session)

    async def _tick(self, table: str, until: int) -> None:
        with _log_and_continue("table", table):
            await self.tables.execute(table, Tick(until))
            self.bots.consider((await self.tables.load(table)).table)

    async def cancel(self, id: str) -> Session:
        """Ends a session: one that waits expires at once, a running game ends without a winner. Safe to repeat."""
        for _ in range(MAX_TRIES):
            session = await self.sessions.get(id)
            with suppress(Conflict, GameIsOver):  # it has just changed
                if session.status == "active" and session.table is not None:
                    await self.tables.execute(session.table, Abort(None, Reason.CANCELLED))
                elif session.status == "pending":
                    await self._cancel_pending(session)
                else:
                    return session
        raise Conflict("the session is too busy; try again")

    async def _cancel_pending(self, session: Session) -> None:
        keys = [player_key(session, player["id"]) for player in session.players]
        found = [await self.store.entry_of(session.game, pool_of(session), key) for key in keys]
        taken = [TakeEntry(entry.id) for entry in found if entry and entry.seat["seat"]["session"] == session.id]
        extra = [write for hook in self.expiry_hooks for write in await hook(session, "cancelled")]
        await self.sessions.expire(session, *taken, *extra)
        await self.bus.publish(SessionCancelled(session.id))

    async def _expire(self, session: Session) -> None:
        """Ends the session unless one of its players is in the queue."""
        for player in session.players:
            key = player_key(session, player["id"])
            if await self.store.entry_of(session.game, pool_of(session), key) is not None:
                return await self.sessions.prolong(session)
        extra = [write for hook in self.expiry_hooks for write in await hook(session, "timeout")]
        return await self.sessions.expire(session, *extra)

    def _new_id(self) -> str:
        """Ordered by time, so that games played together share pages in the store."""
        id = ordered_id(self.clock.moment().at, secrets.randbits(32), SYSTEM_RANDOM)
        return id[:-1] + self.cluster.digit(SYSTEM_RANDOM)

    async def rating_of(self, player: str, game: str) -> Rating:
        return await self.rating_updates.rating_of(player, game, self.clock.moment().at)

    async def _heartbeat(self) -> None:
        """Proves that the platform works: it can store something, and take a connection."""
        async with self._heartbeat_lock:
            heartbeat = self.clock.heartbeat()
            try:
                os.close(os.open(os.devnull, os.O_RDONLY))  # fails if no file handle is free
                beat = await self.store.heartbeat(heartbeat.at, heartbeat.clock, self.cluster.id)
            except Exception:
                self.clock.note_fault()
                raise
            is_moved = self.clock.confirm(heartbeat, beat.clock)
            if self._store_clock is not None:
                self._store_clock.note(beat.at, heartbeat.monotonic, self._store_clock.monotonic())
        if not beat.is_member and not self.cluster.is_sole:
            self._is_dropped = True
        if is_moved:
            _log_shift(heartbeat)
            self.bus.notify(DeadlinesMoved())

    async def _rejoin(self) -> None:
        """The other processes took this one for dead: it was suspended, or cut off from the database."""
        log.warning("the cluster took this process for dead; it joins again")
        await self.cluster.join(self.clock.confirmed)
        await self.presence.rejoin()
        self._is_dropped = False

    async def _pulse(self) -> None:
        """In a cluster heartbeats must not wait for other work, or the other processes take this one for dead."""
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            with suppress(Exception):  # the sweep reports it
                if self.has_lease:
                    await self._heartbeat()

    async def _resume(self) -> None:
        """Marks absent players at the live tables and wakes their bots, as soon as the store lets it."""
        while True:
            try:
                return await self._resume_tables(self.cluster.shards_to_read(Work.SWEEP))
            except Unavailable:
                await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _resume_tables(self, shards: Collection[str] | None = None) -> None:
        rows = await self.store.live_tables(shards=shards)
        for start in range(0, len(rows), BATCH):  # concurrently, so that they share commits
            await asyncio.gather(*[self._resume_table(row.id) for row in rows[start : start + BATCH]])

    async def _catch_up(self) -> None:
        """After a fault: players may have come and gone, and another process may have played on."""
        await self._read_changes()
        await self._resume_tables(self.cluster.shards_to_read(Work.SWEEP))
        self._is_outdated = False

    async def _read_changes(self) -> None:
        """What other processes may have changed without this one being notified."""
        self._has_gap = False
        await self.tables.catch_up()
        if not self.cluster.is_sole:
            await self._find_bots_turns()
        for hook in self.catch_up_hooks:
            await hook()

    async def _find_bots_turns(self) -> None:
        """At tables that this process was not notified of."""
        shards = self.cluster.shards[Work.BOTS]
        for row in await self.store.live_tables(shards=shards) if shards else ():
            if self.tables.cached(row.id) is None and any(is_bot(player["key"]) for player in row.players):
                with _log_and_continue("table", row.id):
                    self.bots.consider((await self.tables.load(row.id)).table)

    def _note_gap(self) -> None:
        self._has_gap = True

    async def _share_work(self) -> None:
        """Takes over work that no process does, and what processes that died have left undone."""
        new = await self.cluster.balance(self.clock.confirmed)
        if new:
            self._spawn(self._resume_tables(new))
        await self.presence.sweep_orphans()
        await self.presence.sweep_absences()
        if self._heartbeats % FORGET_EVERY == 0:
            self.tables.evict_unused()
            if self.cluster.has(Work.SWEEP, "0"):
                await self.cluster.forget_dead()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_logged(work))
        self._resuming.add(task)
        task.add_done_callback(self._resuming.discard)

    async def _resume_table(self, table: str) -> None:
        with _log_and_continue("table", table), suppress(Conflict):
            await self.presence.reconcile(table)
            self.bots.consider((await self.tables.load(table)).table)

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        next_heartbeat = 0.0
        while True:
            try:
                if clock() >= next_heartbeat:
                    next_heartbeat = clock() + HEARTBEAT_SECONDS
                    await self._beat()
                if self.has_lease:
                    if self._has_gap:
                        await self._read_changes()
                    await self.sweep()
                self._note_sweep(None)
            except Exception as error:
                self._is_outdated = True
                self._note_sweep(error)
                await asyncio.sleep(HEARTBEAT_SECONDS)
            await asyncio.sleep(SWEEP_SECONDS)

    async def _run_tournaments(self) -> None:
        """Heartbeats and deadlines must not wait for pairings and for new tables."""
        is_failing = False
        while True:
            try:
                if self.has_lease and not self.lobby.is_stopping:
                    await self.director.sweep()
                is_failing = False
            except Unavailable:
                pass  # the sweep reports it
            except Exception:
                if not is_failing:
                    log.exception("tournaments cannot go on; retrying until they can")
                is_failing = True
            await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _beat(self) -> None:
        """Once a second."""
        await self._keep_lease()
        if not self.has_lease:
            return
        self._heartbeats += 1
        await self._heartbeat()
        if self._is_dropped and not self.lobby.is_stopping:
            await self._rejoin()
        if self._is_outdated:
            await self._catch_up()
        elif not self.bus.is_connected:
            self._has_gap = True  # until it is, the store is asked
        if not self.cluster.is_sole:
            await self._share_work()
        await self.lobby.sweep()
        if not self.lobby.is_stopping:
            await self.exhibitions.sweep()

    async def _keep_lease(self) -> None:
        """Without the lease another process may be serving the same games: nothing is swept or started here."""
        try:
            is_held = await self.store.keep_lease()
        except Exception:
            self._set_lease(is_held=False)
            raise
        self._set_lease(is_held=is_held)

    def _set_lease(self, *, is_held: bool) -> None:
        if is_held != self.has_lease:
            self._is_outdated = True
            self.has_lease = self.lobby.has_lease = is_held
            log.warning("regained the lease on the database" if is_held else "lost the lease on the database")

    def _note_sweep(self, error: Exception | None) -> None:
        """Logs the first failure in a row and the end of the row."""
        if error is not None and not self._is_sweep_failing:
            is_ours = not isinstance(error, OSError | Unavailable)  # else it is the network or the database
            log.error("the sweep failed; retrying until it works: %s", error, exc_info=error if is_ours else None)
        elif error is None and self._is_sweep_failing:
            log.warning("the sweep works again")
        self._is_sweep_failing = error is not None


def _log_shift(heartbeat: Heartbeat) -> None:
    if heartbeat.missed:
        log.warning("the server did not work for %.1f s; no clocks ran", heartbeat.missed / 1000)
    if heartbeat.is_jump:
        log.warning("the system's clock was set by %+.1f s; deadlines are not affected", heartbeat.jump / 1000)


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Unavailable:
        return  # the sweep reports it, and everything is looked at again when the store works
    except Exception:
        log.exception("games could not be taken over")


def new_member(secret: bytes, role: Role, address: str = "") -> Member:
    """The row by which this process introduces itself to the others."""
    return Member(secrets.token_hex(8), role, address, __version__, secret_mark(secret), 0, is_leaving=False)


@contextmanager
def _log_and_continue(what: str, id: str) -> Iterator[None]:
    """Logs an error at one table or session, so that it does not affect the others."""
    with bound_contextvars(**{what: id}):
        try:
            yield
        except Unavailable:
            raise  # the others would fail in the same way
        except Unreadable:
            return  # reported when the table was set aside
        except Exception:
            log.exception("a %s could not be swept", what)
