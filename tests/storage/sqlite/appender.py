"""Plays at many tables of a database and says what has been acknowledged, until it is killed.

python tests/storage/sqlite/appender.py FILE TABLES
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from ludus.service.ports.writes import Append
from ludus.service.records import Event, TableRow
from ludus.storage.sqlite.store import SqliteStore


async def play(store: SqliteStore, table: str) -> None:
    version = len(await store.events(table))
    while True:
        version += 1
        row = TableRow(table, version, "checkers", "live", "rooms", "live", version, (), version, 0)
        await store.commit(Append(row, Event(table, version, 0, 0, "play", 0, {"n": version}, f"c{version}")))
        os.write(1, f"{table} {version}\n".encode())


async def main(path: Path, tables: int) -> None:
    store = SqliteStore(path)
    await store.open()
    await asyncio.gather(*[play(store, f"t{n}") for n in range(tables)])


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
