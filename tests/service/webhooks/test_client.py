"""Letters go to the addresses that were checked, under the name that was meant."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from tests.service.webhooks.receiver import Receiver

from ludus.service.webhooks.addresses import PrivateAddress
from ludus.service.webhooks.client import NoAnswer, PinnedClient, resolve_host

PATIENCE = 90.0
"""Seconds until a test gives up on what should have happened."""


def alone(scenario: Callable[[Receiver], Awaitable[None]], tls: ssl.SSLContext | None = None) -> None:
    async def work() -> None:
        async with Receiver(tls) as receiver:
            await scenario(receiver)

    asyncio.run(work())


class Names:
    """A name server that gives each answer once, and the last one for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def test_the_connection_goes_to_the_address_that_was_checked_and_keeps_the_name() -> None:
    async def scenario(receiver: Receiver) -> None:
        names = Names(["127.0.0.1"], ["192.0.2.1"])
        client = PinnedClient(allow_private=True, seconds=PATIENCE, lookup=names)
        for _ in range(3):
            assert await client.post(receiver.url(host="app.example"), {}, b"{}") == 200
        await client.close()
        assert names.asked == [("app.example", receiver.port)]
        assert {got.headers["host"] for got in receiver.got} == {f"app.example:{receiver.port}"}

    alone(scenario)


def test_names_at_one_address_share_no_connection() -> None:
    async def scenario(receiver: Receiver) -> None:
        client = PinnedClient(allow_private=True, seconds=PATIENCE, lookup=Names(["127.0.0.1"]))
        for host in ("one.example", "two.example"):
            await client.post(receiver.url(host=host), {}, b"{}")
        await client.close()
        assert receiver.connections == 2

    alone(scenario)


def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    async def scenario(receiver: Receiver) -> None:
        names = Names(["::1", "127.0.0.1"])  # the receiver listens on the second only
        client = PinnedClient(allow_private=True, seconds=PATIENCE, lookup=names)
        assert await client.post(receiver.url(host="app.example"), {}, b"{}") == 200
        await client.close()

    alone(scenario)


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["9.9.9.9", "127.0.0.1"], ["::ffff:127.0.0.1"]])
def test_a_name_that_has_come_to_mean_a_private_address_gets_nothing(addresses: Sequence[str]) -> None:
    async def scenario(receiver: Receiver) -> None:
        client = PinnedClient(seconds=PATIENCE, lookup=Names(addresses))
        with pytest.raises(PrivateAddress):
            await client.post(receiver.url(host="app.example"), {}, b"{}")
        await client.close()
        assert (receiver.got, receiver.connections) == ([], 0)

    alone(scenario)


def test_a_private_url_that_was_allowed_once_gets_nothing_any_more() -> None:
    async def scenario(receiver: Receiver) -> None:
        with pytest.raises(PrivateAddress):
            await PinnedClient(seconds=PATIENCE).post(receiver.url(), {}, b"{}")
        assert receiver.connections == 0

    alone(scenario)


def test_a_name_without_addresses_is_no_answer() -> None:
    async def scenario(receiver: Receiver) -> None:
        client = PinnedClient(seconds=PATIENCE, lookup=Names([]))
        with pytest.raises(NoAnswer, match="has no address"):
            await client.post(receiver.url(host="app.example"), {}, b"{}")

    alone(scenario)


def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    async def scenario(receiver: Receiver) -> None:
        client = PinnedClient(allow_private=True, seconds=PATIENCE)
        assert await client.post(receiver.url(), {}, b"{}") == 200
        await client.close()

    alone(scenario)


@pytest.mark.skipif(not shutil.which("openssl"), reason="makes a certificate with openssl")
def test_the_receivers_certificate_must_be_for_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = f"req -x509 -newkey rsa:2048 -nodes -keyout {key} -out {certificate} -days 2 -subj /CN=app.example"
    words += " -addext subjectAltName=DNS:app.example"
    subprocess.run(["openssl", *words.split()], check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def scenario(receiver: Receiver) -> None:
        client = PinnedClient(allow_private=True, seconds=PATIENCE, lookup=Names(["127.0.0.1"]))
        assert await client.post(receiver.url(host="app.example"), {}, b"{}") == 200
        with pytest.raises(NoAnswer, match="certificate"):
            await client.post(receiver.url(host="other.example"), {}, b"{}")
        await client.close()
        assert len(receiver.got) == 1

    alone(scenario, context)


def test_names_are_looked_up() -> None:
    assert set(asyncio.run(resolve_host("localhost", 80))) & {"127.0.0.1", "::1"}
    with pytest.raises(OSError, match="could not be resolved"):
        asyncio.run(resolve_host("a" * 64 + ".example", 80))
