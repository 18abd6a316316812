"""The limits of one client hold whatever it sends, and don't affect others."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from ..rooms import frames
from ..rooms.raw_client import WAIT, RawClient, Refused
from ..server_process import ServerProcess

SOCKETS, EVENTS = 6, 20
REFUSALS = (Refused, InvalidStatus, ConnectionClosed)
NO_EVENTS = [
    "40/checkers,",
    "40/nowhere,",
    "41/checkers,",
    "43/checkers,1[]",
    '42/checkers,["connect",{}]',
    "42/checkers,not json",
    "4",
]


@pytest.fixture(scope="module")
def limited_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(
        tmp_path_factory.mktemp("limited") / "data", max_sockets=SOCKETS, max_events=EVENTS, bot_pause=0
    )
    yield server
    server.close()


def entered(server: ServerProcess) -> RawClient:
    """A connection; ones that have just been closed may still count for a moment."""
    until = time.monotonic() + WAIT
    while True:
        try:
            return RawClient(server.url)
        except REFUSALS:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_a_flood_of_events_ends_the_connection(limited_server: ServerProcess) -> None:
    with entered(limited_server) as calm, entered(limited_server) as eager:
        try:
            for _ in range(10 * EVENTS):
                eager.send_frame(frames.event("/checkers", "afk:check", {"roomId": "none"}))
        except ConnectionClosed:
            pass
        eager.wait_for_the_end()
        errors = [error["code"] for error in eager.heard("game:error")]
        assert errors[-1] == "too_fast"
        assert errors.count("too_fast") == 1
        assert errors.count("forbidden") < 5 * EVENTS
        assert calm.is_alive()


@pytest.mark.parametrize("frame", NO_EVENTS)
def test_a_flood_of_packets_that_are_no_events_ends_the_connection_too(
    limited_server: ServerProcess, frame: str
) -> None:
    with entered(limited_server) as calm, entered(limited_server) as eager:
        with pytest.raises(ConnectionClosed):
            for _ in range(200 * EVENTS):
                eager.send_frame(frame)
            eager.wait_for_the_end()
            eager.send_frame(frame)
        assert calm.is_alive()


def test_the_sockets_of_an_address_are_limited(limited_server: ServerProcess) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(entered(limited_server)) for _ in range(SOCKETS)]
        with pytest.raises(REFUSALS) as refusal:
            stack.enter_context(RawClient(limited_server.url))
        if isinstance(refusal.value, Refused):
            assert refusal.value.data["data"]["code"] == "too_fast"
        assert all(client.is_alive() for client in clients)
    with entered(limited_server) as again:
        assert again.is_alive()


@pytest.mark.parametrize("frame", ["", "41/checkers,", '42/checkers,["disconnect"]', '42/checkers,["disconnect","x"]'])
def test_a_socket_counts_as_long_as_it_is_open(limited_server: ServerProcess, frame: str) -> None:
    """Even if it never joined a namespace, left it again, or claims to be gone."""
    with ExitStack() as stack, pytest.raises(REFUSALS):
        for _ in range(10 * SOCKETS):
            address = frames.address(limited_server.url)
            socket = stack.enter_context(connect(address, ping_interval=None, close_timeout=1))
            socket.recv(WAIT)
            if frame:
                socket.send(frames.connect("/checkers"))
                if frames.parse(str(socket.recv(WAIT))).kind == frames.REFUSED:
                    raise Refused("too many")
                socket.send(frame)
            socket.send(frames.connect("/backgammon"))  # handled after the frame, so that the frame was handled too
            while (answer := frames.parse(str(socket.recv(WAIT)))).namespace != "/backgammon":
                pass
            if answer.kind == frames.REFUSED:
                raise Refused("too many")
            socket.send("41/backgammon,")
