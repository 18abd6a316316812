"""The server as a process: it prints its address, and stops cleanly on SIGTERM or Ctrl-C."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
import stat
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any, Final, Self, cast

import structlog
import uvicorn

from ludus.core import kernel_cache
from ludus.core.errors import BadInput
from ludus.engines.adapters import adapter
from ludus.engines.precompile import is_precompiled
from ludus.games import GAMES
from ludus.server.app import Server
from ludus.server.backend import Backend
from ludus.server.cluster.private_listener import listen_privately
from ludus.server.collector import Collector
from ludus.server.connections import handles
from ludus.server.connections.gate import Gate, most_per_address
from ludus.server.connections.listener import listen, place_of, url_of
from ludus.server.http.addresses import Proxies
from ludus.server.http.forwarded import ForwardedClient
from ludus.server.http.protocol import HttpProtocol
from ludus.server.logs import open_logs
from ludus.server.service_manager import READY, STOPPING, notify
from ludus.server.settings import Settings, is_loopback, refuse_weak_secret, variable
from ludus.server.supervised import SupervisorLink
from ludus.server.websocket.protocol import HeartbeatProtocol

log = structlog.get_logger(__name__)

DEMO: Final = "demo"
FORWARDS: Final = 4
"""Connections for each that may be passed on to another process, which takes a second handle."""


class CleanProcess(uvicorn.Server):
    """Stops cleanly on signals, and if what happens after the start fails."""

    def __init__(self, config: uvicorn.Config, stop: Callable[[], Awaitable[None]]) -> None:
        """`stop` is called before connections are closed."""
        super().__init__(config)
        self._prepare_to_stop = stop
        self._opening: asyncio.Task[None] | None = None

    def do_after_start(self, work: Coroutine[Any, Any, None]) -> None:
        self._opening = asyncio.create_task(work)
        self._opening.add_done_callback(self._exit_on_failure)

    def _exit_on_failure(self, opening: asyncio.Task[None]) -> None:
        if not opening.cancelled() and opening.exception() is not None:
            logging.getLogger("ludus").error("the server cannot open", exc_info=opening.exception())
            self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A clean stop with exit code 0; a second Ctrl-C doesn't wait for it."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._opening is not None:
            self._opening.cancel()
        notify(STOPPING)
        await self._prepare_to_stop()
        await super().shutdown(sockets)


class Process(CleanProcess):
    def __init__(
        self,
        config: uvicorn.Config,
        server: Server,
        gate: Gate,
        private: socket.socket | None,
        supervisor: SupervisorLink | None,
    ) -> None:
        """`private` is the private listener, for a process of a cluster."""
        super().__init__(config, server.prepare_to_stop)
        self._server = server
        self._gate = gate
        self._private = private
        self._supervisor = supervisor
        self._collector = Collector()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Requests are answered from here on; what says that the server is open comes when it is ready."""
        await super().startup(sockets)
        if self._private is not None:
            self.servers.append(await self._listen_privately(self._private))
        gc.freeze()  # all of this lives as long as the process, so the collector need not scan it
        self._collector.start()
        if self.started and sockets:
            self.do_after_start(_welcome(self._server, sockets[0], self._supervisor))
        if self._supervisor is not None:
            self._supervisor.watch(self.stop)

    async def _listen_privately(self, listener: socket.socket) -> asyncio.Server:
        gate, state = self._gate.private, self.server_state  # shared, so that these connections end with the others
        config = uvicorn_config(self._server.private, self._server.settings, partial(HttpProtocol, gate=gate))
        config.load()
        return await asyncio.get_running_loop().create_server(
            lambda: HttpProtocol(config=config, server_state=state, app_state={}, gate=gate), sock=listener
        )

    def stop(self) -> None:
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        """Uvicorn calls it ten times a second."""
        if counter % 10 == 0:
            self._gate.sweep()
            self._collector.check()
        return await super().on_tick(counter)


def run(settings: Settings, supervisor: SupervisorLink | None = None) -> None:
    """`supervisor`: the one that has started this process, to share a port with others."""
    refuse_weak_secret(settings)
    if not settings.bot_workers and not settings.bus:
        needed = f"set {variable('bot_workers')} to 1 or more, or {variable('bus')} for workers"
        raise BadInput(f"a process alone needs engines of its own: {needed}")
    prepare(settings, supervisor.name if supervisor else "")
    with ExitStack() as stack:
        listener = stack.enter_context(listen(settings.host, settings.port, is_shared=supervisor is not None))
        private = stack.enter_context(listen_privately(settings)) if settings.bus else None
        server = Server(settings, private_address=place_of(private) if private else "")
        warn_of_open_folder(Path(settings.data))
        process = build(server, private, supervisor)
        runner = stack.enter_context(asyncio.Runner(loop_factory=new_event_loop))
        runner.run(_serve(process, server, listener))


def prepare(settings: Settings, name: str = "") -> None:
    """What comes first in every process. `name` is that of this one in the log."""
    open_logs(settings.log_level, settings.log_format, sys.stderr, process=name)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)  # else it logs every connection
    _place_kernels(settings)


def build(server: Server, private: socket.socket | None = None, supervisor: SupervisorLink | None = None) -> Process:
    settings = server.settings
    proxies = Proxies(settings.proxies)
    gate = _gate(server, proxies)
    app = ForwardedClient(server, proxies, most_per_address(settings.max_sockets)) if settings.proxies else server
    config = uvicorn_config(app, settings, partial(HttpProtocol, gate=gate))
    return Process(config, server, gate, private, supervisor)


def uvicorn_config(app: Any, settings: Settings, protocol: Callable[..., HttpProtocol]) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", protocol),
        ws=HeartbeatProtocol,
        ws_per_message_deflate=False,
        ws_ping_interval=None,  # Engine.IO pings, or else the protocol
        proxy_headers=False,  # uvicorn believes anything; see ForwardedClient
        ws_max_size=settings.max_frame,
        timeout_graceful_shutdown=max(1, round(settings.stop_seconds / 2)),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
    )


def _gate(server: Server, proxies: Proxies) -> Gate:
    """Raises the limit on file handles as far as needed and allowed."""
    settings = server.settings
    workers, wanted = settings.bot_workers, settings.max_connections
    forwards = wanted // FORWARDS if settings.bus else 0
    limit = handles.raise_limit(wanted + forwards + handles.own_handles(workers))
    most = handles.connections_within(limit, wanted + forwards, workers)
    if settings.bus:
        forwards = most // (FORWARDS + 1)
        server.limit_forwards(forwards)
        most -= forwards
    if most < wanted:
        log.info("file handles limit connections", handles=limit, connections=most, wanted=wanted)
    gate = Gate(
        most,
        most_per_address(settings.max_sockets),
        server.backlogs,
        is_exempt=proxies.trusts,
        on_close=server.metrics.closed,
    )
    server.backlogs.on_drop = gate.note
    server.metrics.connections.set_function(lambda: len(gate))
    return gate


async def _serve(process: Process, server: Server, listener: socket.socket) -> None:
    """Opens the server before uvicorn does: a database that cannot be used is one line, not a traceback."""
    show_compilation(server.backend, server.settings)
    await server.open()
    await process.serve(sockets=[listener])


def warn_of_open_folder(folder: Path) -> None:
    """It has the secret that signs tokens and the seeds of the dice; what we create is for the owner only."""
    mode = stat.S_IMODE(folder.stat().st_mode) if folder.exists() else 0
    if mode & 0o077:
        text = "other users of this machine can look into %s (mode %o); run: chmod 700 %s"
        logging.getLogger("ludus").warning(text, folder, mode, folder)


def _place_kernels(settings: Settings) -> None:
    """Where the engines' workers, which inherit the environment, keep what they compile."""
    if settings.cache_dir:
        kernel_cache.use(Path(settings.cache_dir))
    elif kernel_cache.writable() is None:
        with suppress(OSError):  # said with the secret or the database
            Path(settings.data).mkdir(mode=0o700, parents=True, exist_ok=True)
        kernel_cache.use(Path(settings.data) / "cache")


def show_compilation(backend: Backend, settings: Settings) -> None:
    if compilation := Compilation.begin(settings):
        backend.on_engine_loaded = compilation.note


class Compilation:
    """Reports on engines that are compiled at startup, which takes a minute, once for a machine."""

    def __init__(self, games: Sequence[str], clock: Callable[[], float] = monotonic) -> None:
        self._waiting = list(games)
        self._clock = clock
        self._began = clock()
        self._work = 0
        self._total = sum(adapter(game).compile_seconds for game in games)
        say(f"Compiling the engines, once for this machine: about {_duration(self._total)}. Bots wait for it.")
        if problem := kernel_cache.problem():
            sys.stderr.write(f"ludus: {problem}\n")

    @classmethod
    def begin(cls, settings: Settings) -> Self | None:
        has_warmup = settings.bot_warmup and settings.bot_workers > 0
        games = [game for game in GAMES if has_warmup and not is_precompiled([game])]
        return cls(games) if games else None

    def note(self, game: str) -> None:
        """Called with each game whose engine is loaded; the time that is left follows from that of the others."""
        if game not in self._waiting:
            return
        self._waiting.remove(game)
        self._work += adapter(game).compile_seconds
        elapsed = self._clock() - self._began
        left = elapsed / self._work * (self._total - self._work)
        rest = f"about {_duration(left)} left" if self._waiting else "done"
        say(f"  {game} after {_duration(elapsed)}; {rest}")


def _duration(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 90 else f"{round(seconds / 60)} min"


def new_event_loop() -> asyncio.AbstractEventLoop:
    """uvloop's, which is faster; asyncio's own where there is no uvloop for the system."""
    try:
        import uvloop
    except ModuleNotFoundError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _welcome(server: Server, listener: socket.socket, supervisor: SupervisorLink | None) -> None:
    await server.platform.engine_pool.wait_until_loaded()
    if is_loopback(server.settings.host) and not await server.store.tenants():
        demo = await server.tenants.create(DEMO)
        say("The database is empty: here is a tenant for trying things out. Its keys are shown only once.")
        say(f"  live key  {demo.live_key}\n  test key  {demo.test_key}")
    if supervisor is not None:
        supervisor.report_ready()
        return
    say(f"Ludus is open at {url_of(listener)}")
    notify(READY)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
