"""The default store: a file, with no database server to run."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from ludus.service.ports import DropErasure, Write
from ludus.storage.errors import BadDatabase
from ludus.storage.reads import Reads
from ludus.storage.sqlite.file import is_current, open_lease, open_reader, open_writer, truncate_log
from ludus.storage.sqlite.writer import Writer
from ludus.storage.statement import heartbeat, statements

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
        self._lease: IO[str] | None = None

    async def open(self) -> None:
        self._connection = await asyncio.to_thread(open_writer, self._path)
        self._short, self._long = open_reader(self._path), open_reader(self._path)
        self._writer = Writer(self._connection, self._on_commit)
        self._thread = ThreadPoolExecutor(1, "ludus-reader")
        self._is_open = True

    async def claim(self) -> None:
        self._lease = open_lease(self._path)

    async def keep_lease(self) -> bool:
        """The lock lasts as long as the process, but a file that was removed no longer keeps others out."""
        if self._lease is not None and is_current(self._lease, self._path):
            return True
        if self._lease is not None:
            self._lease.close()
            self._lease = None
        with suppress(BadDatabase):
            self._lease = open_lease(self._path)
        return self._lease is not None

    async def close(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        if self._lease is not None:
            self._lease.close()
            self._lease = None
        await self._writer.close()
        self._thread.shutdown()
        for connection in (
            self._short,
            self._long,
            self._connection,
        ):  # the last close removes the write-ahead log
            connection.close()

    async def commit(self, *writes: Write) -> None:
        if writes:
            await self._writer.put([statement for write in writes for statement in statements(write)])
        if any(isinstance(write, DropErasure) for write in writes):
            await asyncio.to_thread(truncate_log, self._path)

    async def heartbeat(self, now: int, grace: int) -> int:
        await self._writer.put([heartbeat(now, grace)])
        return await self._downtime()

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
    return [read(row) for row in connection.execute(text, values)]
