"""`ludus worker`: a process that thinks for bots and analyses games. It has a private port for probes and no other."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.routing import Route

from ludus.core.errors import BadInput
from ludus.server.backend import Backend
from ludus.server.cluster.private_listener import listen_privately
from ludus.server.connections.backlog import Backlogs
from ludus.server.connections.gate import Gate
from ludus.server.connections.listener import place_of, url_of
from ludus.server.http.protocol import HttpProtocol
from ludus.server.metrics import Metrics
from ludus.server.probes import probes
from ludus.server.process import (
    CleanProcess,
    new_event_loop,
    prepare,
    say,
    show_compilation,
    uvicorn_config,
    warn_of_open_folder,
)
from ludus.server.service_manager import READY, notify
from ludus.server.settings import Settings, variable

MOST_PROBES: Final = 64
"""Connections at once."""


class WorkerProcess(CleanProcess):
    def __init__(self, settings: Settings, address: str) -> None:
        metrics = Metrics()
        self.backend = Backend(settings, metrics, address=address, is_worker=True)
        if self.backend.tracing:
            self.backend.tracing.instrument_platform(self.backend.platform)
        backlogs = Backlogs(settings.max_queued, settings.max_queued_total, metrics.closed)
        self._gate = Gate(MOST_PROBES, MOST_PROBES, backlogs, on_close=metrics.closed)
        protocol = partial(HttpProtocol, gate=self._gate)
        super().__init__(uvicorn_config(_app(self.backend, metrics), settings, protocol), self.backend.prepare_to_stop)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            self.do_after_start(_welcome(self.backend, sockets[0]))

    async def on_tick(self, counter: int) -> bool:
        """Uvicorn calls it ten times a second."""
        if counter % 10 == 0:
            self._gate.sweep()
        return await super().on_tick(counter)


def _app(backend: Backend, metrics: Metrics) -> Starlette:
    def update() -> None:
        metrics.live_tables.set(len(backend.platform.tables))
        metrics.bus_connected.set(backend.platform.bus.is_connected)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await backend.close()

    handlers = probes(backend.readiness, metrics, update)
    return Starlette(routes=[Route(path, handler) for path, handler in handlers.items()], lifespan=lifespan)


async def _welcome(backend: Backend, listener: socket.socket) -> None:
    await backend.engine_pool.wait_until_loaded()
    say(f"The worker is ready; its probes are at {url_of(listener)}")
    notify(READY)


async def _work(process: WorkerProcess, settings: Settings, listener: socket.socket) -> None:
    """Opens the platform before uvicorn starts: a database that cannot be used is one line, not a traceback."""
    show_compilation(process.backend, settings)
    await process.backend.open()
    await process.serve(sockets=[listener])


def run(settings: Settings) -> None:
    if not settings.database.startswith("postgresql:") or not settings.bus:
        raise BadInput(
            "a worker needs a database and a bus that it shares with servers:"
            f" set {variable('database')} to postgresql://… and {variable('bus')} to redis://…"
        )
    if not settings.bot_workers:
        raise BadInput(f"a worker needs processes for engines: set {variable('bot_workers')} to 1 or more")
    prepare(settings)
    with ExitStack() as stack:
        listener = stack.enter_context(listen_privately(settings))
        process = WorkerProcess(settings, place_of(listener))
        warn_of_open_folder(Path(settings.data))
        runner = stack.enter_context(asyncio.Runner(loop_factory=new_event_loop))
        runner.run(_work(process, settings, listener))
