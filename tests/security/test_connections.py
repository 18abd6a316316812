"""One client can't take the server's connections or its memory."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import pytest
from websockets.frames import Frame, Opcode

from ..rooms.raw_client import WAIT, RawClient
from ..server_process import ServerProcess

PER_ADDRESS, IN_ALL, QUEUED = 64, 100, 64 * 1024
ANN, BEN, CAT = "127.0.0.1", "127.0.0.2", "127.0.0.3"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
ECHOED = "x" * 2000
"""A namespace that doesn't exist is named in the answer, so the server sends as much as it gets."""


@pytest.fixture(scope="module")
def small_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder: Path = tmp_path_factory.mktemp("small")
    limits = {"max_sockets": 16, "max_connections": IN_ALL, "max_queued": QUEUED}
    server = ServerProcess(folder / "data", **limits)
    yield server
    server.close()


def connected(server: ServerProcess, address: str = ANN) -> socket.socket:
    url = urlsplit(server.url)
    return socket.create_connection((url.hostname, url.port), WAIT, source_address=(address, 0))


def answer(connection: socket.socket, request: bytes = HEALTH) -> bytes:
    """All that comes until the end."""
    got = b""
    with suppress(ConnectionResetError):  # as the rest of a request may be
        connection.sendall(request)
        while more := connection.recv(65536):
            got += more
    return got


def metric(server: ServerProcess, name: str) -> float:
    url = urlsplit(server.url)
    with socket.create_connection((url.hostname, url.port), WAIT, source_address=(CAT, 0)) as connection:
        page = answer(connection, HEALTH.replace(b"healthz", b"metrics")).decode()
    found = re.search(rf"^{re.escape(name)} (\S+)$", page, re.MULTILINE)
    return float(found[1]) if found else 0.0


def closed(reason: str) -> str:
    return f'ludus_connections_closed_total{{reason="{reason}"}}'


def until(server: ServerProcess, name: str, value: float) -> None:
    """The metrics are rendered about once a second."""
    until = time.monotonic() + WAIT
    while (found := metric(server, name)) != value:
        assert time.monotonic() < until, f"{name} is {found}"
        time.sleep(0.05)


def until_empty(server: ServerProcess) -> None:
    """Until the connections of earlier tests are gone; the one that asks is the last."""
    until(server, "ludus_connections", 1)


def test_one_address_cannot_take_all_connections(small_server: ServerProcess) -> None:
    until_empty(small_server)
    with ExitStack() as stack:
        silent = [stack.enter_context(connected(small_server)) for _ in range(PER_ADDRESS)]
        assert answer(stack.enter_context(connected(small_server)))[:13] in (b"HTTP/1.1 429 ", b"")
        until(small_server, closed("address_limit"), 1)
        assert answer(stack.enter_context(connected(small_server, BEN))).startswith(b"HTTP/1.1 200 ")
        assert answer(silent[0]).startswith(b"HTTP/1.1 200 ")


def test_when_all_are_taken_the_silent_make_room_and_games_go_on(small_server: ServerProcess) -> None:
    until_empty(small_server)
    with RawClient(small_server.url) as player, ExitStack() as stack:
        silent = [stack.enter_context(connected(small_server, BEN)) for _ in range(PER_ADDRESS)]
        more = [stack.enter_context(connected(small_server, CAT)) for _ in range(IN_ALL - PER_ADDRESS)]
        assert answer(stack.enter_context(connected(small_server))).startswith(b"HTTP/1.1 200 ")
        assert silent[0].recv(1) == b""
        assert answer(more[-1]).startswith(b"HTTP/1.1 200 ")
        assert player.is_alive()


@pytest.mark.parametrize(
    "lengths",
    [b"Content-Length: 2\r\nTransfer-Encoding: chunked", b"Content-Length: 2\r\nContent-Length: 20"],
    ids=["both", "two"],
)
def test_a_request_that_a_proxy_may_read_otherwise_is_refused(small_server: ServerProcess, lengths: bytes) -> None:
    request = b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\n" + lengths + b"\r\n\r\n0\r\n\r\n" + HEALTH
    with connected(small_server) as connection:
        got = answer(connection, request)
    assert re.findall(rb"HTTP/1\.1 (\d{3}) ", got) == [b"400"]
    assert orjson.loads(got.split(b"\r\n\r\n")[1])["code"] == "malformed"


def never_reading(server: ServerProcess) -> socket.socket:
    """A client of Socket.IO with a small buffer, as its handshake leaves it."""
    url = urlsplit(server.url)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(WAIT)
    connection.connect((url.hostname, url.port))
    lines = [
        "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1",
        "Host: x",
        "Upgrade: websocket",
        "Connection: Upgrade",
    ]
    lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", ""]
    connection.sendall("\r\n".join(lines).encode())
    assert connection.recv(12) == b"HTTP/1.1 101"
    return connection


def test_a_client_that_reads_nothing_is_cut_off(small_server: ServerProcess) -> None:
    before = metric(small_server, closed("send_queue"))
    question = Frame(Opcode.TEXT, f"40/{ECHOED},".encode()).serialize(mask=True)
    with never_reading(small_server) as connection:
        with suppress(ConnectionError):
            for _ in range(500):  # a megabyte
                connection.sendall(question)
        until(small_server, closed("send_queue"), before + 1)
    until_empty(small_server)
    until(small_server, "ludus_queued_bytes", 0)


def test_a_client_that_never_polls_loses_its_session(small_server: ServerProcess) -> None:
    before = metric(small_server, closed("send_queue"))
    path = "/socket.io/?EIO=4&transport=polling"
    path += f"&sid={orjson.loads(small_server.request('GET', path).text[1:])['sid']}"
    body = "\x1e".join([f"40/{ECHOED},"] * 7)
    statuses = [small_server.request("POST", path, content=body).status_code for _ in range(8)]
    assert (statuses[0], statuses[-1]) == (200, 400)
    until(small_server, closed("send_queue"), before + 1)
    until(small_server, "ludus_queued_bytes", 0)


def test_a_client_that_polls_can_be_sent_any_amount(small_server: ServerProcess) -> None:
    path = "/socket.io/?EIO=4&transport=polling"
    path += f"&sid={orjson.loads(small_server.request('GET', path).text[1:])['sid']}"
    body = "\x1e".join([f"40/{ECHOED},"] * 7)
    for _ in range(10):
        assert small_server.request("POST", path, content=body).status_code == 200
        assert small_server.request("GET", path).text.count(ECHOED) == 7
