"""Links start with an address that a client could have used."""

from __future__ import annotations

import pytest
from starlette.requests import HTTPConnection

from ludus.server.http.request import base_url


def connection(scheme: str, host: str) -> HTTPConnection:
    headers = [(b"host", host.encode())] if host else []
    return HTTPConnection({"type": "http", "scheme": scheme, "headers": headers})


@pytest.mark.parametrize(("scheme", "host", "base"), [
    ("http", "arena.example", "http://arena.example"),
    ("https", "arena.example:8443", "https://arena.example:8443"),
    ("ws", "127.0.0.1:8000", "http://127.0.0.1:8000"),
    ("wss", "[::1]:8000", "https://[::1]:8000"),
    ("http", "", ""),
    ("http", "evil.example/x", ""),
    ("http", "user@evil.example", ""),
    ("http", 'x" onload="', ""),
    ("gopher", "arena.example", ""),
])  # fmt: skip
def test_links_begin_with_the_host_that_was_asked_if_it_is_one(scheme: str, host: str, base: str) -> None:
    assert base_url(connection(scheme, host)) == base


def test_a_public_url_goes_before_the_host() -> None:
    for host in ("10.0.0.7:8000", ""):
        assert base_url(connection("http", host), "https://ludus.example") == "https://ludus.example"
