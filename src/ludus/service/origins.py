"""Which web pages may use a key: an allowlist of origins, as browsers send them in the `Origin` header."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from ludus.core.errors import BadInput

ANY: Final = "*"
NULL: Final = "null"
"""What a browser sends for a file, a sandboxed frame or a redirect: no particular page."""
MAX_LENGTH: Final = 300
PATTERN: Final = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
)
DEFAULT_PORTS: Final = {"http": 80, "ws": 80, "https": 443, "wss": 443}


def is_allowed(origin: str | None, allowed: Collection[str]) -> bool:
    """Whether a request with this header may pass; one without it does not come from a page.

    >>> is_allowed("https://Play.example", ["https://play.example:443"])
    True
    >>> is_allowed("https://play.example.evil.example", ["https://play.example"])
    False
    """
    if origin is None:
        return True
    found = _normalize(origin)
    if found is None or found == ANY:
        return False
    return ANY in allowed or found in map(_normalize, allowed)


def is_own(origin: str | None, host: str | None) -> bool:
    """Whether the request comes from this server's own page; behind a proxy the scheme may differ.

    >>> is_own("https://play.example", "play.example")
    True
    """
    if not origin or not host:
        return False
    return origin.lower() in (f"http://{host}".lower(), f"https://{host}".lower())


def read_origin(text: str) -> str:
    """An allowlist entry in canonical form.

    >>> read_origin("HTTPS://Play.Example:443")
    'https://play.example'
    """
    found = _normalize(text)
    if found is None:
        raise BadInput(f"{text[:MAX_LENGTH]!r} is not an origin: write scheme://host or scheme://host:port, * or null")
    return found


def _normalize(text: str) -> str | None:
    """Lower case, without a default port; None if the text is not an origin."""
    if text in (ANY, NULL):
        return text
    match = PATTERN.fullmatch(text.lower()) if len(text) <= MAX_LENGTH and text.isascii() else None
    if match is None or int(match["port"] or 0) > 65535:
        return None
    place = f"{match['scheme']}://{match['host']}"
    usual = match["port"] is None or int(match["port"]) == DEFAULT_PORTS.get(match["scheme"])
    return place if usual else f"{place}:{int(match['port'])}"
