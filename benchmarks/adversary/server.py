"""`ludus serve` with its default limits, in a process of its own, and what it uses."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.rooms.process import PAGE, TICKS, port_of, stat_of

STOP_SECONDS = 60.0


class Server(NamedTuple):
    pid: int
    port: int
    data: Path

    def memory_mb(self) -> float:
        """Resident memory of the main process, without the bots' engines."""
        return int(stat_of(self.pid)[21]) * PAGE / 1e6

    def stored_mb(self) -> float:
        return sum(file.stat().st_size for file in self.data.iterdir() if file.is_file()) / 1e6

    def cpu_seconds(self) -> float:
        return sum(map(int, stat_of(self.pid)[11:13])) / TICKS


@contextmanager
def serve(folder: Path, handles: int = 0) -> Iterator[Server]:
    """`handles` limits the server's open files."""
    data = folder / "data"
    command = [sys.executable, "-m", "ludus", "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    if handles:
        command = ["prlimit", f"--nofile={handles}:{handles}", *command]
    log = folder / "log.txt"
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        yield Server(process.pid, port_of(process, log), data)
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)
