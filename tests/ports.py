"""Ports for servers that are started later, or again on the same port."""

from __future__ import annotations

import socket
from random import SystemRandom

RANGE = range(20_000, 32_000)
"""Below those that systems give to connections and to listeners that ask for any port, so none of these takes one."""


def free_port() -> int:
    for port in SystemRandom().sample(RANGE, 200):
        with socket.socket() as sock:
            try:
                sock.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError(f"no port of {RANGE} is free")
