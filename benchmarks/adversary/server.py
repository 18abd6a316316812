"""`ludus serve` with its default limits, in one process or several, and what it uses."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from benchmarks.adversary.stored import store_games
from benchmarks.cluster.platform import backends
from benchmarks.rooms.process import PAGE, TICKS, port_of, stat_of

STOP_SECONDS = 60.0
WORKER = b"--process"
"""In the command of one process of several."""


class Server(NamedTuple):
    pid: int
    port: int
    data: Path
    """Where all that it stores is."""

    @property
    def pids(self) -> list[int]:
        """The processes that serve, without the bots' engines."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [int(pid) for pid in children if WORKER in Path(f"/proc/{pid}/cmdline").read_bytes()] or [self.pid]

    def memory_mb(self) -> float:
        """Resident memory."""
        return sum(int(stat_of(pid)[21]) * PAGE for pid in self.pids) / 1e6

    def stored_mb(self) -> float:
        return sum(file.stat().st_size for file in self.data.rglob("*") if file.is_file()) / 1e6

    def cpu_seconds(self) -> float:
        return sum(sum(map(int, stat_of(pid)[11:13])) for pid in self.pids) / TICKS


@contextmanager
def serve(folder: Path, handles: int = 0, workers: int = 1, stored: int = 0) -> Iterator[Server]:
    """`handles` limits each process's open files, `stored` is a number of games to fill the database with.

    More than one process share a port, and a PostgreSQL and a Redis that are started here as well.
    """
    data = folder / "data"
    command = [sys.executable, "-m", "ludus", "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    if handles:
        command = ["prlimit", f"--nofile={handles}:{handles}", *command]
    log, environment = folder / "log.txt", dict(os.environ)
    with ExitStack() as stack:
        if workers > 1:
            found = stack.enter_context(backends())
            environment |= found.addresses
            command += ["--workers", str(workers)]
            data = folder_of(found.database)
        if stored:
            store_games(found.database if workers > 1 else "", data, stored, round(time.time() * 1e3))
        with log.open("w") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
        try:
            yield Server(process.pid, port_of(process, log), data)
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)


def folder_of(database: str) -> Path:
    """Of a PostgreSQL at a socket in its own folder."""
    return Path(parse_qs(urlsplit(database).query)["host"][0]) / "data"
