"""The addresses at which agents and the page's people were seen, so that players at one address can't inflate each
other's ratings.

People's are noted when they ask for a rated game, and at no other time.

An address is stored only as a mark: a hash with a key derived from the platform's secret. Marks are compared with each
other, never turned back, and deleted after `KEPT_DAYS`.
"""

from __future__ import annotations

import hmac
import ipaddress
from typing import Final

from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Store
from ludus.service.ports.writes import PutAddressMark
from ludus.service.records import AddressMark

PREFIX: Final = "address/"
"""The prefix of a mark; no player's key has it."""
KEPT_DAYS: Final = 30
"""After the last time an agent was seen there."""
DAY: Final = 24 * 60 * 60 * 1000
"""In milliseconds. A mark is renewed once a day."""
MAX_NOTED: Final = 10_000
LOCAL: Final = tuple(
    ipaddress.ip_network(text)
    for text in (
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",
        "::1/128",
        "fc00::/7",
        "fe80::/10",
    )
)
"""Many machines have these, and every client of a proxy that is not named in the settings."""


class AddressMarks:
    def __init__(self, store: Store, clock: Clock, secret: bytes) -> None:
        self._store = store
        self._clock = clock
        self._key = hmac.digest(secret, b"addresses", "sha256")
        self._noted: dict[tuple[str, str], int] = {}
        """The day of each mark's last renewal."""

    async def note(self, player: str, address: str) -> None:
        """The player was at this address or network; local ones are ignored."""
        if is_local(address):
            return
        now = self._clock.now()
        mark = self.mark(address)
        if self._noted.get((player, mark)) == now // DAY:
            return
        await self._store.commit(PutAddressMark(AddressMark(player, mark, now)))
        if len(self._noted) >= MAX_NOTED:
            self._noted.clear()
        self._noted[player, mark] = now // DAY

    def mark(self, address: str) -> str:
        return PREFIX + hmac.digest(self._key, address.encode(), "sha256").hex()[:32]


def is_local(address: str) -> bool:
    """Whether the address doesn't identify anyone.

    >>> is_local("10.1.2.3"), is_local("203.0.113.5"), is_local("2001:db8:1:2::/64"), is_local("")
    (True, False, False, True)
    """
    try:
        network = ipaddress.ip_network(address)
    except ValueError:
        return True
    return any(network.version == local.version and network.subnet_of(local) for local in LOCAL)  # type: ignore[arg-type]  # both have the same version
