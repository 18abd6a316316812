"""How a process recognizes requests of the others."""

from __future__ import annotations

import asyncio
from typing import cast

from ludus.server.cluster.peers import MemberAddresses, Signature
from ludus.service.cluster import Cluster, Role
from ludus.service.ports.store import Store, Unavailable
from ludus.service.records import Member

TARGET = "/socket.io/?EIO=4&transport=polling&sid=one.abc"
CLIENT = "203.0.113.5"


def test_a_peer_is_believed_about_the_client() -> None:
    header = Signature(b"secret").sign("GET", TARGET, CLIENT)
    assert Signature(b"secret").client("GET", TARGET, header) == CLIENT


def test_nothing_of_a_signed_request_can_be_changed() -> None:
    signature = Signature(b"secret")
    header = signature.sign("GET", TARGET, CLIENT)
    assert signature.client("POST", TARGET, header) is None
    assert signature.client("GET", TARGET.replace("abc", "abd"), header) is None
    assert signature.client("GET", TARGET, header.replace(CLIENT, "203.0.113.6")) is None
    assert signature.client("GET", TARGET, header.partition(" ")[0]) is None


def test_another_secret_signs_nothing() -> None:
    assert Signature(b"secret").client("GET", TARGET, Signature(b"other").sign("GET", TARGET, CLIENT)) is None


def test_what_is_no_signature_is_none() -> None:
    for header in ("", " ", CLIENT, "é 203.0.113.5", "0" * 64):
        assert Signature(b"secret").client("GET", TARGET, header) is None


class CountingStore:
    """Has one member, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_broken = False

    async def members(self) -> list[Member]:
        self.asked += 1
        if self.is_broken:
            raise Unavailable("away")
        return [Member("known", Role.BOTH, "10.0.0.2:9000", "1", "", 0)]


def test_a_member_that_has_just_joined_is_found_and_made_up_names_ask_the_store_once_a_second() -> None:
    async def script() -> None:
        store, now = CountingStore(), [100.0]
        cluster = Cluster(cast("Store", store), Member("own", Role.BOTH, "10.0.0.1:9000", "1", "", 0), is_sole=False)
        address_of = MemberAddresses(cluster, lambda: now[0])
        assert await address_of("known") == "10.0.0.2:9000"
        assert [await address_of(f"made-up-{number}") for number in range(100)] == [None] * 100
        assert store.asked == 1
        now[0] += 1
        store.is_broken = True
        assert await address_of("other") is None and store.asked == 2
        assert await address_of("known") == "10.0.0.2:9000" and store.asked == 2

    asyncio.run(script())


def test_a_header_of_any_text_is_refused_and_not_a_failure() -> None:
    for text in ("\ud800", "\udc80 1.2.3.4", "\udfff" * 3, ""):
        assert Signature(b"secret").client("GET", f"/socket.io/?sid={text}", text) is None
