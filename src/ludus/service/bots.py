"""Bots are players: each has a seat, chooses its moves in a worker process, and uses the same commands as people."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from itertools import count
from math import inf
from random import Random
from typing import Final, Protocol

from structlog.contextvars import bind_contextvars

from ludus.core.errors import BadMove
from ludus.core.rules import Reason
from ludus.engines.engine import Limit
from ludus.engines.resignation import is_enough
from ludus.service.cluster import Cluster, Work
from ludus.service.commands import Abort, AcceptResignation, Command, DeclineDraw, DeclineResignation, Play
from ludus.service.engine_pool import EXHIBITIONS, EngineFailed, EnginePool
from ludus.service.exhibitions import is_exhibition
from ludus.service.fair_queue import FairQueue
from ludus.service.pauses import exhibition_pause, pause
from ludus.service.ports.bus import Note, TableChanged, TableRedacted
from ludus.service.ports.store import Unavailable, Unreadable
from ludus.service.table import SeatKind, Table
from ludus.service.tables import NotFound, StaleVersion, Tables

log = logging.getLogger(__name__)
RETRY_SECONDS = 2.0
"""After a bot's failure."""
MAX_FAILURES = 5
"""Consecutive failures of the bot itself; then the game is aborted rather than keep its opponent waiting."""
FAULT_SECONDS = 0.5
"""After the first failure to read or store the game; each pause is twice the one before."""
MAX_FAULT_SECONDS = 4.0
SHORTAGES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC})
"""Of file handles, memory, processes and disk."""
MAX_WITHOUT_BOT: Final = 10_000
"""Tables known to have no bot; one that is forgotten costs a look at the table."""


QUICK_LOOK: Final = Limit(depth=1)
"""How far a bot looks ahead to judge a resignation."""


class BotFailed(Exception):
    """The bot chose no move, or one that is not legal; the cause says why."""


class Watcher(Protocol):
    """Called with the game and the seconds that a bot took to choose a move."""

    def __call__(self, game: str, seconds: float) -> None: ...


class Bots:
    def __init__(
        self,
        tables: Tables,
        engine_pool: EnginePool,
        cluster: Cluster,
        rng: Random,
        scale: float,
        watch: Watcher,
        may_move: Callable[[Table], bool] = lambda _table: True,
    ) -> None:
        """`scale` multiplies the pauses; 0 removes them. `may_move` says whether a table's bots may move now."""
        self._tables = tables
        self._cluster = cluster
        self._engine_pool = engine_pool
        self._rng = rng
        self._scale = scale
        self._watch = watch
        self._may_move = may_move
        self._running: dict[str, asyncio.Task[None]] = {}
        self._owners: dict[str, str] = {}
        """By table, of those whose bots play here; for others it is the player that the bot plays against."""
        self._without_bot: dict[str, None] = {}
        """Tables, the oldest first."""
        self._for_programs: FairQueue[None] = FairQueue()
        """Games against programs, which never pause, share one worker, so that people do not have to queue for one."""
        self._for_programs.put(None)
        self._is_stopped = False

    def is_concerned(self, note: TableChanged) -> bool:
        """Whether a bot may have to move here, or has an owner who may have left."""
        id = note.table
        return id in self._owners or (id not in self._without_bot and self._cluster.has(Work.BOTS, id))

    async def on_note(self, note: Note) -> None:
        if isinstance(note, TableRedacted):
            self._owners.pop(note.table, None)
        elif isinstance(note, TableChanged) and not self._cluster.has(Work.BOTS, note.table):
            self._owners.pop(note.table, None)  # by now the bot plays in another process
        elif isinstance(note, TableChanged) and note.table not in self._without_bot:
            await self._look_at(note.table)

    async def _look_at(self, id: str) -> None:
        table = (self._tables.cached(id) or await self._tables.load(id)).table
        if not _has_bot(table):
            self._without_bot[id] = None
            if len(self._without_bot) > MAX_WITHOUT_BOT:
                del self._without_bot[next(iter(self._without_bot))]
            return
        if table.outcome:
            self._owners.pop(id, None)
        self.consider(table)

    def note_owner(self, table: Table, owner: str) -> None:
        """The player who waits for a table's bot. Owners share the bots' time fairly, however many tables each has."""
        if not table.outcome and _has_bot(table) and self._cluster.has(Work.BOTS, table.id):
            self._owners[table.id] = owner

    def consider(self, table: Table) -> None:
        """Starts a task if it is a bot's turn, its table is one of this process's, and none is running for it."""
        if self._is_stopped or table.id in self._running or not self._cluster.has(Work.BOTS, table.id):
            return
        if _bot_to_act(table) is not None and self._may_move(table):
            self._running[table.id] = asyncio.create_task(self._act(table.id), name=f"bot {table.id}")

    async def stop(self) -> None:
        self._is_stopped = True
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def _act(self, id: str) -> None:
        """Acts until it is the opponent's turn; what fails is tried again after a pause."""
        bind_contextvars(table=id)  # for the log records of this task
        failures = faults = 0
        try:
            while True:
                try:
                    table = (await self._tables.load(id)).table
                    if (seat := _bot_to_act(table)) is None or not self._cluster.has(Work.BOTS, id):
                        return
                    if not self._may_move(table):
                        return
                    with suppress(StaleVersion):  # the table has changed: load it again
                        await (self._act_once(table, seat) if failures < MAX_FAILURES else self._give_up(table, seat))
                    failures = faults = 0
                except BotFailed as failure:
                    failures += 1
                    _log_failure(failure.__cause__)
                    await asyncio.sleep(RETRY_SECONDS)
                except (NotFound, Unreadable):
                    return  # deleted, or set aside
                except Exception as error:  # not the bot's fault: the game continues as soon as it can
                    if not isinstance(error, Unavailable):  # the sweep reports that
                        log.exception("a bot's game is on hold; retrying")
                    await asyncio.sleep(_pause_after(faults))
                    faults += 1
        finally:  # not in a done callback: a move published in between would get no answer
            self._running.pop(id, None)

    async def _give_up(self, table: Table, seat: int) -> None:
        log.error("a game is aborted: its bot failed %s times", MAX_FAILURES)
        await self._execute(table, Abort(seat, Reason.CANCELLED))

    async def _act_once(self, table: Table, seat: int) -> None:
        if table.offer == 1 - seat:
            await self._execute(table, DeclineDraw(seat))
        elif table.resignation is not None and _has_resignation(table, seat):
            await self._answer_resignation(table, seat, table.resignation.win)
        else:
            await self._move(table, seat)

    async def _answer_resignation(self, table: Table, seat: int, win: int) -> None:
        """Accepts what is worth at least as much as playing on."""
        *past, position = table.game.positions
        try:
            owner = self._owners.get(table.id, table.seats[1 - seat].key)
            lines = (
                await self._engine_pool.assess(table.opening.game, position, QUICK_LOOK, past, 1, None, owner)
            ).lines
        except Exception as error:
            if _is_shortage(error):
                raise
            raise BotFailed from error
        accepts = is_enough(table.game.rules, position, win, lines[0], is_winners=table.mover == seat)
        await self._execute(table, AcceptResignation(seat) if accepts else DeclineResignation(seat))

    async def _move(self, table: Table, seat: int) -> None:
        level = table.seats[seat].level
        clock = asyncio.get_running_loop().time
        is_for_people = is_exhibition(table) or any(seat.kind == SeatKind.PERSON for seat in table.seats)
        allowed = self._allowed_seconds(table, seat)
        until = clock() + (min(self._pause(table, level), allowed) if is_for_people else 0)
        owner = EXHIBITIONS if is_exhibition(table) else self._owners.get(table.id, table.seats[1 - seat].key)
        async with nullcontext() if is_for_people else self._turn_of_program(owner, table.opening.game, level):
            started = clock()
            text = await self._choose(table, level, owner, allowed)
            self._watch(table.opening.game, clock() - started)
        await asyncio.sleep(max(0.0, until - clock()))
        now = (await self._tables.load(table.id)).table
        if _has_resignation(now, seat):
            return  # to be answered first: the move would refuse it
        if now.mover == seat and now.turn_version == table.turn_version:  # not over or taken back in the meantime
            try:
                await self._execute(now, Play(seat, text))
            except BadMove as error:
                raise BotFailed from error

    def _allowed_seconds(self, table: Table, seat: int) -> float:
        """What the bot's clock allows for this move; any time without a clock."""
        time_control = table.opening.time_control
        if time_control is None or not table.is_clocked:
            return inf
        return time_control.allowance(table.remaining(self._tables.uptime())[seat]) / 1000

    def _pause(self, table: Table, level: str) -> float:
        if is_exhibition(table):
            return exhibition_pause(self._rng, self._scale)
        return pause(level, self._rng, self._scale)

    async def _choose(self, table: Table, level: str, owner: str, seconds: float) -> str:
        """The bot's move in notation."""
        *past, position = table.game.positions
        seed = self._rng.getrandbits(63)
        try:
            move = await self._engine_pool.choose(table.opening.game, position, level, seed, past, owner, seconds)
            return table.game.rules.notation.write_move(position, move)
        except Exception as error:
            if _is_shortage(error):
                raise
            raise BotFailed from error

    async def _execute(self, table: Table, command: Command) -> None:
        """Tries until the command is stored. If an attempt was stored that seemed to fail, the next finds it stale."""
        for faults in count():
            try:
                await self._tables.execute(table.id, command, expected=table.version)
                return
            except Unavailable:
                await asyncio.sleep(_pause_after(faults))

    @asynccontextmanager
    async def _turn_of_program(self, owner: str, game: str, level: str) -> AsyncIterator[None]:
        await self._for_programs.get(owner, self._engine_pool.expected_seconds(game, level))
        try:
            yield
        finally:
            self._for_programs.put(None)


def _pause_after(faults: int) -> float:
    """Seconds to wait after so many faults in a row before this one."""
    return float(min(MAX_FAULT_SECONDS, FAULT_SECONDS * 2 ** min(faults, 10)))


def _is_shortage(error: Exception) -> bool:
    """Whether there is no move because of the machine, not the bot: no worker can be started for it."""
    return any(isinstance(each, OSError) and each.errno in SHORTAGES for each in (error, error.__cause__))


def _log_failure(cause: BaseException | None) -> None:
    log.error("a bot could not act: %s", cause, exc_info=None if isinstance(cause, EngineFailed) else cause)


def _has_bot(table: Table) -> bool:
    return any(seat.kind == SeatKind.BOT for seat in table.seats)


def _bot_to_act(table: Table) -> int | None:
    """The seat of a bot that has to answer an offer or move."""
    for seat, player in enumerate(table.opening.seats):
        if player.kind == SeatKind.BOT and not table.outcome and (table.mover == seat or _has_offer(table, seat)):
            return seat
    return None


def _has_offer(table: Table, seat: int) -> bool:
    """Whether the other player offers this one a draw or a resignation."""
    return _has_resignation(table, seat) or table.offer == 1 - seat


def _has_resignation(table: Table, seat: int) -> bool:
    return table.resignation is not None and table.resignation.seat == 1 - seat
