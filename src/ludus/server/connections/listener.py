"""Sockets that wait for connections."""

from __future__ import annotations

import socket
from typing import Final

from ludus.core.errors import LudusError

BACKLOG: Final = 4096
MAX_UNSENT: Final = 128 * 1024
"""Bytes that the system may hold for one client before they are on their way."""


class CannotListen(LudusError):
    code = "cannot_listen"


def listen(host: str, port: int, *, is_shared: bool = False) -> socket.socket:
    """`is_shared`: several processes listen on the port, and the system spreads connections over them."""
    listener = bind(host, port, is_shared=is_shared)
    if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # else the system holds megabytes for each client that doesn't read
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MAX_UNSENT)
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


def bind(host: str, port: int, *, is_shared: bool = False) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, or else asyncio doesn't set TCP_NODELAY.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        if is_shared:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise CannotListen(f"cannot listen on {host}:{port}: {error.strerror}; --port 0 picks a free port") from None
    return bound


def url_of(listener: socket.socket) -> str:
    return f"http://{place_of(listener)}"


def place_of(listener: socket.socket) -> str:
    """`host:port`, with an IPv6 address in brackets."""
    host, port = listener.getsockname()[:2]
    return f"{f'[{host}]' if ':' in host else host}:{port}"
