"""How a process recognizes requests of the others."""

from __future__ import annotations

from ludus.server.cluster.peers import Signature

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
