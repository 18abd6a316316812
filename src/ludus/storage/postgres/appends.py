"""Group commit of moves: those that arrive while the database is busy share the next statement.

Nearly every commit is one event of a live game and nothing else. Sent one by one, each would cost a round trip, a plan
and a flush of the write-ahead log; together they cost one of each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ludus.service.ports import Append, Conflict, Write
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
    """Changes the rows whose version is the one before, inserts their events, and returns these tables' ids."""
    kinds = [*ROW.values(), *EVENT.values()]
    arrays = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(kinds, 1))
    row = [f"row_{name}" for name in ROW]
    event = [f"event_{name}" for name in EVENT]
    changes = ", ".join(f'"{name}" = given.row_{name}' for name in ROW if name != "id")
    return (
        f"WITH given AS (SELECT * FROM unnest({arrays}) AS given({', '.join([*row, *event])})),"
        f" moved AS (UPDATE tables SET {changes} FROM given"
        " WHERE tables.id = given.row_id AND tables.version = given.row_version - 1 RETURNING tables.id)"
        f" INSERT INTO events ({EVENTS.columns}) SELECT {', '.join(event)} FROM given"
        ' JOIN moved ON moved.id = given.row_id RETURNING "table"'
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
    """One group is under way at a time; the next one gathers meanwhile."""

    def __init__(self, send: Send, send_alone: Callable[[Append], Awaitable[None]]) -> None:
        self._send = send
        self._send_alone = send_alone
        self._waiting: list[Unit] = []
        self._task: asyncio.Task[None] | None = None

    def put(self, append: Append) -> asyncio.Future[None]:
        """Written even if the future is cancelled: the group may already be under way."""
        row, event = append
        if row.version != event.version or row.id != event.table:
            raise BadRecord("an event and its row must have the same table and version")
        values = [*LIVE_TABLES.changes(row), *EVENTS.values(event)]
        unit = Unit(append, values, asyncio.get_running_loop().create_future())
        self._waiting.append(unit)
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        return unit.done

    async def close(self) -> None:
        """Waits for what was put."""
        while self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._store(self._next_group())
        finally:
            self._task = None

    def _next_group(self) -> list[Unit]:
        """At most one event of each table, in the order of their ids, so that groups seldom wait for each other."""
        group: dict[str, Unit] = {}
        rest: list[Unit] = []
        for unit in self._waiting:
            if len(group) < MAX_GROUP and unit.append.row.id not in group:
                group[unit.append.row.id] = unit
            else:
                rest.append(unit)
        self._waiting = rest
        return [group[id] for id in sorted(group)]

    async def _store(self, group: Sequence[Unit]) -> None:
        try:
            stored = await self._send(list(zip(*(unit.values for unit in group), strict=True)))
        except (Conflict, BadRecord):  # of one of them; the others must not suffer
            for unit in group:
                await self._store_alone(unit)
        except BaseException as error:
            for unit in group:
                _fail(unit, error)
            if not isinstance(error, Exception):
                raise
        else:
            for unit in group:
                if unit.append.row.id not in stored:
                    _fail(unit, Conflict("a concurrent write was faster"))
                elif not unit.done.done():
                    unit.done.set_result(None)

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
