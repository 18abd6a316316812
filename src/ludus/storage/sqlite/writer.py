"""Group commit: whatever waits while the disk is busy shares the next trip to it.

Statements run on the event loop's thread, `COMMIT`, which waits for the disk, in a thread of its own. Statements take
microseconds, and each would have to win the interpreter's lock back from a busy loop if it ran in another thread.
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

from ludus.service.ports import Conflict
from ludus.storage.errors import BadRecord
from ludus.storage.sqlite.file import PATIENCE
from ludus.storage.statement import Statement

RACES = (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE)

UNSUITABLE = (sqlite3.DataError, sqlite3.InterfaceError, sqlite3.ProgrammingError, OverflowError)


class Unit(NamedTuple):
    """What one caller wants written, all or none."""

    statements: Sequence[Statement]
    done: asyncio.Future[None]


class HalfDone(Exception):
    """A unit failed after its first statement: what it changed must be undone without touching the others'."""


class Writer:
    """At most one transaction is open at a time: begun and filled by the loop, committed by the thread."""

    def __init__(self, connection: sqlite3.Connection, on_commit: Callable[[int, float], None] | None) -> None:
        self._connection = connection
        self._on_commit = on_commit
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Unit] = []
        self._units: list[Unit] = []
        self._problems: list[Exception | None] = []
        self._began = 0.0
        self._is_closed = False
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._orders: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = Thread(target=self._obey, name="ludus-writer", daemon=True)
        connection.execute("PRAGMA busy_timeout = 0")  # the loop never waits for another process
        self._thread.start()

    def put(self, statements: Sequence[Statement]) -> asyncio.Future[None]:
        """Written even if the future is cancelled: by then it may be on its way to the disk."""
        if self._is_closed:
            raise RuntimeError("the store is closed")
        unit = Unit(statements, self._loop.create_future())
        self._waiting.append(unit)
        if self._is_idle.is_set():
            self._is_idle.clear()
            self._loop.call_soon(self._start)
        return unit.done

    async def close(self) -> None:
        """Writes what still waits; the connection is the caller's to close."""
        self._is_closed = True
        await self._is_idle.wait()
        self._orders.put(None)
        self._thread.join()

    def _start(self) -> None:
        self._units, self._waiting = self._waiting, []
        self._began = perf_counter()
        self._begin(self._fill)

    def _begin(self, then: Callable[[], None]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                self._finish(error)
            else:
                self._orders.put(partial(self._wait_to_begin, then))
        else:
            then()

    def _fill(self) -> None:
        try:
            self._problems = [self._apply(unit) for unit in self._units]
        except HalfDone:
            self._connection.execute("ROLLBACK")
            self._begin(self._fill_with_care)
        except Exception as error:
            self._give_up(error)
        else:
            self._orders.put(self._commit)

    def _fill_with_care(self) -> None:
        """The slow way, in which every unit can be undone alone."""
        try:
            self._problems = [self._apply_with_care(unit) for unit in self._units]
        except Exception as error:
            self._give_up(error)
        else:
            self._orders.put(self._commit)

    def _apply(self, unit: Unit) -> Exception | None:
        for place, statement in enumerate(unit.statements):
            problem = self._execute(statement)
            if problem is not None:
                if place:
                    raise HalfDone
                return problem
        return None

    def _apply_with_care(self, unit: Unit) -> Exception | None:
        self._connection.execute("SAVEPOINT unit")
        problems = (self._execute(statement) for statement in unit.statements)
        problem = next((problem for problem in problems if problem is not None), None)
        if problem is not None:
            self._connection.execute("ROLLBACK TO unit")
        self._connection.execute("RELEASE unit")
        return problem

    def _execute(self, statement: Statement) -> Exception | None:
        """What is wrong with this statement; what is wrong with the database is raised."""
        try:
            changed = self._connection.execute(*statement).rowcount
        except sqlite3.IntegrityError as error:
            return Conflict("it is there already") if error.sqlite_errorcode in RACES else BadRecord(str(error))
        except UNSUITABLE as error:
            return BadRecord(str(error))
        return None if changed == 1 else Conflict("somebody else was faster")

    def _give_up(self, error: Exception) -> None:
        with suppress(sqlite3.Error):  # a full or failing disk may have ended the transaction by itself
            self._connection.execute("ROLLBACK")
        self._finish(error)

    def _finish(self, error: Exception | None) -> None:
        units, problems = self._units, self._problems
        self._units, self._problems = [], []
        for place, unit in enumerate(units):
            _settle(unit.done, error or problems[place])
        if self._waiting:
            self._loop.call_soon(self._start)
        else:
            self._is_idle.set()
        if error is None and self._on_commit is not None:
            self._on_commit(len(units), perf_counter() - self._began)

    # below: in the thread

    def _obey(self) -> None:
        while (order := self._orders.get()) is not None:
            order()

    def _tell(self, report: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody is left to hear of it
            self._loop.call_soon_threadsafe(report)

    def _wait_to_begin(self, then: Callable[[], None]) -> None:
        report = then
        self._connection.execute(f"PRAGMA busy_timeout = {PATIENCE}")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            report = partial(self._finish, error)
        self._connection.execute("PRAGMA busy_timeout = 0")
        self._tell(report)

    def _commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._tell(partial(self._give_up, error))
        else:
            self._tell(partial(self._finish, None))


def _settle(done: asyncio.Future[None], problem: Exception | None) -> None:
    if done.cancelled():
        return
    if problem is None:
        done.set_result(None)
    else:
        done.set_exception(problem)
