"""The server as a process: it prints its address, and stops cleanly on SIGTERM or Ctrl-C."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
import sys
from types import FrameType
from typing import Final

import uvicorn

from ludus.core.errors import LudusError
from ludus.server.app import Server
from ludus.server.logs import open_logs
from ludus.server.settings import Settings, is_loopback, refuse_weak_secret
from ludus.server.websocket.protocol import HeartbeatProtocol

DEMO: Final = "demo"
BACKLOG: Final = 4096


class CannotListen(LudusError):
    code = "cannot_listen"


class Process(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, server: Server) -> None:
        super().__init__(config)
        self._server = server

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.freeze()  # all of this lives as long as the process, so the collector need not scan it
        if self.started and sockets:
            await _welcome(self._server, sockets[0])

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A clean stop with exit code 0; a second Ctrl-C doesn't wait for it."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._server.prepare_to_stop()
        await super().shutdown(sockets)


def run(settings: Settings) -> None:
    refuse_weak_secret(settings)
    open_logs(settings.log_level, settings.log_format, sys.stderr)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)  # else it logs every connection
    server = Server(settings)
    config = uvicorn.Config(
        server,
        ws=HeartbeatProtocol,
        ws_per_message_deflate=False,
        ws_ping_interval=None,  # Engine.IO pings, or else the protocol
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=settings.proxies,
        ws_max_size=settings.max_frame,
        timeout_graceful_shutdown=max(1, round(settings.stop_seconds / 2)),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
    )
    with _listen(settings) as listener, asyncio.Runner(loop_factory=_new_event_loop) as runner:
        runner.run(Process(config, server).serve(sockets=[listener]))


def _new_event_loop() -> asyncio.AbstractEventLoop:
    """uvloop's, which is faster; asyncio's own where there is no uvloop for the system."""
    try:
        from uvloop import new_event_loop
    except ModuleNotFoundError:
        return asyncio.new_event_loop()
    return new_event_loop()


def _listen(settings: Settings) -> socket.socket:
    """Before anything else, so that a taken port is reported at once."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # The protocol is named, or else asyncio doesn't set TCP_NODELAY.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        where = f"{settings.host}:{settings.port}"
        raise CannotListen(f"cannot listen on {where}: {error.strerror}; --port 0 picks a free port") from None
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


async def _welcome(server: Server, listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    if is_loopback(server.settings.host) and not await server.store.tenants():
        demo = await server.tenants.create(DEMO)
        _say("The database is empty: here is a tenant for trying things out. Its keys are shown only once.")
        _say(f"  live key  {demo.live_key}\n  test key  {demo.test_key}")
    _say(f"Ludus is open at http://{f'[{host}]' if ':' in host else host}:{port}")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
