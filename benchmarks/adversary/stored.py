"""Many finished games in a database, so that reads of all of them would show."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import asyncpg

from ludus.storage import FILE, store_for

COLUMNS = "id, version, game, mode, door, status, due, players, moves, opened_at, ended_at, result"
HOUR = 3_600_000


def store_games(database: str, data: Path, number: int, now: int) -> None:
    """Opens a new database and fills it, before the server does; `now` is in milliseconds."""
    asyncio.run(fill(database, data, number, now))


async def fill(database: str, data: Path, number: int, now: int) -> None:
    """`database` is a URL, or empty for SQLite in the folder `data`."""
    store = store_for(database, data)
    await store.open()
    await store.close()
    places = range(1, COLUMNS.count(",") + 2)
    if database:
        connection = await asyncpg.connect(database)
        values = ", ".join(f"${place}" for place in places)
        await connection.executemany(f"INSERT INTO tables ({COLUMNS}) VALUES ({values})", rows(number, now))
        await connection.close()
        return
    with closing(sqlite3.connect(data / FILE)) as file, file:
        values = ", ".join("?" for _ in places)
        file.executemany(f"INSERT INTO tables ({COLUMNS}) VALUES ({values})", rows(number, now))


def rows(number: int, now: int) -> Iterator[tuple[object, ...]]:
    players = json.dumps(
        [{"key": f"guest/{seat}", "id": f"{seat}", "name": "Guest", "kind": "person"} for seat in "ab"]
    )
    result = json.dumps({"winner": 0, "reason": "resignation", "points": 1})
    for each in range(number):
        opened = now - HOUR * (1 + each % 2000)
        yield (
            f"stored-{each}",
            50,
            "checkers",
            "training",
            "rooms",
            "over",
            None,
            players,
            48,
            opened,
            opened + 60_000,
            result,
        )
