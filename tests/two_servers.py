"""Two servers of one cluster in a thread, and a balancer that sends each connection to the other one than the last."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from ludus.server.app import Server
from ludus.server.cluster.peers import Peers
from ludus.server.connections.listener import listen, place_of
from ludus.server.process import Process, build
from ludus.server.settings import Settings

from .server_process import PLENTY

T = TypeVar("T")
SECRET = "0f1e2d3c4b5a69788796a5b4c3d2e1f0a1b2c3d4"
LOCAL = "127.0.0.1"
START_SECONDS = 60.0


class TwoServers:
    """With a database each, so players of one game must be at the same one; sessions of sockets may be at either."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.addresses: dict[str, str] = {}
        """The private addresses by the names of the processes, as each of them sees it."""
        self.servers: dict[str, Server] = {}
        self.ports: dict[str, int] = {}
        quiet = {"bot_warmup": False, "exhibitions": False}
        self._settings = {**quiet, "cpu_share": float(PLENTY), "secret": SECRET, **settings}
        self._folder = folder
        self._processes: list[Process] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.run(self._open())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        return f"http://{LOCAL}:{self._balancer.sockets[0].getsockname()[1]}"

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(START_SECONDS)

    def forwards(self, kind: str, result: str) -> list[float]:
        """How many the servers have passed on."""
        labels = {"kind": kind, "result": result}
        found = [s.metrics.registry.get_sample_value("ludus_forwards_total", labels) for s in self.servers.values()]
        return [number or 0.0 for number in found]

    async def _open(self) -> None:
        self._tasks = [asyncio.create_task(self._serve(name)) for name in ("one", "two")]
        async with asyncio.timeout(START_SECONDS):
            while not (len(self._processes) == 2 and all(process.started for process in self._processes)):
                await asyncio.sleep(0.01)
        turns = itertools.cycle(self.ports.values())

        async def balance(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            far_reader, far_writer = await asyncio.open_connection(LOCAL, next(turns))
            await asyncio.gather(_pipe(reader, far_writer), _pipe(far_reader, writer))

        self._balancer = await asyncio.start_server(balance, LOCAL, 0)

    async def _serve(self, name: str) -> None:
        async def address_of(process: str) -> str | None:
            return self.addresses.get(process)

        with listen(LOCAL, 0) as listener, listen(LOCAL, 0) as private:
            settings = Settings(data=str(self._folder / name), **self._settings)
            server = Server(settings, private_address=place_of(private), peers=Peers(name, address_of))
            self.servers[name], self.addresses[name] = server, server.private_address
            self.ports[name] = listener.getsockname()[1]
            process = build(server, private)
            await server.open()
            self._processes.append(process)
            await process.serve(sockets=[listener])

    async def _close(self) -> None:
        self._balancer.close()
        for process in self._processes:
            process.stop()
        await asyncio.gather(*self._tasks)
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
