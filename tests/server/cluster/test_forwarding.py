"""Requests at one process for a session that another one has."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from tests.server_process import PATIENCE, TLS
from tests.two_servers import LOCAL, SECRET, TwoServers
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from ludus.server.cluster import forwarding
from ludus.server.cluster.forwarding import HEADER, Unreachable
from ludus.server.cluster.peers import Signature
from ludus.server.settings import Settings, secret_of

pytestmark = pytest.mark.slow

PATH = "/socket.io/?EIO=4&transport="
GUEST = "127.4.5.6"
"""The address of a client."""


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoServers]:
    with TwoServers(tmp_path_factory.mktemp("cluster")) as servers:
        yield servers


class Client:
    """A polling client from an address of its own, which chooses the process for each request."""

    def __init__(self, servers: TwoServers, at: str = "one") -> None:
        self._servers = servers
        self._http = httpx2.Client(
            transport=httpx2.HTTPTransport(local_address=GUEST, verify=TLS),
            timeout=PATIENCE,
            headers={"Origin": "http://app"},
        )
        answer = self._http.get(self.url(at, "polling"))
        self.sid = json.loads(answer.text[1:])["sid"]
        self.process = answer.headers["X-Ludus-Process"]

    def url(self, at: str, transport: str, sid: str = "") -> str:
        return f"http://{LOCAL}:{self._servers.ports[at]}{PATH}{transport}" + (f"&sid={sid}" if sid else "")

    def get(self, at: str, sid: str = "") -> httpx2.Response:
        return self._http.get(self.url(at, "polling", sid or self.sid))

    def post(self, at: str, content: str | bytes, sid: str = "") -> httpx2.Response:
        return self._http.post(self.url(at, "polling", sid or self.sid), content=content)

    def close(self) -> None:
        self.post("one", "1")
        self._http.close()


@pytest.fixture
def client(servers: TwoServers) -> Iterator[Client]:
    client = Client(servers)
    yield client
    client.close()


def test_an_id_names_its_process_and_so_do_the_answers(client: Client) -> None:
    assert client.sid.startswith("one.") and client.process == "one"
    client.post("two", "40/checkers,")
    assert client.get("two").headers["X-Ludus-Process"] == "one"


def test_a_poll_at_the_other_process_is_answered_as_by_its_own(client: Client) -> None:
    assert client.post("two", "40/checkers,").text == "OK"
    joined = client.get("two")
    assert joined.text.startswith('40/checkers,{"sid"')
    assert joined.headers["Access-Control-Allow-Origin"] == "http://app"
    assert client.post("two", b"\xff").json()["code"] == "malformed"
    assert client.post("two", "4" * (Settings().max_frame + 1)).status_code == 413


def test_a_socket_upgrades_at_the_other_process(client: Client) -> None:
    url = client.url("two", "websocket", client.sid).replace("http", "ws", 1)
    with connect(url, source_address=(GUEST, 0)) as upgrade:
        upgrade.send("2probe")
        assert upgrade.recv(PATIENCE) == "3probe"
        upgrade.send("5")
        assert upgrade.recv(PATIENCE) == "6"  # it would have ended a poll
        upgrade.send("40/checkers,")
        assert str(upgrade.recv(PATIENCE)).startswith('40/checkers,{"sid"')
        for number in range(100):
            upgrade.send(f'42/checkers,{number}["afk:check",{{}}]')
        acks = [f"43/checkers,{number}" for number in range(100)]
        answers = (str(upgrade.recv(PATIENCE)).partition("[")[0] for _ in itertools.count())
        assert list(itertools.islice((each for each in answers if each.startswith("43")), 100)) == acks


@pytest.mark.parametrize("sid", ["one.c2Vzc2lvbg", "nobody.c2Vzc2lvbg", "c2Vzc2lvbg"])
def test_a_session_that_is_unknown_anywhere_is_unknown(client: Client, sid: str) -> None:
    answers = [client.get("two", sid), client.get("one", sid), client.post("two", "1", sid)]
    assert [answer.status_code for answer in answers] == [400] * 3
    assert {answer.text for answer in answers} == {f'"Invalid session {sid}"'}


@pytest.mark.parametrize("address", [None, "closed", "nonsense", "[::1"])
def test_a_session_of_a_process_that_is_gone_is_unknown(
    servers: TwoServers, client: Client, monkeypatch: pytest.MonkeyPatch, address: str | None
) -> None:
    with socket.socket() as closed:
        closed.bind((LOCAL, 0))
        if address == "closed":
            address = f"{LOCAL}:{closed.getsockname()[1]}"
        if address is None:
            monkeypatch.delitem(servers.addresses, "one")
        else:
            monkeypatch.setitem(servers.addresses, "one", address)
        assert client.get("two").text == f'"Invalid session {client.sid}"'
        with pytest.raises(InvalidStatus) as refusal:
            connect(client.url("two", "websocket", client.sid).replace("http", "ws", 1))
    assert refusal.value.response.status_code == 403
    assert client.post("one", "40/checkers,").text == "OK"


def test_each_process_charges_the_client_for_its_own_work(servers: TwoServers, client: Client) -> None:
    for server in servers.servers.values():
        server.budget._addresses.clear()
    client.post("two", "40/checkers,")
    charged = [set(server.budget._addresses) for server in servers.servers.values()]
    assert charged == [{GUEST}, {GUEST}]


def test_sockets_are_counted_where_their_session_is(servers: TwoServers, client: Client) -> None:
    client.post("two", "40/checkers,")
    counts = [dict(server.sio.count.open) for server in servers.servers.values()]
    assert counts == [{GUEST: 1}, {}]


def test_a_process_does_not_pass_on_more_than_it_has_handles_for(servers: TwoServers, client: Client) -> None:
    passing = servers.servers["two"]._forwarding
    assert passing is not None
    most, passing.most_at_once = passing.most_at_once, 0
    try:
        assert client.get("two").json()["code"] == "unavailable"
    finally:
        passing.most_at_once = most
    assert servers.forwards("poll", "refused") == [0, 1]


def held_poll(servers: TwoServers, client: Client) -> socket.socket:
    """A poll at the other process, for which there is nothing yet."""
    poll = socket.create_connection((LOCAL, servers.ports["two"]), timeout=PATIENCE)
    target = f"{PATH}polling&sid={client.sid}"
    passing = servers.servers["two"]._forwarding
    assert passing is not None
    poll.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    wait_until(lambda: passing._forwards == 1)
    return poll


def test_a_client_that_leaves_a_held_poll_takes_no_place(servers: TwoServers, client: Client) -> None:
    before = servers.forwards("poll", "left")[1]
    held_poll(servers, client).close()
    wait_until(lambda: servers.forwards("poll", "left")[1] == before + 1)


def test_a_process_that_stops_ends_the_polls_that_it_has_passed_on(servers: TwoServers, client: Client) -> None:
    passing = servers.servers["two"]._forwarding
    assert passing is not None
    with held_poll(servers, client) as poll:
        servers.run(on_loop(passing.stop))
        answer = b"".join(iter(lambda: poll.recv(65536), b""))
    assert b"Invalid session" in answer
    servers.run(on_loop(passing._stopping.clear))


async def on_loop(call: Callable[[], None]) -> None:
    call()


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


class Private:
    """Requests to the private listener of process one."""

    def __init__(self, servers: TwoServers) -> None:
        self.url = f"http://{servers.addresses['one']}"

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return httpx2.get(self.url + path, headers=headers, timeout=PATIENCE, verify=TLS)


@pytest.fixture
def private(servers: TwoServers) -> Private:
    return Private(servers)


def test_the_private_listener_answers_probes_of_its_process(private: Private) -> None:
    assert private.get("/healthz").json() == {"status": "alive"}
    assert private.get("/readyz").status_code == 200
    assert "ludus_forwards_total" in private.get("/metrics").text


def test_the_private_listener_answers_nobody_else(private: Private) -> None:
    name, target = HEADER.decode(), f"{PATH}polling"
    forged = Signature(b"guessed").sign("GET", target, "203.0.113.5")
    assert private.get("/").status_code == private.get("/v1/rooms").status_code == 404
    assert private.get(target).status_code == 404
    assert private.get(target, **{name: forged}).json()["code"] == "not_found"
    with pytest.raises(InvalidStatus) as refusal:
        connect(f"{private.url.replace('http', 'ws', 1)}{PATH}websocket")
    assert refusal.value.response.status_code == 404


def test_a_signed_request_is_from_the_client_that_it_names(servers: TwoServers, private: Private) -> None:
    target, budget = f"{PATH}polling", servers.servers["one"].budget
    signed = Signature(secret_of(Settings(secret=SECRET))).sign("GET", target, "203.0.113.5")
    assert private.get(target, **{HEADER.decode(): signed}).status_code == 200
    assert "203.0.113.5" in budget._addresses


async def _answer(answers: bytes, most: int = 1000) -> Any:
    """What is made of another process's answer."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answers)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, LOCAL, 0) as server:
        address = f"{LOCAL}:{server.sockets[0].getsockname()[1]}"
        return await forwarding._ask(address, "GET", "/", [(b"host", b"ludus")], b"", most)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


def test_an_answer_is_taken_over_without_what_concerns_the_connection() -> None:
    answer = asyncio.run(_answer(HEAD + b"Connection: close\r\nContent-Length: 2\r\n\r\nok"))
    assert answer == (200, [(b"content-type", b"text/plain")], b"ok")


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0\r\n\r\n", HEAD, HEAD + b"Content-Length: 9\r\n\r\nok"])
def test_a_broken_answer_is_none(answer: bytes) -> None:
    with pytest.raises(Unreachable):
        asyncio.run(_answer(answer))


def test_an_answer_that_is_too_long_is_none() -> None:
    with pytest.raises(Unreachable):
        asyncio.run(_answer(HEAD + b"\r\n" + b"x" * 1001))
