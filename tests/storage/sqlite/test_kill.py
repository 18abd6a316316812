"""What was acknowledged is there, whenever the process is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from ludus.storage.sqlite.store import SqliteStore

pytestmark = pytest.mark.anyio

TABLES = 20
APPENDER = Path(__file__).with_name("appender.py")


def killed(path: Path, lines: int) -> dict[str, int]:
    """The last version acknowledged at each table by a process that is killed after this many lines."""
    with subprocess.Popen([sys.executable, str(APPENDER), str(path), str(TABLES)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        heard = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        heard += process.stdout.readlines()
    assert process.returncode == -9, "it ended by itself"
    whole = [line.split() for line in heard if line.endswith(b"\n")]
    return {table.decode(): int(version) for table, version in whole}


async def test_a_killed_process_has_lost_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    path, chance = tmp_path / "ludus.sqlite3", Random(4)
    for _ in range(5):
        acknowledged = killed(path, chance.randrange(1, 1500))
        store = SqliteStore(path)
        await store.open()
        for table, version in acknowledged.items():
            events = await store.events(table)
            row = await store.table(table)
            assert row is not None and row.version == len(events) >= version
            assert [event.version for event in events] == list(range(1, len(events) + 1))
            assert [event.data["n"] for event in events] == list(range(1, len(events) + 1))
        await store.close()
