"""Addresses of clients: how limits count them, and which proxies may name others."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import Final

IPV6_PREFIX: Final = 64
"""Bits; a customer gets a network of at least this size, and could use another address for every connection."""

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
