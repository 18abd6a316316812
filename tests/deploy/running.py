"""The commands in `deploy/` as plain processes, on this machine's own PostgreSQL and Redis."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

import httpx2
from tests.deploy.files import Command
from tests.forked_command import ForkedCommand
from tests.ports import free_port
from tests.server_process import PATIENCE, STOP

SECRET = "what all the processes of this deployment share"


class Services(NamedTuple):
    database: str
    bus: str


class Deployed:
    """A server or a worker, with everything as its file says but where it listens and what it connects to."""

    def __init__(
        self, command: Command, services: Services, folder: Path, *, host: str = "127.0.0.1", port: int = 0, **more: str
    ) -> None:
        folder.mkdir()
        self.url = f"http://{host}:{port or free_port()}"
        self.internal = f"http://{host}:{free_port()}"
        places = {
            "LUDUS_HOST": host,
            "LUDUS_PORT": self.url.rpartition(":")[2],
            "LUDUS_INTERNAL_HOST": host,
            "LUDUS_INTERNAL_PORT": self.internal.rpartition(":")[2],
            "LUDUS_DATABASE": services.database,
            "LUDUS_BUS": services.bus,
            "LUDUS_SECRET": SECRET,
            "LUDUS_PROXIES": "127.0.0.1",
            "LUDUS_DATA": str(folder / "data"),
            "LUDUS_BOT_WARMUP": "false",
            "LUDUS_CPU_SHARE": "1000",
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LUDUS_")}
        own = {name: value for name, value in command.environment.items() if name.startswith("LUDUS_")}
        own.pop("LUDUS_CACHE_DIR", None)  # what is compiled already is elsewhere here
        self._log = folder / "log"
        self.environment = {**kept, **own, **places, **more}
        self._process = ForkedCommand(
            command.words,
            environment=self.environment,
            folder=folder,
            output=folder / "output",
            log=self._log,
        )

    def await_probe(self, path: str, address: str = "") -> None:
        """Asks as often as it takes, as Kubernetes, systemd and the proxy do."""
        until = time.monotonic() + PATIENCE
        while not self._answers(f"{address or self.internal}{path}"):
            assert self._process.poll() is None, self.log
            assert time.monotonic() < until, self.log
            time.sleep(0.02)

    @staticmethod
    def _answers(url: str) -> bool:
        try:
            return httpx2.get(url, timeout=PATIENCE).status_code == 200
        except httpx2.HTTPError:
            return False

    @property
    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def stop(self) -> None:
        """By SIGTERM, as all of them do; it must be clean."""
        self._process.terminate()
        try:
            code = self._process.wait(timeout=STOP)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        assert code == 0, self.log[-5000:]
        assert "Traceback" not in self.log, self.log[-5000:]

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
