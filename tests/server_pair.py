"""Two server processes of one platform, on the same PostgreSQL and Redis."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

import httpx2

from .server_process import ServerProcess, Tenant

SECRET = "the two processes of a test share these words"


class ServerPair(ServerProcess):
    """Used like one server: each new client gets the process that the one before it did not get.

    Requests take turns of their own, so what one process did is asked of the other.
    """

    def __init__(self, folder: Path, database: str, bus: str, **settings: object) -> None:
        folder.mkdir(parents=True)
        shared = {"database": database, "bus": bus, "secret": SECRET, **settings}
        self.processes = [ServerProcess(folder / f"data{number}", **shared) for number in (1, 2)]
        self._next_client = cycle(self.processes)
        self._next_request = cycle(reversed(self.processes))

    @property
    def url(self) -> str:
        return next(self._next_client).url

    @property
    def log(self) -> str:
        return "\n".join(process.log for process in self.processes)

    @property
    def output(self) -> str:
        return "".join(process.output for process in self.processes)

    def tenant(self, name: str, **more: Any) -> Tenant:
        return self.processes[0].tenant(name, **more)

    def request(self, method: str, path: str, *more: Any, **options: Any) -> httpx2.Response:
        return next(self._next_request).request(method, path, *more, **options)

    def kill(self) -> None:
        for process in self.processes:
            process.kill()

    def close(self) -> None:
        for process in self.processes:
            process.close()

    def wait_for_empty_queue(self) -> None:
        """Each process counts those who wait on its connections."""
        for process in self.processes:
            process.wait_for_empty_queue()
