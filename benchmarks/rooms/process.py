"""A server in a process of its own, pinned to one core, and what Linux says it and its children use."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
PATIENCE_S = 60.0


class Server(NamedTuple):
    pid: int
    port: int

    def cpu_seconds(self) -> float:
        """Time on a core so far, of all threads and of all children that live."""
        return sum(sum(map(int, stat[11:13])) for stat in self._stats()) / TICKS

    def memory_bytes(self) -> int:
        """Resident memory; what parent and child share counts twice."""
        return sum(int(stat[21]) * PAGE for stat in self._stats())

    def _stats(self) -> list[list[str]]:
        return [stat_of(pid) for pid in family(self.pid)]


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            children.setdefault(int(stat_of(int(entry.parent.name))[1]), []).append(int(entry.parent.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def stat_of(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` from the third, the state, on: the second is a name that may hold anything."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def server_core() -> int:
    return min(os.sched_getaffinity(0))


def client_core() -> int:
    return max(os.sched_getaffinity(0))


@contextlib.contextmanager
def serve(command: Sequence[str], env: Mapping[str, str], log: Path) -> Iterator[Server]:
    """Starts it on the first core, waits for the line that names its port, and stops it in the end."""
    pinned = ["taskset", "--cpu-list", str(server_core()), *command]
    with log.open("w") as errors:
        process = subprocess.Popen(pinned, env=os.environ | dict(env), stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        yield Server(process.pid, port_of(process, log))
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def port_of(process: subprocess.Popen[str], log: Path) -> int:
    """From the first line that ends in one; what comes later is read and dropped."""
    assert process.stdout
    for line in process.stdout:
        if found := re.search(r"(?:port |http://\S+:)(\d+)\s*$", line):
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return int(found[1])
    raise RuntimeError(f"{process.args!r} ended with {process.wait()}: {log.read_text()[-2000:]}")
