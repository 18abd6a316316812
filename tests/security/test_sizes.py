"""Oversized input is refused before it is parsed."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed

from ..rooms import frames
from ..rooms.raw_client import WAIT, RawClient
from ..server_process import ServerProcess, Tenant
from .tables import Spectator, Table, refused
from .test_identity import ANN

FRAME = 16_384
BODY = 65_536


def test_a_frame_up_to_the_limit_is_accepted(table: Table) -> None:
    empty = frames.event("/checkers", "game:resign", {"roomId": ""}, id=50)
    table.first.send_frame(frames.event("/checkers", "game:resign", {"roomId": "x" * (FRAME - len(empty))}, id=50))
    assert table.first.answer(50)["error"]["code"] == "malformed"


@pytest.mark.parametrize("more", [1, 1000, 1_000_000])
def test_a_longer_frame_ends_the_connection_and_nothing_else(
    server: ServerProcess, table: Table, spectator: Spectator, more: int
) -> None:
    before = spectator.version()
    with RawClient(server.url) as sender, pytest.raises(ConnectionClosed):
        sender.ask("game:resign", {"roomId": "x" * (FRAME + more)})
    assert table.first.is_alive() and table.second.is_alive()
    assert spectator.version() == before


@pytest.mark.parametrize("field", ["roomId", "playerId", "commandId"])
def test_a_long_field_is_malformed(table: Table, spectator: Spectator, field: str) -> None:
    before = spectator.version()
    refused(table.first, "game:resign", {**table.own(0), field: "x" * 129}, "malformed")
    assert spectator.version() == before


def test_a_long_name_is_malformed(server: ServerProcess) -> None:
    with RawClient(server.url) as client:
        refused(client, "matchmaking:join", {"username": "x" * 41}, "malformed")


def test_the_name_of_an_unknown_event_is_not_repeated_at_length(server: ServerProcess) -> None:
    with RawClient(server.url) as client:
        client.ask("x" * 5000, {})
        assert client.heard("game:error")[0]["event"] == "x" * 64


@pytest.mark.parametrize("path", ["/v1/sessions", "/v1/sessions/join", "/v1/rooms", "/health"])
@pytest.mark.parametrize("has_length", [True, False])
def test_a_long_body_is_refused(server: ServerProcess, tenant: Tenant, path: str, has_length: bool) -> None:
    body = b"{" + b" " * BODY
    content = body if has_length else (body[i : i + 1000] for i in range(0, len(body), 1000))
    answer = server.request("POST", path, tenant.live, content=content)
    assert answer.status_code == 413
    assert set(answer.json()) == {"error", "code"}


@pytest.mark.parametrize("header", [b"X: " + b"x" * 9000, b"\r\n".join([b"X: x"] * 200)], ids=["long", "many"])
@pytest.mark.parametrize("query", [b"", b"&token=" + b"x" * 9000], ids=["short", "long"])
def test_an_oversized_handshake_is_answered(server: ServerProcess, header: bytes, query: bytes) -> None:
    """Otherwise anyone could hold open sockets that aren't counted."""
    url = urlsplit(server.url)
    head = b"GET /socket.io/?EIO=4&transport=websocket" + query + b" HTTP/1.1\r\nHost: x\r\nUpgrade: websocket"
    more = b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    with socket.create_connection((url.hostname, url.port), timeout=WAIT) as connection:
        connection.sendall(b"\r\n".join([head, header, more]))
        answer = connection.recv(1000)
    assert not answer.startswith((b"HTTP/1.1 101", b"HTTP/1.1 5"))


def test_the_size_of_a_token_is_bounded(server: ServerProcess, tenant: Tenant) -> None:
    """Otherwise a session's token might not fit into a frame."""
    theme = {str(number): "x" * 100 for number in range(100)}
    body = {"game": "checkers", "players": [ANN], "theme": theme}
    assert server.request("POST", "/v1/sessions", tenant.live, json=body).status_code == 400
