"""The default store: a file, with no database server to run."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from ludus.service.ports import DropErasure, Unavailable, Write
from ludus.storage.reads import Reads
from ludus.storage.sqlite.faults import translated
from ludus.storage.sqlite.file import open_reader, open_writer, truncate_log
from ludus.storage.sqlite.lease import Lease
from ludus.storage.sqlite.writer import Writer
from ludus.storage.statement import Statement, heartbeat, statements

V = TypeVar("V")


class SqliteStore(Reads):
    """Short reads run on the event loop, since they take less time than a thread switch; long ones have a thread."""

    _connection: sqlite3.Connection
    _short: sqlite3.Connection
    _long: sqlite3.Connection
    _writer: Writer
    _thread: ThreadPoolExecutor

    def __init__(self, path: Path, on_commit: Callable[[int, float], None] | None = None) -> None:
        self._path = path
        self._on_commit = on_commit
        self._is_open = False
        self._lease: Lease | None = None

    async def open(self) -> None:
        self._connection = await asyncio.to_thread(open_writer, self._path)
        self._short, self._long = open_reader(self._path), open_reader(self._path)
        self._writer = Writer(self._connection, self._on_commit)
        self._thread = ThreadPoolExecutor(1, "ludus-reader")
        self._is_open = True

    async def claim(self) -> None:
        self._lease = Lease(self._path)

    async def keep_lease(self) -> bool:
        """The lock lasts as long as the process, but not the file's name: a file that was replaced is not served."""
        return self._lease is not None and self._lease.is_held

    async def close(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        await self._writer.close()
        self._thread.shutdown()
        for connection in (
            self._short,
            self._long,
            self._connection,
        ):  # the last close removes the write-ahead log
            connection.close()
        if self._lease is not None:
            self._lease.close()
            self._lease = None

    async def commit(self, *writes: Write) -> None:
        if writes:
            await self._put([statement for write in writes for statement in statements(write)])
        if any(isinstance(write, DropErasure) for write in writes):
            await asyncio.to_thread(truncate_log, self._path)

    async def heartbeat(self, now: int, grace: int) -> int:
        await self._put([heartbeat(now, grace)])
        self.is_storing = True
        return await self._downtime()

    async def _put(self, lines: Sequence[Statement]) -> None:
        try:
            if self._lease is not None and not self._lease.is_held:
                raise Unavailable(f"{self._path} has been replaced or removed; put it back, or restart the server")
            await self._writer.put(lines)
        except Unavailable:
            self.is_storing = False
            raise

    async def _fetch(
        self, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V], is_long: bool
    ) -> list[V]:
        if not is_long:
            return _read(self._short, text, values, read)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, _read, self._long, text, values, read)


def _read(
    connection: sqlite3.Connection, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V]
) -> list[V]:
    try:
        return [read(row) for row in connection.execute(text, values)]
    except sqlite3.Error as error:
        raise translated(error) from error
