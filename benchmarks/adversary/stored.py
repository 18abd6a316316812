"""Many finished games in a database, so that reads of all of them would show."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ludus.storage import FILE, store_for

COLUMNS = "id, version, game, mode, door, status, due, players, moves, opened_at, ended_at, result"
HOUR = 3_600_000


def store_games(data: Path, number: int, now: int) -> None:
    """Opens a new database and fills it, before the server does; `now` is in milliseconds."""
    asyncio.run(create(data))
    database = sqlite3.connect(data / FILE)
    marks = ", ".join("?" * (COLUMNS.count(",") + 1))
    with database:
        database.executemany(f"INSERT INTO tables ({COLUMNS}) VALUES ({marks})", rows(number, now))
    database.close()


async def create(data: Path) -> None:
    store = store_for("", data)
    await store.open()
    await store.close()


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
