"""What a worker needs. What it does is in `tests/cluster/test_worker.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.core.errors import BadInput
from ludus.server import process, worker
from ludus.server.settings import Settings

POSTGRES, REDIS = "postgresql://nowhere", "redis://nowhere"


@pytest.mark.parametrize(("database", "bus"), [("", ""), ("", REDIS), (POSTGRES, ""), ("sqlite:here", REDIS)])
def test_a_worker_needs_postgresql_and_a_bus(tmp_path: Path, database: str, bus: str) -> None:
    with pytest.raises(BadInput, match=r"set LUDUS_DATABASE to postgresql://… and LUDUS_BUS to redis://…$"):
        worker.run(Settings(data=str(tmp_path), database=database, bus=bus))


def test_a_worker_needs_engines(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="set LUDUS_BOT_WORKERS to 1 or more"):
        worker.run(Settings(data=str(tmp_path), database=POSTGRES, bus=REDIS, bot_workers=0))


def test_a_process_alone_needs_engines(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="set LUDUS_BOT_WORKERS to 1 or more, or LUDUS_BUS for workers"):
        process.run(Settings(data=str(tmp_path), bot_workers=0))
