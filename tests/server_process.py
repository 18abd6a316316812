"""A real server process, and tenants of it."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import ssl
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

from ludus.server.http.shared_builds import PER_SECOND
from ludus.server.settings import Settings, secret_of
from ludus.service.clock import WallClock
from ludus.service.tenants import NewTenant, Tenants
from ludus.storage import store_for

from .forked_command import ForkedCommand

OPEN = re.compile(r"^Ludus is open at (.*)\n", re.MULTILINE)
PATIENCE = 180.0
"""Seconds for anything that a busy machine may be slow at."""
TLS = ssl.create_default_context()
"""Made once: each client would read all certificates again, which takes longer than a request."""
PLENTY = 1000
"""Cores for one address: all clients of a test have the same, and a busy machine makes their requests dear."""
STOP = 30.0
"""Seconds to stop in: the server gives itself eight, a busy machine needs more."""


def as_environment(settings: Mapping[str, object]) -> dict[str, str]:
    return {f"LUDUS_{name.upper()}": str(value) for name, value in settings.items()}


def clean_environment() -> dict[str, str]:
    """Without settings of the shell that the tests run in."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LUDUS_")}


class Tenant(NamedTuple):
    """A tenant with its secrets."""

    id: str
    live: str
    test: str
    secret: str


class ServerProcess:
    """`ludus serve` with settings from the environment, on a free port unless one is given.

    Engines are loaded at a bot's first move, unless `bot_warmup` is set: most tests need none.
    """

    def __init__(self, data: Path, **settings: object) -> None:
        settings = {"bot_warmup": "false", "cpu_share": PLENTY, "exhibitions": "false", **settings}
        self.data = data
        self._database, self._secret = (str(settings.get(name, "")) for name in ("database", "secret"))
        self._environment = {**clean_environment(), **as_environment(settings)}
        self._log = data.parent / f"{data.name}.log"
        self._output = data.parent / f"{data.name}.output"
        self._log.write_text("")
        command = ["serve", "--port", str(settings.get("port", 0)), "--data", str(data)]
        self._process = ForkedCommand(
            command, environment=self._environment, folder=data.parent, output=self._output, log=self._log
        )
        self._url = self._await_url()
        self._next_metrics = 0.0

    @property
    def url(self) -> str:
        """Where a client finds it."""
        return self._url

    def _await_url(self) -> str:
        until = time.monotonic() + PATIENCE
        while self._process.poll() is None and time.monotonic() < until:
            if found := OPEN.search(self.output):
                return found[1]
            time.sleep(0.005)
        self._process.kill()
        raise AssertionError(f"the server did not open: {self.log}")

    @property
    def output(self) -> str:
        return self._output.read_text() if self._output.exists() else ""

    @property
    def log(self) -> str:
        return self._log.read_text()

    def kill(self) -> None:
        """May be called at any time, also after `close`."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Stops the server as an init system does; the stop must be clean and quick."""
        self._process.terminate()
        try:
            code = self._process.wait(timeout=STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        assert code == 0, f"exit {code}: {self.log[-5000:]}"
        assert "Traceback" not in self.log and "ASGI callable" not in self.log, self.log[-5000:]

    def tenant(self, name: str, *, webhook: str | None = None, origins: Sequence[str] = ("*",)) -> Tenant:
        return create_tenant(self.data, name, webhook, origins, database=self._database, secret=self._secret)

    def run_cli(self, *words: str, **settings: object) -> subprocess.CompletedProcess[str]:
        """A command of an operator beside the running server."""
        environment = {**self._environment, **as_environment(settings)}
        command = [sys.executable, "-m", "ludus", *words, "--data", str(self.data)]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, cwd=self.data.parent
        )

    def request(self, method: str, path: str, key: str | None = None, origin: str = "", **more: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if origin:
            headers["Origin"] = origin
        return httpx2.request(method, self.url + path, headers=headers, timeout=PATIENCE, verify=TLS, **more)

    def get(self, path: str, key: str | None = None, **query: str) -> Any:
        """The JSON of a request that must succeed."""
        answer = self.request("GET", path, key, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, key: str | None, body: dict[str, Any]) -> Any:
        answer = self.request("POST", path, key, json=body)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    @property
    def static(self) -> str:
        """The prefix of the static files' addresses, which changes with their content."""
        found = re.search(r"/static/\w+", self.request("GET", "/").text)
        assert found
        return found[0]

    def wait_for_empty_queue(self) -> None:
        """Until nobody waits for an opponent any more, players of earlier tests included."""
        until = time.monotonic() + PATIENCE
        while "\nludus_queue_waiting 0.0\n" not in self._metrics():
            assert time.monotonic() < until, "somebody is still in the queue"

    def _metrics(self) -> str:
        """As they are now: asked for faster, they may be those of up to a second ago."""
        time.sleep(max(0, self._next_metrics - time.monotonic()))
        self._next_metrics = time.monotonic() + 1 / PER_SECOND
        return self.request("GET", "/metrics").text


def create_tenant(
    data: Path,
    name: str,
    webhook: str | None = None,
    origins: Sequence[str] = ("*",),
    *,
    database: str = "",
    secret: str = "",
) -> Tenant:
    """Does what `ludus tenant create` does, but without a process for it. A server may be running on the data."""

    async def create() -> NewTenant:
        store = store_for(database, data)
        await store.open()
        try:
            signing = secret_of(Settings(data=str(data), secret=secret))
            tenants = Tenants(store, WallClock(), lambda: secrets.token_urlsafe(32), signing, allow_private=True)
            return await tenants.create(name, webhook, origins)
        finally:
            await store.close()

    with ThreadPoolExecutor(1) as pool:  # the caller's thread may have a running loop
        made = pool.submit(asyncio.run, create()).result()
    return Tenant(made.tenant.id, made.live_key, made.test_key, made.webhook_secret)
