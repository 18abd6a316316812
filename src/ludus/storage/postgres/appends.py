"""Group commit of moves: those that arrive while the database is busy share the next statement.

Nearly every commit is one event of a live game and nothing else. Sent one by one, each would cost a round trip, a plan
and a flush of the write-ahead log; together they cost one of each.

A group leaves out tables that another transaction has locked: it never waits for one table's sake, and groups of
several processes cannot deadlock. An event that was left out or came too late is then tried alone, which waits for the
lock and tells the one from the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ludus.service.ports.store import Conflict
from ludus.service.ports.writes import Append, Write
from ludus.storage.errors import BadRecord
from ludus.storage.schema import EVENTS, LIVE_TABLES

MAX_GROUP: Final = 500

ROW: Final[Mapping[str, str]] = {"id": "text", "version": "bigint", "due": "bigint", "moves": "bigint"}
"""What a move changes of its table's row: the columns of `LIVE_TABLES.changes` and their types."""
EVENT: Final[Mapping[str, str]] = {
    "table": "text",
    "version": "bigint",
    "at": "bigint",
    "clock": "bigint",
    "kind": "text",
    "seat": "bigint",
    "data": "text",
    "command": "text",
}
"""The columns of `EVENTS.values` and their types."""


def _group_statement() -> str:
    """Changes the rows that are free and whose version is the one before, inserts their events, returns their ids."""
    kinds = [*ROW.values(), *EVENT.values()]
    arrays = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(kinds, 1))
    row = [f"row_{name}" for name in ROW]
    event = [f"event_{name}" for name in EVENT]
    changes = ", ".join(f'"{name}" = row_{name}' for name in ROW if name != "id")
    is_next = "tables.id = row_id AND tables.version = row_version - 1"
    return (
        f"WITH given AS (SELECT * FROM unnest({arrays}) AS given({', '.join([*row, *event])})),"
        f" free AS (SELECT given.* FROM given JOIN tables ON {is_next} FOR UPDATE OF tables SKIP LOCKED),"
        f" moved AS (UPDATE tables SET {changes} FROM free WHERE {is_next} RETURNING {', '.join(event)})"
        f' INSERT INTO events ({EVENTS.columns}) SELECT * FROM moved RETURNING "table"'
    )


GROUP: Final = _group_statement()


class Unit(NamedTuple):
    """One caller's event, as the values of `GROUP`."""

    append: Append
    values: Sequence[Any]
    done: asyncio.Future[None]


def lone_append(writes: Sequence[Write]) -> Append | None:
    """The event, if the writes are one event of a game that goes on, and nothing else."""
    write = writes[0] if len(writes) == 1 else None
    if isinstance(write, Append) and write.row.version > 1 and write.row.status == "live":
        return write
    return None


Send = Callable[[Sequence[Sequence[Any]]], Awaitable[Collection[str]]]
"""Stores a group, given by columns, and returns the ids of the tables whose event was stored."""


class Appends:
    """One group is under way at a time; the next one is collected in the meantime."""

    def __init__(self, send: Send, send_alone: Callable[[Append], Awaitable[None]]) -> None:
        self._send = send
        self._send_alone = send_alone
        self._waiting: list[Unit] = []
        self._is_busy = False
        self._tasks: set[asyncio.Task[None]] = set()

    def put(self, append: Append) -> asyncio.Future[None]:
        """Written even if the future is cancelled: the group may already be under way."""
        row, event = append
        if row.version != event.version or row.id != event.table:
            raise BadRecord("an event and its row must have the same table and version")
        values = [*LIVE_TABLES.changes(row), *EVENTS.values(event)]
        unit = Unit(append, values, asyncio.get_running_loop().create_future())
        self._waiting.append(unit)
        if not self._is_busy:
            self._is_busy = True
            self._start(self._run())
        return unit.done

    async def close(self) -> None:
        """Waits for what was put."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self) -> None:
        try:
            while self._waiting:
                for unit in await self._left_out(self._next_group()):
                    self._start(self._store_alone(unit))  # no other commit waits for its lock
        finally:
            self._is_busy = False

    def _next_group(self) -> list[Unit]:
        """At most one event of each table."""
        group: dict[str, Unit] = {}
        rest: list[Unit] = []
        for unit in self._waiting:
            if len(group) < MAX_GROUP and unit.append.row.id not in group:
                group[unit.append.row.id] = unit
            else:
                rest.append(unit)
        self._waiting = rest
        return list(group.values())

    async def _left_out(self, group: Sequence[Unit]) -> Sequence[Unit]:
        """Stores the others."""
        try:
            stored = await self._send(list(zip(*(unit.values for unit in group), strict=True)))
        except (Conflict, BadRecord):  # of one of them; none was stored
            return group
        except BaseException as error:
            for unit in group:
                _fail(unit, error)
            if not isinstance(error, Exception):
                raise
            return ()
        for unit in group:
            if unit.append.row.id in stored and not unit.done.done():
                unit.done.set_result(None)
        return [unit for unit in group if unit.append.row.id not in stored]

    async def _store_alone(self, unit: Unit) -> None:
        try:
            await self._send_alone(unit.append)
        except Exception as error:
            _fail(unit, error)
        else:
            if not unit.done.done():
                unit.done.set_result(None)


def _fail(unit: Unit, error: BaseException) -> None:
    if not unit.done.done():
        unit.done.set_exception(error)
