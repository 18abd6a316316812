"""The private listener of a process: what other processes pass on to it, and probes of this very process.

A port that several processes share answers `/healthz` for any of them; this one doesn't.
"""

from __future__ import annotations

import socket
from typing import Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from ludus.server.cluster.forwarding import forwarded_client
from ludus.server.cluster.peers import Signature
from ludus.server.connections.listener import CannotListen, listen
from ludus.server.http.middleware import deny, refuse
from ludus.server.settings import Settings

PROBES: Final = frozenset({"/healthz", "/health", "/readyz", "/ready", "/metrics"})
REDIS_PORT: Final = 6379


class PrivateApp:
    """Answers probes, and requests with a peer's signature as if their clients had sent them here."""

    def __init__(self, engine: ASGIApp, web: ASGIApp, signature: Signature) -> None:
        """`engine` is Engine.IO's, behind its limits."""
        self._engine = engine
        self._web = web
        self._signature = signature

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] in PROBES:
            return await self._web(scope, receive, send)
        client = forwarded_client(self._signature, scope)
        if client is None:
            refusing = deny(send) if scope["type"] == "websocket" else send
            return await refuse(refusing, 404, "not_found", "There is nothing here.")
        await self._engine({**scope, "client": (client, 0)}, receive, send)
        return None


def listen_privately(settings: Settings) -> socket.socket:
    return listen(settings.internal_host or own_address(settings.bus), settings.internal_port)


def own_address(bus: str) -> str:
    """The address from which this machine reaches the bus, where others of the cluster should reach it too."""
    place = urlsplit(bus)
    try:
        found = socket.getaddrinfo(place.hostname, place.port or REDIS_PORT, type=socket.SOCK_DGRAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(address)  # sends nothing
            host: str = probe.getsockname()[0]
            return host
    except (OSError, ValueError) as error:
        raise CannotListen(
            f"cannot tell at which address others reach this process ({error}): set LUDUS_INTERNAL_HOST"
        ) from None
