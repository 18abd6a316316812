"""A server process that can be killed and restarted on the same data and port."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from .forked_command import ForkedCommand
from .ports import free_port

OPEN = re.compile(r"^Ludus is open at (.*)\n", re.MULTILINE)
START_SECONDS = 120.0
STOP_SECONDS = 60.0
WORKER_START = "multiprocessing/spawn.py"
CREDIT = 6.5
"""Seconds by which the server's clock may fall behind with each restart, in the players' favour."""


class Outage(NamedTuple):
    """When a server was killed, and the next one started and open, in milliseconds since 1970."""

    killed_at: int
    spawned_at: int
    open_at: int

    @property
    def closed(self) -> int:
        """A lower bound of the downtime."""
        return self.spawned_at - self.killed_at


class RestartableServer:
    def __init__(self, folder: Path, settings: Mapping[str, object], prepare: Callable[[], None] | None = None) -> None:
        """`prepare` is called in each new process before the server."""
        self.data = folder / "data"
        self.database, self.secret = (str(settings.get(name, "")) for name in ("database", "secret"))
        self._prepare = prepare
        self._log = folder / "log"
        self._output = folder / "output"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LUDUS_")}
        quiet = {"bot_warmup": "false", "exhibitions": "false"}
        settings = {**quiet, "cpu_share": 1000, **settings}  # all clients of a test have one address
        self._environment = clean | {f"LUDUS_{name.upper()}": str(value) for name, value in settings.items()}
        self._process: ForkedCommand | None = None
        self._groups: list[int] = []
        self._port = free_port()
        self._open_since = 0.0
        self._open_before = 0.0
        self._killed_at = 0
        self._url = ""
        self.up = asyncio.Event()
        self.outages: list[Outage] = []

    async def start(self) -> None:
        """Returns when the server is open."""
        spawned_at = now()
        command = ["serve", "--port", str(self._port), "--data", str(self.data)]
        # A session of its own, so that its workers can be told from other processes.
        self._process = ForkedCommand(
            command,
            environment=self._environment,
            folder=self.data.parent,
            output=self._output,
            log=self._log,
            own_session=True,
            prepare=self._prepare,
        )
        self._groups.append(self._process.pid)
        async with asyncio.timeout(START_SECONDS):
            self._url = await self._await_url()
        self._open_since = time.monotonic()
        if self._killed_at:
            self.outages.append(Outage(self._killed_at, spawned_at, now()))
        self.up.set()

    async def kill(self) -> None:
        """With SIGKILL, as the kernel does when memory runs out."""
        self._running.kill()
        self._running.wait()
        self._killed_at = now()
        self.up.clear()
        self._open_before = self.uptime
        self._open_since = 0.0

    async def stop(self) -> int:
        """Returns the exit status."""
        self._running.terminate()
        self.up.clear()
        async with asyncio.timeout(STOP_SECONDS):
            while self._running.poll() is None:
                await asyncio.sleep(0.02)
        return self._running.wait()

    def kill_all(self) -> None:
        """Ends every process that is left, after a run that went wrong."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for group in self._groups:
            end_group(group)

    @property
    def url(self) -> str:
        return self._url

    @property
    def pid(self) -> int:
        return self._running.pid

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    @property
    def errors(self) -> list[str]:
        """Tracebacks, except those of workers that were starting when their server was killed."""
        _, *found = self.log.split("Traceback (most recent call last)")
        return [trace for trace in found if WORKER_START not in trace]

    @property
    def uptime(self) -> float:
        """Seconds that it was open, across restarts."""
        return self._open_before + (time.monotonic() - self._open_since if self._open_since else 0.0)

    @property
    def clock_seconds(self) -> float:
        """A lower bound of the server's own clock."""
        return self.uptime - CREDIT * len(self.outages)

    @property
    def _running(self) -> ForkedCommand:
        assert self._process is not None
        return self._process

    async def _await_url(self) -> str:
        while self._running.poll() is None:
            if self._output.exists() and (found := OPEN.search(self._output.read_text())):
                return found[1]
            await asyncio.sleep(0.02)
        raise RuntimeError(f"the server did not open: {self.log[-2000:]}")


def now() -> int:
    return time.time_ns() // 1_000_000


def end_group(group: int) -> None:
    for pid in survivors(group):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def survivors(group: int) -> list[int]:
    """Processes of a group that still run (Linux only)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _parent, its_group = entry.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(int(entry.parent.name))
    return found
