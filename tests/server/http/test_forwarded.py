"""Which client a trusted proxy names."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from starlette.types import Message, Receive, Scope, Send

from ludus.server.http.addresses import Proxies
from ludus.server.http.forwarded import ForwardedClient

PROXY, INNER, STRANGER = "127.0.0.1", "10.1.2.3", "192.0.2.66"
ANN = "203.0.113.5"


class Site:
    def __init__(self, proxies: str = f"{PROXY}, 10.0.0.0/8", most: int = 2) -> None:
        self.seen: list[tuple[str, str]] = []
        self.go_on = asyncio.Event()
        self.go_on.set()
        self._app = ForwardedClient(self._note, Proxies(proxies), most)

    async def _note(self, scope: Scope, receive: Receive, send: Send) -> None:
        del receive, send
        self.seen.append((scope["client"][0], scope["scheme"]))
        await self.go_on.wait()

    async def ask(self, *forwarded: str, peer: str = PROXY, kind: str = "http", proto: str = "") -> list[Message]:
        """What the middleware itself answers."""
        headers = [(b"x-forwarded-for", text.encode("latin1")) for text in forwarded]
        headers += [(b"x-forwarded-proto", proto.encode())] if proto else []
        scheme = "http" if kind == "http" else "ws"
        scope = {"type": kind, "client": (peer, 1), "scheme": scheme, "headers": headers, "path": "/"}
        answers: list[Message] = []

        async def send(message: Any) -> None:
            answers.append(message)

        async def receive() -> Message:
            raise AssertionError("not needed")

        await self._app(scope, receive, send)
        return answers


def client_of(*forwarded: str, proxies: str = f"{PROXY}, 10.0.0.0/8", **more: Any) -> str:
    async def happen() -> str:
        site = Site(proxies)
        assert await site.ask(*forwarded, **more) == []
        return site.seen[0][0]

    return asyncio.run(happen())


@pytest.mark.parametrize(("forwarded", "client"), [
    ([ANN], ANN),
    ([f" {ANN} "], ANN),
    ([f"{ANN}:4711"], ANN),
    (["2001:db8::1"], "2001:db8::1"),
    (["[2001:db8::1]"], "2001:db8::1"),
    (["[2001:db8::1]:4711"], "2001:db8::1"),
    (["2001:DB8:0::1"], "2001:db8::1"),
    (["::ffff:203.0.113.5"], ANN),
    ([f"198.51.100.7, {ANN}"], ANN),
    ([f"nonsense, {ANN}"], ANN),
    ([f"198.51.100.7, {ANN}, {INNER}, {PROXY}"], ANN),
    (["198.51.100.7", ANN], ANN),
    ([INNER], INNER),
    ([""], PROXY),
    ([], PROXY),
])  # fmt: skip
def test_the_last_address_that_no_trusted_proxy_has_is_the_client(forwarded: list[str], client: str) -> None:
    assert client_of(*forwarded) == client


def test_a_stranger_is_not_believed() -> None:
    assert client_of(ANN, peer=STRANGER) == STRANGER
    assert client_of("nonsense", peer=STRANGER) == STRANGER


def test_a_proxy_that_comes_through_an_ipv6_socket_is_the_same_proxy() -> None:
    assert client_of(ANN, peer=f"::ffff:{PROXY}") == ANN


def test_with_a_star_everybody_is_believed() -> None:
    assert client_of(f"{ANN}, 198.51.100.7", proxies="*", peer=STRANGER) == ANN


@pytest.mark.parametrize(
    "forwarded",
    [
        "unknown",
        "_hidden",
        "example.org",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.4:",
        "[2001:db8::1",
        "1.2.3.4:x",
        "\xff",
        "' OR 1",
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("before", ["", f"{ANN}, "])
def test_what_is_no_address_is_refused(forwarded: str, kind: str, before: str) -> None:
    async def happen() -> None:
        site = Site()
        start, body = await site.ask(before + forwarded, kind=kind)
        assert start["type"] == ("http" if kind == "http" else "websocket.http") + ".response.start"
        assert (start["status"], orjson.loads(body["body"])["code"]) == (400, "bad_forwarding")
        assert site.seen == []

    asyncio.run(happen())


@pytest.mark.parametrize(("kind", "proto", "scheme"), [
    ("http", "https", "https"), ("websocket", "https", "wss"), ("websocket", "wss", "wss"), ("http", "gopher", "http"),
])  # fmt: skip
def test_the_scheme_is_the_one_that_the_client_used(kind: str, proto: str, scheme: str) -> None:
    async def happen() -> None:
        site = Site()
        await site.ask(ANN, kind=kind, proto=proto)
        await site.ask(kind=kind, proto=proto)
        assert site.seen == [(ANN, scheme), (PROXY, scheme)]

    asyncio.run(happen())


def test_a_client_behind_a_proxy_has_so_many_requests_in_progress_and_no_more() -> None:
    async def happen() -> None:
        site = Site(most=2)
        site.go_on.clear()
        held = [asyncio.create_task(site.ask(f"2001:db8::{number}")) for number in (1, 2)]
        await asyncio.sleep(0)
        start, _ = await site.ask("2001:db8::3")
        assert start["status"] == 429
        assert int(dict(start["headers"])[b"retry-after"]) > 0
        other = asyncio.create_task(site.ask(ANN))
        await asyncio.sleep(0)
        site.go_on.set()
        assert await asyncio.gather(*held, other) == [[], [], []]
        assert await site.ask("2001:db8::3") == []

    asyncio.run(happen())


@pytest.mark.parametrize("text", ["localhost", "10.0.0.0/99", "1.2.3", "10.0.0.1;10.0.0.2"])
def test_a_proxy_is_an_address_or_a_network(text: str) -> None:
    with pytest.raises(ValueError, match="does not appear to be"):
        Proxies(text)
