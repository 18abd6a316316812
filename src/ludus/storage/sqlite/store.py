"""The default store: a file, with no database server to run."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local
from typing import Any, TypeVar

from ludus.service.ports.store import Beat, Unavailable
from ludus.service.ports.writes import DropErasure, Write
from ludus.service.records import MEMBER_MS
from ludus.storage.errors import BadDatabase
from ludus.storage.reads import Reader, Reads
from ludus.storage.sqlite.faults import translated
from ludus.storage.sqlite.file import open_reader, open_writer, truncate_log
from ludus.storage.sqlite.lease import Lease
from ludus.storage.sqlite.writer import Writer
from ludus.storage.statement import (
    FORGET_MEMBERS,
    HEARTBEAT,
    QUEUE_GAMES,
    QUEUED_GAMES,
    Statement,
    heartbeat,
    statements,
)

V = TypeVar("V")

THREADS = {Reader.PLAY: 1, Reader.LIST: 2}
"""For each kind of reader; rows are read on the event loop, which takes less time than a thread switch."""


SEEN = "UPDATE members SET seen = (SELECT beat - closed FROM house) WHERE id = ?1"


class ReaderThreads:
    """Threads for one kind of read, each with a connection of its own."""

    def __init__(self, path: Path, name: str, threads: int) -> None:
        self._connections = [open_reader(path) for _ in range(threads)]  # at once: later there may be no handle left
        self._free = list(self._connections)
        self._own = local()
        self._pool = ThreadPoolExecutor(threads, f"ludus-{name}", initializer=self._take_connection)

    def _take_connection(self) -> None:
        self._own.connection = self._free.pop()

    async def fetch(self, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V]) -> list[V]:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._fetch, text, values, read)

    def _fetch(self, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V]) -> list[V]:
        return _read(self._own.connection, text, values, read)

    def close(self) -> None:
        self._pool.shutdown()
        for connection in self._connections:
            connection.close()


class SqliteStore(Reads):
    _connection: sqlite3.Connection
    _rows: sqlite3.Connection
    _writer: Writer
    _threads: dict[Reader, ReaderThreads]

    def __init__(self, path: Path, on_commit: Callable[[int, float], None] | None = None) -> None:
        self._path = path
        self._on_commit = on_commit
        self._is_open = False
        self._lease: Lease | None = None

    async def open(self) -> None:
        self._connection = await asyncio.to_thread(open_writer, self._path)
        self._rows = open_reader(self._path)
        self._writer = Writer(self._connection, self._on_commit, self._problem)
        self._threads = {reader: ReaderThreads(self._path, reader.value, number) for reader, number in THREADS.items()}
        self._is_open = True

    async def claim(self, sole: bool = True) -> None:
        if not sole:
            raise BadDatabase("several processes cannot serve one SQLite file; use PostgreSQL, or unset `bus`")
        self._lease = Lease(self._path)
        await self._put([Statement(text, (), may_change_any=True) for text in FORGET_MEMBERS])

    async def keep_lease(self) -> bool:
        """The lock lasts as long as the process, but not the file's name: a file that was replaced is not served."""
        return self._lease is not None and self._lease.is_held

    async def close(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        await self._writer.close()
        for threads in self._threads.values():
            threads.close()
        self._rows.close()
        self._connection.close()  # the last one removes the write-ahead log
        if self._lease is not None:
            self._lease.close()
            self._lease = None

    async def commit(self, *writes: Write) -> None:
        if writes:
            await self._put([statement for write in writes for statement in statements(write)])
        if any(isinstance(write, DropErasure) for write in writes):
            await asyncio.to_thread(truncate_log, self._path)

    async def heartbeat(self, at: int, clock: int | None = None, member: str = "") -> Beat:
        seen = await self._fetch("SELECT seen FROM members WHERE id = ?1", (member,), tuple, Reader.ROW)
        beat = Statement(HEARTBEAT, heartbeat(at, clock))
        await self._put([beat, Statement(SEEN, (member,), may_change_any=True)] if seen else [beat])
        self.is_storing = True
        ((uptime,),) = await self._fetch("SELECT beat - closed FROM house", (), tuple, Reader.ROW)
        return Beat(uptime, at, bool(seen) and uptime - seen[0][0] <= MEMBER_MS)

    async def recount_games(self) -> int:
        forget = "DELETE FROM explorer_moves"
        await self._put([Statement(text, (), may_change_any=True) for text in (forget, QUEUE_GAMES)])
        ((queued,),) = await self._fetch(QUEUED_GAMES, (), tuple, Reader.LIST)
        return int(queued)

    async def _put(self, lines: Sequence[Statement]) -> None:
        try:
            await self._writer.put(lines)
        except Unavailable:
            self.is_storing = False
            raise

    def _problem(self) -> Unavailable | None:
        if self._lease is None or self._lease.is_held:
            return None
        return Unavailable(f"{self._path} has been replaced or removed; put it back, or restart the server")

    async def _fetch(
        self, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V], reader: Reader
    ) -> list[V]:
        if reader is Reader.ROW:
            return _read(self._rows, text, values, read)
        return await self._threads[reader].fetch(text, values, read)


def _read(
    connection: sqlite3.Connection, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V]
) -> list[V]:
    try:
        return [read(row) for row in connection.execute(text, values)]
    except sqlite3.Error as error:
        raise translated(error, is_read=True) from error
