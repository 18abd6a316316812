"""Where webhooks may go: http(s) URLs, by default to public addresses only.

A tenant chooses the URL and the server makes the request, so the URL must not reach anything private to the server: its
own machine, its network, a cloud's metadata service. Names are resolved when the connection is made, and the connection
goes to the address that was checked, which defeats DNS rebinding.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from ludus.core.errors import LudusError

MAX_LENGTH: Final = 2048
"""Characters of a URL."""
PORTS: Final = {"http": 80, "https": 443}
LABEL: Final = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
NAME: Final = re.compile(rf"(?=.{{1,253}}$){LABEL}(\.{LABEL})*")
NUMBER: Final = re.compile(r"(.*\.)?(0x[0-9a-f]*|[0-9]+)")
"""A host that ends in a number: some resolvers read `2130706433` and `0x7f.1` as addresses."""

NOT_PUBLIC: Final = tuple(
    ip_network(block)
    for block in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    )
)  # fmt: skip
"""IANA's special-purpose blocks, since Python's own list differs from release to release."""
UNICAST: Final = ip_network("2000::/3")
"""All of public IPv6 so far."""
TRANSLATED: Final = ip_network("64:ff9b::/96")
"""NAT64: the last 32 bits are an IPv4 address."""

Lookup = Callable[[str, int], Awaitable[Sequence[str]]]
"""All addresses of a host; an OSError if it has none."""


class BadAddress(LudusError):
    """A URL to which no webhook can be sent."""

    code = "bad_address"


class PrivateAddress(BadAddress):
    """A URL that leads into a private network."""

    code = "private_address"


class Target(NamedTuple):
    """A parsed URL."""

    scheme: str
    host: str
    port: int
    path: str
    """With the query."""

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def check_url(url: str, *, allow_private: bool = False) -> Target:
    """Parses a webhook URL and checks all that can be checked without resolving its name."""
    if len(url) > MAX_LENGTH:
        raise BadAddress(f"a webhook URL has at most {MAX_LENGTH} characters, not {len(url)}")
    if not re.fullmatch(r"[!-~]+", url) or "\\" in url:
        raise BadAddress("a webhook URL is plain ASCII without spaces or backslashes; write names in their xn-- form")
    target = _parse(url)
    if not allow_private:
        _refuse_private_host(target.host)
    return target


async def resolve_public(host: str, port: int, lookup: Lookup, *, allow_private: bool = False) -> Sequence[str]:
    """The host's addresses; all are refused if one is not public."""
    addresses = await lookup(host, port)
    for address in addresses:
        if not allow_private and not is_public(address):
            raise PrivateAddress(f"{host} is {address}, which is not a public address")
    return addresses


def is_public(address: str) -> bool:
    """Whether it is reachable from the whole internet.

    >>> is_public("9.9.9.9"), is_public("169.254.169.254"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    ip = _unwrap(ip_address(address))
    if isinstance(ip, IPv6Address) and ip not in UNICAST:
        return False
    return ip.is_global and not any(ip in block for block in NOT_PUBLIC)


def _unwrap(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address embedded in an IPv6 one."""
    if isinstance(ip, IPv6Address) and (ip.ipv4_mapped or ip in TRANSLATED):
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip


def _parse(url: str) -> Target:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise BadAddress(f"not a URL: {error}") from None
    if parts.scheme not in PORTS:
        raise BadAddress("a webhook URL begins with https:// or http://")
    if "@" in parts.netloc:
        raise BadAddress("a webhook URL has no user name or password; the signature authenticates the sender")
    if "#" in url:
        raise BadAddress("a webhook URL has no #fragment")
    if port == 0 or not _is_host(host):
        raise BadAddress("a webhook URL has a host, and a port from 1 to 65535 if any")
    query = f"?{parts.query}" if parts.query else ""
    return Target(parts.scheme, host, port or PORTS[parts.scheme], (parts.path or "/") + query)


def _is_host(host: str) -> bool:
    return _is_literal(host) or bool(NAME.fullmatch(host) and not NUMBER.fullmatch(host))


def _is_literal(host: str) -> bool:
    try:
        return "%" not in host and bool(ip_address(host))
    except ValueError:
        return False


def _refuse_private_host(host: str) -> None:
    if host == "localhost" or host.endswith(".localhost") or (_is_literal(host) and not is_public(host)):
        raise PrivateAddress(f"{host} is not a public address")
