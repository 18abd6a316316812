"""The proxy of `deploy/` as a plain process, and the name server in which it finds the servers."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.deploy.files import COMPOSE, PROXY, documents
from tests.ports import free_port

NAME = "server"
HEADER = 12
"""Bytes before the question of a DNS message."""


def program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    return found or pytest.skip(f"{name} is not installed; see .ci/run")


class NameServer:
    """Has the same addresses for every name."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = "{}:{}".format(*self._socket.getsockname())
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while message := self._socket.recvfrom(4096):
            if not message[0]:
                return
            self._socket.sendto(self._answer(message[0]), message[1])

    def _answer(self, query: bytes) -> bytes:
        end = query.index(0, HEADER) + 5
        is_ipv4 = query[end - 4 : end - 2] == b"\0\1"
        answers = [b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + socket.inet_aton(each) for each in self._addresses if is_ipv4]
        counts = b"\0\1" + len(answers).to_bytes(2) + b"\0\0\0\0"
        return query[:2] + b"\x81\x80" + counts + query[HEADER:end] + b"".join(answers)


@contextmanager
def running_proxy(addresses: Sequence[str], port: int, folder: Path) -> Iterator[str]:
    """Its own address; the servers listen at these addresses, all on one port, as containers do."""
    names = NameServer(addresses)
    listen = f"127.0.0.1:{free_port()}"
    own = documents(COMPOSE)[0]["services"]["proxy"]["environment"]
    changes = {"LISTEN": listen, "SERVERS": f"{NAME}:{port}", "NAMESERVER": names.address}
    assert changes.keys() == own.keys()
    with (folder / "proxy.log").open("w") as log:
        command = [program("haproxy"), "-db", "-f", str(PROXY)]
        process = subprocess.Popen(command, env=os.environ | changes, stdout=log, stderr=log)
        try:
            yield f"http://{listen}"
        finally:
            process.terminate()
            process.wait()
            names.close()
