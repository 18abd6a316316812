"""Polling: every request is answered, and never with an internal error."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import httpx2
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..rooms.raw_client import WAIT
from ..server_process import ServerProcess

POLLING = "/socket.io/?EIO=4&transport=polling"


def opened(server: ServerProcess) -> str:
    """The URL of a new engine session."""
    greeting = server.request("GET", POLLING)
    assert greeting.status_code == 200
    return f"{POLLING}&sid={orjson.loads(greeting.text[1:])['sid']}"


def is_well(server: ServerProcess) -> bool:
    return bool(server.get("/health") == {"status": "alive"})


@pytest.mark.parametrize("path", ["/socket.io/", "/api/socket/io/"])
@pytest.mark.parametrize(
    "query",
    [
        "",
        "EIO=3&transport=polling",
        "EIO=4&transport=pigeon",
        "EIO=4&transport=websocket",
        "EIO=4&transport=polling&sid=none",
        "EIO=4&transport=polling&sid=%0Aforged",
        "EIO=4&transport=polling&j=x",
        "EIO=4&transport=polling&j=1",
        "EIO=4&transport=polling&token=%ff",
        "EIO=4&EIO=4&transport=polling",
        "%00",
    ],
)
def test_any_request_to_the_engine_is_answered(server: ServerProcess, path: str, query: str) -> None:
    for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
        answer = server.request(method, f"{path}?{query}")
        assert answer.status_code < 500
        assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "body", [b"", b"zzz", b"\xff\xfe", b"\x1e".join([b"3"] * 17), b"d=", b"d=zzz", b"4", b"42[]", b"b!", b"4" * 16000]
)
def test_garbage_in_a_poll_is_answered(server: ServerProcess, body: bytes) -> None:
    address = opened(server)
    answer = server.request("POST", address, content=body)
    assert answer.status_code < 500
    assert "Traceback" not in answer.text
    assert is_well(server)


@settings(max_examples=15)
@given(body=st.binary(max_size=100))
def test_any_body_of_a_poll_is_answered(server: ServerProcess, body: bytes) -> None:
    assert server.request("POST", opened(server), content=body).status_code < 500


def test_a_poll_that_is_too_long_is_refused(server: ServerProcess) -> None:
    answer = server.request("POST", opened(server), content=b"4" + b"x" * 20_000)
    assert 400 <= answer.status_code < 500
    assert is_well(server)


def test_a_poll_of_unknown_length_is_not_read_for_ever(server: ServerProcess) -> None:
    body = (b"x" * 10_000 for _ in range(1000))
    try:
        answer = server.request("POST", opened(server), content=body)
        assert answer.status_code < 500
    except httpx2.TransportError:
        pass  # disconnected
    assert is_well(server)


@pytest.mark.parametrize(
    "text",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /socket.io/?EIO=4&transport=polling&token=\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999999999999999\r\n\r\n",
        b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /v1/rooms?game=\xff HTTP/1.1\r\nHost: \xff\r\n\r\n",
    ],
    ids=lambda text: repr(text)[:40],
)
def test_a_malformed_request_is_refused(server: ServerProcess, text: bytes) -> None:
    url = urlsplit(server.url)
    with socket.create_connection((url.hostname, url.port), timeout=WAIT) as client:
        client.sendall(text)
        answer = client.recv(1000)
    assert answer == b"" or b" 5" not in answer.split(b"\r\n")[0], answer
    assert is_well(server)
