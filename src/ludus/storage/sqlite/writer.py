"""Group commit: writes that arrive while the disk is busy share the next commit.

Statements run on the event loop; only `COMMIT`, which waits for the disk, runs in its own thread. Statements take
microseconds, and in another thread each would have to win the GIL back from a busy loop.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import NamedTuple

from ludus.service.ports.store import Conflict, Unavailable
from ludus.storage.errors import BadRecord
from ludus.storage.sqlite.faults import translated
from ludus.storage.sqlite.file import BUSY_TIMEOUT
from ludus.storage.statement import Statement

RACES = (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE)

UNSUITABLE = (sqlite3.DataError, sqlite3.InterfaceError, sqlite3.ProgrammingError, OverflowError)


class Unit(NamedTuple):
    """One caller's statements, all or none."""

    statements: Sequence[Statement]
    done: asyncio.Future[None]


class PartialUnit(Exception):
    """A unit failed after its first statement: its changes must be undone without affecting other units."""


class Writer:
    """At most one transaction is open at a time: the loop begins and fills it, the thread commits it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        on_commit: Callable[[int, float], None] | None,
        problem: Callable[[], Exception | None] = lambda: None,
    ) -> None:
        """`problem` is asked before each transaction whether there is one."""
        self._connection = connection
        self._on_commit = on_commit
        self._problem = problem
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Unit] = []
        self._units: list[Unit] = []
        self._problems: list[Exception | None] = []
        self._began = 0.0
        self._is_closed = False
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = Thread(target=self._run_thread, name="ludus-writer", daemon=True)
        connection.execute("PRAGMA busy_timeout = 0")  # the loop must not wait for another process
        self._thread.start()

    def put(self, statements: Sequence[Statement]) -> asyncio.Future[None]:
        """Written even if the future is cancelled: the commit may already be under way."""
        if self._is_closed:
            raise Unavailable("the store is closed")
        unit = Unit(statements, self._loop.create_future())
        self._waiting.append(unit)
        if self._is_idle.is_set():
            self._is_idle.clear()
            self._loop.call_soon(self._start)
        return unit.done

    async def close(self) -> None:
        """Writes what is queued; the caller closes the connection."""
        self._is_closed = True
        await self._is_idle.wait()
        self._jobs.put(None)
        self._thread.join()

    def _start(self) -> None:
        self._units, self._waiting = self._waiting, []
        self._began = perf_counter()
        problem = self._problem()
        if problem is None:
            self._begin(self._fill)
        else:
            self._finish(problem)

    def _begin(self, then: Callable[[], None]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                self._finish(error)
            else:
                self._jobs.put(partial(self._wait_to_begin, then))
        else:
            then()

    def _fill(self) -> None:
        try:
            self._problems = [self._apply(unit) for unit in self._units]
        except PartialUnit:
            self._connection.execute("ROLLBACK")
            self._begin(self._fill_with_savepoints)
        except Exception as error:
            self._give_up(error)
        else:
            self._jobs.put(self._commit)

    def _fill_with_savepoints(self) -> None:
        """Slower, but each unit can be rolled back on its own."""
        try:
            self._problems = [self._apply_with_savepoint(unit) for unit in self._units]
        except Exception as error:
            self._give_up(error)
        else:
            self._jobs.put(self._commit)

    def _apply(self, unit: Unit) -> Exception | None:
        for place, statement in enumerate(unit.statements):
            problem = self._execute(statement)
            if problem is not None:
                if place:
                    raise PartialUnit
                return problem
        return None

    def _apply_with_savepoint(self, unit: Unit) -> Exception | None:
        self._connection.execute("SAVEPOINT unit")
        problems = (self._execute(statement) for statement in unit.statements)
        problem = next((problem for problem in problems if problem is not None), None)
        if problem is not None:
            self._connection.execute("ROLLBACK TO unit")
        self._connection.execute("RELEASE unit")
        return problem

    def _execute(self, statement: Statement) -> Exception | None:
        """Returns a problem of the statement; raises one of the database."""
        try:
            changed = self._connection.execute(statement.text, statement.values).rowcount
        except sqlite3.IntegrityError as error:
            return Conflict("it already exists") if error.sqlite_errorcode in RACES else BadRecord(str(error))
        except UNSUITABLE as error:
            return BadRecord(str(error))
        return None if changed == 1 or statement.may_change_any else Conflict("a concurrent write was faster")

    def _give_up(self, error: Exception) -> None:
        with suppress(sqlite3.Error):  # a full or failing disk may have ended the transaction already
            self._connection.execute("ROLLBACK")
        self._finish(error)

    def _finish(self, error: Exception | None) -> None:
        units, problems = self._units, self._problems
        self._units, self._problems = [], []
        problem = None if error is None else translated(error)
        for place, unit in enumerate(units):
            _resolve(unit.done, problem or problems[place])
        if self._waiting:
            self._loop.call_soon(self._start)
        else:
            self._is_idle.set()
        if error is None and self._on_commit is not None:
            self._on_commit(len(units), perf_counter() - self._began)

    # below: runs in the thread

    def _run_thread(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _report(self, report: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(report)

    def _wait_to_begin(self, then: Callable[[], None]) -> None:
        report = then
        self._connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT}")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            report = partial(self._finish, error)
        self._connection.execute("PRAGMA busy_timeout = 0")
        self._report(report)

    def _commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._report(partial(self._give_up, error))
        else:
            self._report(partial(self._finish, None))


def _resolve(done: asyncio.Future[None], problem: Exception | None) -> None:
    if done.cancelled():
        return
    if problem is None:
        done.set_result(None)
    else:
        done.set_exception(problem)
