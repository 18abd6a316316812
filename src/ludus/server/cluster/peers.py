"""The other processes, and how they know that a request is from one of them."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Final, NamedTuple

from ludus.service.cluster import Cluster
from ludus.service.ports.store import Unavailable

PROCESS_NAME: Final = re.compile("[0-9A-Za-z_-]{1,40}")
SEPARATOR: Final = "."
"""Between the name of a process and the rest of an id that it has given out."""

LOOK_SECONDS: Final = 1.0

Lookup = Callable[[str], Awaitable[str | None]]
"""The private address (`host:port`) of the process with this name; None if there is no such process."""


class Peers(NamedTuple):
    own: str
    """The name of this process, which the ids of its Socket.IO sessions start with."""
    address_of: Lookup


class MemberAddresses:
    """A `Lookup` in what the cluster knows of its members. A name that it doesn't know may be one that has just joined.

    Anyone can make up names, so the store isn't asked about them more than once in `LOOK_SECONDS`.
    """

    def __init__(self, cluster: Cluster, clock: Callable[[], float] = monotonic) -> None:
        self._cluster = cluster
        self._clock = clock
        self._looked = -LOOK_SECONDS

    async def __call__(self, process: str) -> str | None:
        now = self._clock()
        if process not in self._cluster.members and now - self._looked >= LOOK_SECONDS:
            self._looked = now
            with suppress(Unavailable):
                await self._cluster.is_alive(process)
        member = self._cluster.members.get(process)
        return member.address if member else None


def owner_of(id: str) -> str:
    """The name of the process that has given out an id; empty if it names none.

    >>> owner_of("a3f1.c2Vzc2lvbg"), owner_of("c2Vzc2lvbg"), owner_of("../etc.x")
    ('a3f1', '', '')
    """
    name, mark, _ = id.partition(SEPARATOR)
    return name if mark and PROCESS_NAME.fullmatch(name) else ""


class Signature:
    """Proves that a forwarded request comes from a process with the platform's secret, and which client sent it.

    It contains no time, since the clocks of machines differ. To replay a request one needs the session's id, and anyone
    who has that can send any request of the session anyway.
    """

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"forwarded requests", hashlib.sha256)

    def sign(self, method: str, target: str, client: str) -> str:
        """The value of the header; `client` is the client's address."""
        return f"{self._mac(method, target, client)} {client}"

    def client(self, method: str, target: str, header: str) -> str | None:
        """The address of the client of a forwarded request; None if no peer has signed it."""
        mac, _, client = header.partition(" ")
        return client if hmac.compare_digest(_bytes(mac), _bytes(self._mac(method, target, client))) else None

    def _mac(self, *parts: str) -> str:
        return hmac.new(self._key, _bytes("\n".join(parts)), hashlib.sha256).hexdigest()


def _bytes(text: str) -> bytes:
    """Of any text, also of what is no valid Unicode."""
    return text.encode("utf-8", "surrogatepass")
