"""What an operator sees of a real server that loads its engines before it is open."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from ..server_process import ServerProcess

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("ready") / "data"
    server = ServerProcess(folder, bot_warmup="true", access_log="true", log_format="json")
    yield server
    server.close()


def test_the_server_is_ready_when_it_says_that_it_is_open(server: ServerProcess) -> None:
    for path in ("/readyz", "/ready"):
        assert server.get(path) == {"status": "ready", "failed": []}
    for path in ("/healthz", "/health"):
        assert server.get(path) == {"status": "alive"}
    counted = server.request("GET", "/metrics").text
    for path in ("/readyz", "/ready", "/healthz", "/health"):
        assert f'ludus_http_requests_total{{method="GET",route="{path}",status="200"}}' in counted


def test_the_arena_is_counted_and_logged_by_its_routes(server: ServerProcess) -> None:
    agent = server.post("/api/agents", None, {"name": "Logged"})
    server.get("/api/agents/me", agent["apiKey"])
    assert 'ludus_http_requests_total{method="GET",route="/api/agents/me",status="200"} 1.0' in (
        server.request("GET", "/metrics").text
    )
    lines = [json.loads(line) for line in server.log.splitlines()]
    (line,) = [line for line in lines if line.get("route") == "/api/agents/me"]
    assert {name: line[name] for name in ("logger", "method", "status", "agent")} == {
        "logger": "ludus.access",
        "method": "GET",
        "status": 200,
        "agent": agent["id"],
    }
    assert agent["apiKey"] not in server.log
