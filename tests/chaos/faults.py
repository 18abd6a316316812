"""Faults of a live server: everybody plays on when they are over, and nobody has lost a game or a move by them."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, NamedTuple

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from ..load import GAMES
from ..restartable_server import RestartableServer
from ..rooms import frames
from ..server_process import create_tenant
from ..storage.cluster import Cluster, postgres_cluster
from .audit import Audit
from .clock_signals import listen
from .run import LOADED, await_quiet, players
from .state import Plan, RunState

BACK_SECONDS: Final = 60.0
"""Within which everybody plays again, even on a busy machine."""
UNREAD: Final = 40
"""Sockets that do not read."""
MOST_MEMORY: Final = 128 << 20
"""Bytes that they may take."""
LOWEST_HANDLE: Final = 16
"""A limit on file handles that the server has reached long before."""

Action = Callable[[RunState], Awaitable[None]]


STOOD_STILL: Final = "no clocks ran"


class Fault(NamedTuple):
    name: str
    begin: Action
    end: Action
    trace: str = STOOD_STILL
    """What the server's log must say of it."""


class Survived(NamedTuple):
    """What a fault did."""

    name: str
    games: int
    refused: int
    """Commands that got `unavailable`."""
    back: float
    """Seconds from its end until there was a move in every game."""


class Result(NamedTuple):
    problems: list[str]
    survived: list[Survived]
    acks: int
    events: int


async def run_faults(plan: Plan, say: Callable[[str], None], faults: Sequence[Fault], database: str = "") -> Result:
    """One after the other on one server, while games go on."""
    survived: list[Survived] = []
    settings = plan.settings() | {"database": database}
    with tempfile.TemporaryDirectory() as folder:
        server = RestartableServer(Path(folder), settings, prepare=listen)
        try:
            async with asyncio.timeout(plan.limit), httpx2.AsyncClient(timeout=60) as http:
                key = create_tenant(server.data, "chaos", database=database).live
                state = RunState(plan, server, key, http)
                audit = Audit(state)
                await server.start()
                async with asyncio.TaskGroup() as tasks:
                    for player in players(state):
                        state.hang_ups.append(player.hang_up)
                        tasks.create_task(player.live())
                    for fault in faults:
                        await _await_games(state)
                        survived.append(await _survive(state, fault, plan.fault))
                        say(line(survived[-1]))
                    state.is_closing = True
                await await_quiet(state)
                if status := await server.stop():
                    state.report_problem(f"the server ended with status {status}")
                for trace in server.errors:
                    state.report_problem(f"the server's log has an error: {trace[-3000:]}")
                await audit.finish()
        finally:
            server.kill_all()
        lost = audit.kinds()["timed_out"] + audit.kinds()["aborted"]
        if lost:
            state.report_problem(f"{lost} games ended by a fault")
        return Result(state.problems, survived, len(state.acks), audit.events)


async def _await_games(state: RunState) -> None:
    """Until nearly all players are at a table where somebody has moved."""
    until = time.monotonic() + LOADED
    while len(state.played_at.keys() - state.over) < 0.8 * state.plan.tables and time.monotonic() < until:
        await asyncio.sleep(0.05)


async def _survive(state: RunState, fault: Fault, seconds: float) -> Survived:
    refused, logged = state.count["unavailable"], len(state.server.log)
    rooms = {room for room in state.played_at if room not in state.over}
    await fault.begin(state)
    await asyncio.sleep(seconds)
    await fault.end(state)
    ended, until = time.monotonic(), time.monotonic() + BACK_SECONDS
    while waiting := {room for room in rooms - state.over if state.played_at[room] < ended}:
        if time.monotonic() > until:
            state.report_problem(f"{fault.name}: {len(waiting)} of {len(rooms)} games do not go on")
            break
        await asyncio.sleep(0.05)
    if fault.trace not in state.server.log[logged:]:
        state.report_problem(f"{fault.name}: the server's log does not say so")
    back = max([state.played_at[room] - ended for room in rooms], default=0.0)
    return Survived(fault.name, len(rooms), state.count["unavailable"] - refused, max(0.0, back))


def line(survived: Survived) -> str:
    name, games, refused, back = survived
    return f"{name:<34} {games:>3} games  {refused:>5} refused  all back after {back:4.1f} s"


def _limit(kind: int, soft: Callable[[RunState], int] | None) -> Action:
    """Sets a limit of the running server; None lifts it."""

    async def act(state: RunState) -> None:
        _, hard = resource.prlimit(state.server.pid, kind)
        resource.prlimit(state.server.pid, kind, (hard if soft is None else soft(state), hard))

    return act


def _signal(number: signal.Signals) -> Action:
    async def act(state: RunState) -> None:
        os.kill(state.server.pid, number)

    return act


async def _nothing(state: RunState) -> None:
    pass


async def _exhaust_handles(state: RunState) -> None:
    """And half the players lose their connections."""
    await _limit(resource.RLIMIT_NOFILE, lambda _: LOWEST_HANDLE)(state)
    for hang_up in state.hang_ups[::2]:
        hang_up()


class UnreadSockets:
    """Spectators of all games who ask for more and more and read nothing."""

    def __init__(self) -> None:
        self._sockets: list[ClientConnection] = []
        self._memory = 0

    async def begin(self, state: RunState) -> None:
        self._memory = _memory(state)
        for number in range(UNREAD):
            namespace = f"/{GAMES[number % len(GAMES)]}"
            socket = await connect(
                frames.address(state.server.url), compression=None, ping_interval=None, max_queue=1, close_timeout=1
            )
            self._sockets.append(socket)
            await socket.send(frames.connect(namespace))
            with suppress(ConnectionClosed):  # by a server that has had enough
                for room in sorted(state.played_at.keys() - state.over) * 3:
                    await socket.send(frames.event(namespace, "game:spectate", {"roomId": room}))

    async def end(self, state: RunState) -> None:
        grown = _memory(state) - self._memory
        if grown > MOST_MEMORY:
            state.report_problem(f"sockets that do not read took {grown >> 20} MiB")
        for socket in self._sockets:
            socket.transport.abort()


def _memory(state: RunState) -> int:
    """Bytes of the server that are in memory (Linux only)."""
    pages = int(Path(f"/proc/{state.server.pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def _size_of_log(state: RunState) -> int:
    """Every write to the database goes to the end of its write-ahead log, and fails as on a full disk."""
    return (state.server.data / "ludus.sqlite3-wal").stat().st_size


_unread: Final = UnreadSockets()

ON_SQLITE: Final = (
    Fault("a full disk", _limit(resource.RLIMIT_FSIZE, _size_of_log), _limit(resource.RLIMIT_FSIZE, None)),
    Fault("a suspended process", _signal(signal.SIGSTOP), _signal(signal.SIGCONT)),
    Fault("a clock set forward by two minutes", _signal(signal.SIGUSR1), _nothing, "set by +120"),
    Fault("a clock set back by an hour", _signal(signal.SIGUSR2), _nothing, "set by -3600"),
    Fault("sockets that do not read", _unread.begin, _unread.end, ""),
    Fault("no file handles", _exhaust_handles, _limit(resource.RLIMIT_NOFILE, None)),
)


def on_postgres(cluster: Cluster) -> tuple[Fault, ...]:
    async def stop(state: RunState) -> None:
        await asyncio.to_thread(cluster.stop)

    async def start(state: RunState) -> None:
        await asyncio.to_thread(cluster.start)

    return (Fault("PostgreSQL stopped", stop, start),)


async def run_all(plan: Plan, say: Callable[[str], None]) -> list[Result]:
    results = [await run_faults(plan, say, ON_SQLITE)]
    with ExitStack() as stack:
        cluster = stack.enter_context(postgres_cluster())
        longer = plan._replace(fault=2 * plan.fault)
        results.append(await run_faults(longer, say, on_postgres(cluster), cluster.url))
    return results
