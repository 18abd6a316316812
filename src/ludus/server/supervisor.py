"""`ludus serve --workers N`: starts server processes that share a port, and keeps them running.

The first starts alone: it migrates the database and compiles the engines, and if it cannot start, none can.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from asyncio import FIRST_COMPLETED
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Final, Self

import structlog

from ludus.core.errors import BadInput
from ludus.server.connections.listener import bind, url_of
from ludus.server.logs import open_logs
from ludus.server.service_manager import READY, STOPPING, VARIABLE, notify
from ludus.server.settings import Settings, refuse_weak_secret, variable
from ludus.server.supervised import READY_LINE

log = structlog.get_logger(__name__)

FIRST_PAUSE: Final = 0.25
"""Seconds before a process that has ended is replaced; twice as long each time, unless it has run for a while."""
LONGEST_PAUSE: Final = 30.0
STEADY_SECONDS: Final = 60.0
"""After which the pauses start over."""
RELAY_SECONDS: Final = 1.0
"""For the last lines of a process that has ended."""
KILL_SECONDS: Final = 10.0
"""Beyond `stop_seconds`, after which a process that doesn't stop is killed."""
READY_SECONDS: Final = 300.0
"""In a rolling restart, for a new process to become ready."""
OPEN_SECONDS: Final = 1800.0
"""For each process to become ready at the start: the first may have a large database to migrate."""
CANNOT_START: Final = (OSError, RuntimeError, MemoryError)
"""There is no memory, process, handle or thread left for a new process."""
STOPPED: Final = frozenset({0, -signal.SIGTERM})
"""Exit codes of processes that have stopped as they should; the second is that of one that was still starting."""
FAILED: Final = 1


def supervise(settings: Settings, given: Mapping[str, object]) -> int:
    """Returns the exit code. `given` are the settings of the command line."""
    require_shared(settings)
    refuse_weak_secret(settings)
    open_logs(settings.log_level, settings.log_format, sys.stderr, process="supervisor")
    bind(settings.host, settings.port).close()  # else other processes of this user could be listening already
    with bind(settings.host, settings.port, is_shared=True) as reserved:
        command = _command(settings, given, reserved.getsockname()[1])
        supervisor = Supervisor(command, settings.workers, settings.stop_seconds, overlaps=not settings.internal_port)
        return asyncio.run(supervisor.run(lambda: _welcome(reserved)))


def require_shared(settings: Settings) -> None:
    if not settings.database.startswith("postgresql:") or not settings.bus:
        raise BadInput(
            f"{settings.workers} workers need a database and a bus that they can share:"
            f" set {variable('database')} to postgresql://… and {variable('bus')} to redis://…"
        )
    if not hasattr(socket, "SO_REUSEPORT"):
        raise BadInput("on this system, processes cannot share a port: start them on several, behind a proxy")


def _command(settings: Settings, given: Mapping[str, object], port: int) -> Callable[[int], Sequence[str]]:
    """By the number of a process. Each reads the environment and the file for itself, so a restart takes changes up."""
    options = {**given, "port": port, "workers": settings.workers}
    words = [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
    return lambda number: [sys.executable, "-m", "ludus", "serve", *words, "--process", str(number)]


def _welcome(reserved: socket.socket) -> None:
    sys.stdout.write(f"Ludus is open at {url_of(reserved)}\n")
    sys.stdout.flush()
    notify(READY)


class Child:
    """One server process. It stops by itself when its standard input ends."""

    def __init__(self, number: int, process: asyncio.subprocess.Process) -> None:
        self.number = number
        self.is_ready = False
        self._is_asked = False
        self.began = monotonic()
        self._process = process
        self._ready = asyncio.Event()
        self._relaying = asyncio.create_task(self._relay())
        self.ended = asyncio.create_task(self._wait())

    @classmethod
    async def start(cls, number: int, words: Sequence[str]) -> Self:
        environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment,
            start_new_session=True,  # Ctrl-C is for the supervisor, which passes it on
        )
        return cls(number, process)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def becomes_ready(self, seconds: float | None = None) -> bool:
        """False if it ends before, or takes longer."""
        ready = asyncio.create_task(self._ready.wait())
        await asyncio.wait((ready, self.ended), timeout=seconds, return_when=FIRST_COMPLETED)
        ready.cancel()
        return self.is_ready

    async def stop(self, seconds: float) -> int:
        """Returns its exit code; kills it if it takes longer."""
        self.ask_to_stop()
        await asyncio.wait((self.ended,), timeout=seconds)
        if not self.ended.done():
            log.error("a process did not stop and was killed", number=self.number, pid=self.pid)
            self.send(signal.SIGKILL)
        return await self.ended

    def ask_to_stop(self) -> None:
        """Once, however often it is called."""
        if not self._is_asked:
            self._is_asked = True
            self.send(signal.SIGTERM)

    def send(self, number: signal.Signals) -> None:
        if self._process.returncode is None:
            self._process.send_signal(number)

    async def _relay(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            if line.decode(errors="replace").strip() == READY_LINE:
                self.is_ready = True
                self._ready.set()
            else:
                sys.stdout.write(line.decode(errors="replace"))
                sys.stdout.flush()

    async def _wait(self) -> int:
        code = await self._process.wait()
        await asyncio.wait((self._relaying,), timeout=RELAY_SECONDS)
        self._relaying.cancel()
        return code


class Supervisor:
    def __init__(
        self,
        command: Callable[[int], Sequence[str]],
        workers: int,
        stop_seconds: float,
        *,
        overlaps: bool = True,
        ready_seconds: float = READY_SECONDS,
        open_seconds: float = OPEN_SECONDS,
    ) -> None:
        """`overlaps`: in a rolling restart, a process may start before the one that it replaces has stopped."""
        self._command = command
        self._patience = stop_seconds + KILL_SECONDS
        self._overlaps = overlaps
        self._ready_seconds = ready_seconds
        self._open_seconds = open_seconds
        self._current: dict[int, Child] = {}
        """The process of each number."""
        self._children: set[Child] = set()
        """All that run, with those that are being replaced."""
        self._orders: dict[int, asyncio.Queue[asyncio.Future[str]]] = {
            number: asyncio.Queue() for number in range(1, workers + 1)
        }
        """To replace a process; the result is why that failed, empty if it did not."""
        self._hang_up = asyncio.Event()
        self._stopping = asyncio.Event()

    async def run(self, on_ready: Callable[[], None]) -> int:
        """Returns the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        loop.add_signal_handler(signal.SIGHUP, self._hang_up.set)
        try:
            failure = await self._open()
        except CANNOT_START as error:
            log.error("a process could not be started", reason=_reason(error))
            failure = FAILED
        tasks: list[asyncio.Task[None]] = []
        if failure is None:
            on_ready()
            tasks = [asyncio.create_task(self._roll()), *(asyncio.create_task(self._keep(n)) for n in self._orders)]
            await asyncio.wait((*tasks, asyncio.create_task(self._stopping.wait())), return_when=FIRST_COMPLETED)
            for task in tasks:
                if task.done():  # none returns by itself
                    failure = FAILED
                    log.error("the supervisor failed; stopping", exc_info=task.exception())
        notify(STOPPING)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        codes = await asyncio.gather(*(child.stop(self._patience) for child in self._children))
        if failure is not None:
            return failure
        return 0 if STOPPED.issuperset(codes) else FAILED

    def _stop(self) -> None:
        """The second time, it doesn't wait."""
        if self._stopping.is_set():
            for child in self._children:
                child.send(signal.SIGKILL)
        self._stopping.set()
        for child in self._children:
            child.ask_to_stop()

    async def _open(self) -> int | None:
        """Returns an exit code unless all are ready."""
        first, *others = self._orders
        for numbers in ([first], others):
            children = [await self._start(number) for number in numbers]
            self._current.update(zip(numbers, children, strict=True))
            for child in children:
                if not await child.becomes_ready(self._open_seconds):
                    if not child.ended.done() and not self._stopping.is_set():
                        log.error(
                            "a process did not become ready; stopping: its own log says what it waits for",
                            number=child.number,
                            pid=child.pid,
                            seconds=self._open_seconds,
                        )
                        return FAILED
                    code = await child.ended
                    return 0 if self._stopping.is_set() else max(code, FAILED)
        return None

    async def _start(self, number: int) -> Child:
        child = await Child.start(number, self._command(number))
        self._children.add(child)
        child.ended.add_done_callback(lambda _: self._children.discard(child))
        return child

    async def _keep(self, number: int) -> None:
        """Has one process of this number at any time."""
        pause = FIRST_PAUSE
        order = asyncio.create_task(self._orders[number].get())
        while True:
            child = self._current[number]
            await asyncio.wait((order, child.ended), return_when=FIRST_COMPLETED)
            if order.done():
                order.result().set_result(await self._replace(child))
                order = asyncio.create_task(self._orders[number].get())
                continue
            pause = FIRST_PAUSE if monotonic() - child.began >= STEADY_SECONDS else min(2 * pause, LONGEST_PAUSE)
            log.error("a process ended", number=number, pid=child.pid, code=child.ended.result(), restart_in=pause)
            await asyncio.sleep(pause)
            while True:
                try:
                    self._current[number] = await self._start(number)
                    break
                except CANNOT_START as error:
                    pause = min(2 * pause, LONGEST_PAUSE)
                    log.error("a process could not be started", number=number, reason=_reason(error), restart_in=pause)
                    await asyncio.sleep(pause)

    async def _replace(self, child: Child) -> str:
        """Returns why there is no new process that is ready; then the old one stays, if there could be both."""
        if not self._overlaps:
            await child.stop(self._patience)
        try:
            new = await self._start(child.number)
        except CANNOT_START as error:
            return _reason(error)
        if not self._overlaps:
            self._current[child.number] = new
        if not await new.becomes_ready(self._ready_seconds):
            reason = "it ended" if new.ended.done() else f"it was not ready after {self._ready_seconds:g} seconds"
            await new.stop(self._patience)
            return reason
        self._current[child.number] = new
        await child.stop(self._patience)
        return ""

    async def _roll(self) -> None:
        """Whenever it is asked for, replaces one process after the other; none after one that does not start."""
        while await self._hang_up.wait():
            self._hang_up.clear()
            log.info("rolling restart begins")
            for number, orders in self._orders.items():
                replaced = asyncio.get_running_loop().create_future()
                orders.put_nowait(replaced)
                if reason := await replaced:
                    log.error("rolling restart given up: no new process", number=number, reason=reason)
                    break
            else:
                log.info("rolling restart done")


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__
