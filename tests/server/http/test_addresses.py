"""Addresses as limits count them."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from ludus.server.http.addresses import counted
from ludus.server.http.request import address_of
from ludus.server.socketio.engine import address_of as address_of_engine


@pytest.mark.parametrize("address", ["2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", "2001:DB8::2"])
def test_all_of_an_ipv6_network_is_one_client(address: str) -> None:
    scope = {"type": "http", "client": (address, 1), "headers": []}
    assert address_of(Request(scope)) == address_of_engine({"asgi.scope": scope}) == "2001:db8::/64"


def test_networks_and_ipv4_addresses_are_told_apart() -> None:
    assert len({counted(text) for text in ("2001:db8::1", "2001:db8:0:1::1", "192.0.2.1", "192.0.2.2")}) == 4
