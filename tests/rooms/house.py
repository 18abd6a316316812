"""A real server process, and the tenants that its operator makes."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import httpx2

OPEN = "Ludus is open at "
PATIENCE = 180.0
"""Seconds for what a busy machine may be slow at."""
STOP = 30.0
"""Seconds to stop in: the server gives itself eight, a busy machine takes some more."""


def as_environment(settings: Mapping[str, object]) -> dict[str, str]:
    return {f"LUDUS_{name.upper()}": str(value) for name, value in settings.items()}


class Tenant(NamedTuple):
    """An app's back end, as the operator's command prints it."""

    id: str
    live: str
    test: str
    secret: str


class House:
    """`ludus serve` on a free port and an empty folder, with settings from the environment."""

    def __init__(self, data: Path, **settings: object) -> None:
        self.data = data
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LUDUS_")}
        self._environment = {**clean, **as_environment(settings), "PYTHONUNBUFFERED": "1"}
        self._log = data.parent / f"{data.name}.log"
        self._process = self._start()
        assert self._process.stdout
        self.url = self._await_url(self._process.stdout)

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "ludus", "serve", "--port", "0", "--data", str(self.data)]
        with self._log.open("w") as log:
            pipe = subprocess.PIPE
            return subprocess.Popen(
                command, stdout=pipe, stderr=log, text=True, env=self._environment, cwd=self.data.parent
            )

    def _await_url(self, output: IO[str]) -> str:
        """Reads on for ever, so that a server that talks is never stuck on a full pipe."""
        found: queue.Queue[str | None] = queue.Queue()

        def read() -> None:
            for line in output:
                if line.startswith(OPEN):
                    found.put(line.removeprefix(OPEN).strip())
            found.put(None)

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()
        try:
            url = found.get(timeout=PATIENCE)
        except queue.Empty:
            self._process.kill()
            url = None
        assert url, f"the server did not open: {self.log}"
        return url

    @property
    def log(self) -> str:
        return self._log.read_text()

    def kill(self) -> None:
        """No process outlives its test, whatever became of it."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        assert self._process.stdout
        self._process.stdout.close()

    def close(self) -> None:
        """The stop that the operator's system asks for: it has to be clean, and not to wait for anybody."""
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(timeout=STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._reader.join()
        assert self._process.stdout
        self._process.stdout.close()
        assert code == 0, f"exit {code}: {self.log[-5000:]}"
        assert "Traceback" not in self.log, self.log[-5000:]

    def tenant(self, name: str, *options: str) -> Tenant:
        """Made beside the running server, as an operator would."""
        run = self.try_tenant(name, *options)
        assert run.returncode == 0, run.stderr
        made = json.loads(run.stdout)
        return Tenant(made["tenant"], made["liveKey"], made["testKey"], made["webhookSecret"])

    def try_tenant(self, name: str, *options: str, **settings: object) -> subprocess.CompletedProcess[str]:
        words = ["tenant", "create", name, "--data", str(self.data), "--json", *options]
        command = [sys.executable, "-m", "ludus", *words]
        environment = {**self._environment, **as_environment(settings)}
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, cwd=self.data.parent
        )

    def request(self, method: str, path: str, key: str | None = None, origin: str = "", **more: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if origin:
            headers["Origin"] = origin
        return httpx2.request(method, self.url + path, headers=headers, timeout=PATIENCE, **more)

    def get(self, path: str, key: str | None = None, **query: str) -> Any:
        """What a request that has to succeed brings."""
        answer = self.request("GET", path, key, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, key: str | None, body: dict[str, Any]) -> Any:
        answer = self.request("POST", path, key, json=body)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def until_nobody_waits(self) -> None:
        """Until those who left the line, or lost their connection in it, are out of it."""
        until = time.monotonic() + PATIENCE
        while "\nludus_queue_waiting 0.0\n" not in self.request("GET", "/metrics").text:
            assert time.monotonic() < until, "somebody is in line still"
            time.sleep(0.02)
