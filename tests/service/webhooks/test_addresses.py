"""Webhooks go where anybody could go, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.service.webhooks.addresses import BadAddress, PrivateAddress, Target, check_url, is_public, resolve_public

PRIVATE = [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1",
    "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "100::1", "2001::1",
    "2001:2::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::", "3fff::1", "4000::1", "64:ff9b:1::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1",
]  # fmt: skip
PUBLIC = [
    "1.1.1.1", "8.8.8.8", "9.9.9.9", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.1.1",
    "198.17.0.1", "198.20.0.1", "223.255.255.254", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_only_some_can_reach_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4))
def test_a_disguise_changes_nothing(address: IPv4Address) -> None:
    for disguise in (f"::ffff:{address}", f"64:ff9b::{address}"):
        assert is_public(disguise) == is_public(str(address))


@pytest.mark.parametrize(("url", "target", "host"), [
    ("https://app.example", Target("https", "app.example", 443, "/"), "app.example"),
    ("http://App.Example:8080/hooks?a=b&c", Target("http", "app.example", 8080, "/hooks?a=b&c"), "app.example:8080"),
    ("https://9.9.9.9:443/", Target("https", "9.9.9.9", 443, "/"), "9.9.9.9"),
    ("http://[2606:4700::1111]:81/x", Target("http", "2606:4700::1111", 81, "/x"), "[2606:4700::1111]:81"),
    ("https://xn--bcher-kva.example/", Target("https", "xn--bcher-kva.example", 443, "/"), "xn--bcher-kva.example"),
])  # fmt: skip
def test_a_url_is_taken_apart(url: str, target: Target, host: str) -> None:
    assert check_url(url) == target
    assert target.authority == host


@pytest.mark.parametrize("url", [
    "", "app.example", "//app.example/", "ftp://app.example/", "file:///etc/passwd", "javascript:alert(1)",
    "https://", "https:///path", "https://user@app.example/", "https://user:word@app.example/", "https://@app.example/",
    "https://app.example:0/", "https://app.example:65536/", "https://app.example:https/", "https://app.example:-1/",
    "https://app.example/#part", "https://app.example#", "https://app.example/a b", "https://app.example/\n", "https://app.example\\@evil.example/",
    "https://bücher.example/", "https://app..example/", "https://-app.example/", "https://app.example./",
    "https://[::1/", "https://[fe80::1%25eth0]/",
    "http://2130706433/", "http://0x7f000001/", "http://127.1/", "http://0177.0.0.1/", "http://app.0x7f/", "http://256.1.1.1/",
    "https://" + "a" * 64 + ".example/", "https://app.example/" + "x" * 2048, "https://" + "a." * 130 + "example/",
])  # fmt: skip
@pytest.mark.parametrize("allow_private", [False, True])
def test_what_is_no_url_for_a_webhook_is_refused(url: str, allow_private: bool) -> None:
    with pytest.raises(BadAddress):
        check_url(url, allow_private=allow_private)


@pytest.mark.parametrize("url", ["http://localhost:9/", "http://LOCALHOST/", "http://api.localhost/"] + [
    f"http://{f'[{address}]' if ':' in address else address}/" for address in PRIVATE if "%" not in address
])  # fmt: skip
def test_a_private_url_is_refused_unless_private_ones_are_allowed(url: str) -> None:
    with pytest.raises(PrivateAddress):
        check_url(url)
    assert check_url(url, allow_private=True).path == "/"


@given(st.text() | st.from_regex(r"https?://[ -~]{0,40}", fullmatch=True))
def test_any_text_is_a_url_or_is_refused(text: str) -> None:
    try:
        target = check_url(text, allow_private=True)
    except BadAddress:
        return
    assert target.scheme in ("http", "https")
    assert target.host
    assert target.path.startswith("/")
    assert "@" not in target.authority


def resolved(*addresses: str, allow_private: bool = False) -> Sequence[str]:
    async def lookup(host: str, port: int) -> Sequence[str]:
        return addresses

    return asyncio.run(resolve_public("app.example", 443, lookup, allow_private=allow_private))


def test_a_name_stands_for_all_its_public_addresses() -> None:
    assert resolved("9.9.9.9", "2606:4700::1111") == ("9.9.9.9", "2606:4700::1111")


def test_one_private_address_spoils_a_name() -> None:
    with pytest.raises(PrivateAddress, match=r"10\.0\.0\.1"):
        resolved("9.9.9.9", "10.0.0.1")
    assert resolved("9.9.9.9", "10.0.0.1", allow_private=True) == ("9.9.9.9", "10.0.0.1")
