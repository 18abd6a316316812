"""Which address a request counts for: the one that connects, unless it is a trusted proxy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from tests.server_process import PATIENCE, ServerProcess
from websockets.sync.client import connect

ENGINE = "/socket.io/?EIO=4&transport="
LIMITS = {"rate_limit": 2, "max_sockets": 1, "log_level": "warning"}
TRUSTED, MISTRUSTED = "127.0.0.1", "192.0.2.77"
ANN, BEN = "203.0.113.5", "203.0.113.6"


@pytest.fixture(params=["", MISTRUSTED, f"{MISTRUSTED},{TRUSTED}"])
def proxies(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def platform(tmp_path: Path, proxies: str) -> Iterator[ServerProcess]:
    platform = ServerProcess(tmp_path / "data", proxies=proxies, **LIMITS)
    yield platform
    platform.close()


@pytest.fixture
def is_believed(proxies: str) -> bool:
    """Whether the platform believes us, who come from loopback."""
    return TRUSTED in proxies


def rooms_seen_by(platform: ServerProcess, address: str) -> int:
    headers = {"X-Forwarded-For": address, "X-Forwarded-Proto": "https"}
    return httpx2.get(f"{platform.url}/v1/rooms?game=checkers", headers=headers, timeout=PATIENCE).status_code


def test_requests_are_counted_by_what_a_trusted_proxy_says(platform: ServerProcess, is_believed: bool) -> None:
    assert [rooms_seen_by(platform, ANN) for _ in range(3)] == [200, 200, 429]
    assert [rooms_seen_by(platform, BEN) for _ in range(3)] == [200 if is_believed else 429] * 2 + [429]
    assert rooms_seen_by(platform, "unknown") == (400 if is_believed else 429)  # else it would have a count of its own


def test_a_client_cannot_put_an_address_before_the_one_that_its_proxy_saw(
    platform: ServerProcess, is_believed: bool
) -> None:
    assert [rooms_seen_by(platform, f"198.51.100.{number}, {ANN}") for number in range(3)] == [200, 200, 429]
    assert rooms_seen_by(platform, BEN) == (200 if is_believed else 429)


def answer_to_polling(platform: ServerProcess, address: str) -> str:
    """What the namespace answers to a client that comes by polling, and stays."""
    headers = {"X-Forwarded-For": address}
    with httpx2.Client(base_url=platform.url, headers=headers, timeout=PATIENCE) as client:
        path = f"{ENGINE}polling"
        path += f"&sid={json.loads(client.get(path).text[1:])['sid']}"
        client.post(path, content="40/checkers,")
        return client.get(path).text


def test_polling_clients_are_counted_by_what_a_trusted_proxy_says(platform: ServerProcess, is_believed: bool) -> None:
    assert answer_to_polling(platform, ANN).startswith("40/checkers,")
    assert "too many connections" in answer_to_polling(platform, ANN)
    assert answer_to_polling(platform, BEN).startswith("40/checkers," if is_believed else "44/checkers,")


def test_websockets_are_counted_by_what_a_trusted_proxy_says(platform: ServerProcess, is_believed: bool) -> None:
    url = f"ws://{urlsplit(platform.url).netloc}{ENGINE}websocket"
    with ExitStack() as stack:  # all stay until the end

        def answer(address: str) -> str:
            headers = {"X-Forwarded-For": address}
            socket = stack.enter_context(connect(url, additional_headers=headers, close_timeout=1))
            socket.recv(timeout=PATIENCE)
            socket.send("40/checkers,")
            return str(socket.recv(timeout=PATIENCE))

        kinds = [answer(address)[:2] for address in (ANN, ANN, BEN)]
    assert kinds == ["40", "44", "40" if is_believed else "44"]
