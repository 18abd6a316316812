"""A server process pinned to one core, and the resources that it and its children use (Linux)."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
STOP_SECONDS = 60.0


class Served(Protocol):
    """One server or several that act as one."""

    @property
    def ports(self) -> str:
        """Between commas."""
        ...

    def cpu_seconds(self) -> float: ...

    def memory_bytes(self) -> int: ...


class Server(NamedTuple):
    pid: int
    port: int

    @property
    def ports(self) -> str:
        return str(self.port)

    def cpu_seconds(self) -> float:
        """CPU time so far, including live children."""
        return sum(sum(map(int, stat[11:13])) for stat in self._stats()) / TICKS

    def memory_bytes(self) -> int:
        """Memory of the process and its live children; what several processes share is divided between them."""
        return sum(map(memory_of, family(self.pid)))

    def own_memory_bytes(self) -> int:
        """Of the process without its children, such as those that bots think in."""
        return memory_of(self.pid)

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


def memory_of(pid: int) -> int:
    """The proportional set size in bytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024


def stat_of(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` after the second one, a name that may contain anything."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def server_core() -> int:
    return min(os.sched_getaffinity(0))


def client_core() -> int:
    return max(os.sched_getaffinity(0))


@contextlib.contextmanager
def serve(command: Sequence[str], env: Mapping[str, str], log: Path, core: int | None = None) -> Iterator[Server]:
    """Starts the server on a core, by default the first, waits for the line with its port, and stops it at the end."""
    pinned = ["taskset", "--cpu-list", str(server_core() if core is None else core), *command]
    with log.open("w") as errors:
        process = subprocess.Popen(pinned, env=os.environ | dict(env), stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        yield Server(process.pid, port_of(process, log))
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def port_of(process: subprocess.Popen[str], log: Path) -> int:
    """From the first line that ends with one; later output is discarded."""
    assert process.stdout
    for line in process.stdout:
        if found := re.search(r"(?:port |http://\S+:)(\d+)\s*$", line):
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return int(found[1])
    raise RuntimeError(f"{process.args!r} ended with {process.wait()}: {log.read_text()[-2000:]}")
