"""Addresses of clients: how limits count them, and which proxies may name others."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Final

IPV6_PREFIX: Final = 64
"""Bits; a customer gets a network of at least this size, and could use another address for every connection."""

ANYONE: Final = "*"
WITH_PORT: Final = re.compile(r"([0-9.]+):[0-9]{1,5}|\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?")
"""As some proxies write it: `203.0.113.5:4711`, `[2001:db8::1]` and `[2001:db8::1]:4711`."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def parse(text: str) -> Address:
    """Raises `ValueError`. An IPv4 address that came through an IPv6 socket is an IPv4 address."""
    address = ipaddress.ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


@lru_cache(maxsize=4096)
def counted(text: str) -> str:
    """What limits count an address as: itself, or the network of an IPv6 address.

    >>> counted("203.0.113.5"), counted("::ffff:203.0.113.5"), counted("2001:db8:1:2:3::4")
    ('203.0.113.5', '203.0.113.5', '2001:db8:1:2::/64')
    >>> counted("")  # a client without an address, such as one on a Unix socket
    ''
    """
    try:
        address = parse(text)
    except ValueError:
        return text
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((int(address), IPV6_PREFIX), strict=False))


class Proxies:
    """The addresses and networks in the setting `proxies`."""

    def __init__(self, text: str) -> None:
        """Raises `ValueError` for anything that is neither."""
        names = [name.strip() for name in text.split(",") if name.strip()]
        self.has_all = ANYONE in names
        self._networks = [ipaddress.ip_network(name, strict=False) for name in names if name != ANYONE]

    def trusts(self, address: str) -> bool:
        try:
            return self.has_all or self._contain(parse(address))
        except ValueError:
            return False

    def client(self, forwarded: str) -> str:
        """Who a trusted proxy says its client is; `ValueError` if that isn't an address.

        Each proxy adds the address it saw at the end. Anything before the last untrusted address may be made up.
        """
        hops = forwarded.split(",")
        if self.has_all:
            return str(parse_hop(hops[0]))
        for hop in reversed(hops):
            address = parse_hop(hop)
            if not self._contain(address):
                break
        return str(address)

    def _contain(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def parse_hop(text: str) -> Address:
    """One entry of `X-Forwarded-For`.

    >>> [str(parse_hop(text)) for text in (" 203.0.113.5", "203.0.113.5:4711", "[2001:db8::1]:4711", "2001:db8::1")]
    ['203.0.113.5', '203.0.113.5', '2001:db8::1', '2001:db8::1']
    """
    text = text.strip()
    found = WITH_PORT.fullmatch(text)
    return parse((found[1] or found[2]) if found else text)
