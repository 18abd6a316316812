"""An agent served at an address."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2
import pytest
from tests.client.scripted import state
from tests.wire.views import BACKGAMMON

from ludus.client import Agent, serve
from ludus.client.agent_server import MOST_BYTES, AgentServer
from ludus.core.errors import BadInput

EXAMPLE = Path(__file__).parents[2] / "examples" / "agent_served.py"
FIRST = {"type": "move", "moves": BACKGAMMON["legalMoves"][0]}


@contextmanager
def served(agent: Agent) -> Iterator[httpx2.Client]:
    with AgentServer(agent) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            with httpx2.Client(base_url=server.url, timeout=60) as client:
                yield client
        finally:
            server.shutdown()
            thread.join()


def first(view: Any) -> Any:
    return view["legalMoves"][0]


def test_states_are_answered_with_actions_on_one_connection() -> None:
    with served(first) as client:
        for sequence in range(3):
            answer = client.post("/", json=state("your_turn", sequence))
            assert (answer.status_code, answer.json()) == (200, {"action": FIRST})


def test_coroutines_run_in_one_event_loop() -> None:
    loops = set()

    async def agent(view: Any) -> Any:
        loops.add(asyncio.get_running_loop())
        return first(view)

    with served(agent) as client:
        for _ in range(2):
            assert client.post("/", json=state("your_turn", 1)).json() == {"action": FIRST}
    assert len(loops) == 1


def test_an_error_in_the_agent_is_reported_and_the_next_request_is_answered(capfd: pytest.CaptureFixture[str]) -> None:
    mood = iter([ValueError("tired")])

    def agent(view: Any) -> Any:
        for error in mood:
            raise error
        return first(view)

    with served(agent) as client:
        answer = client.post("/", json=state("your_turn", 1))
        assert (answer.status_code, answer.json()) == (500, {"error": "agent_failed", "details": "ValueError: tired"})
        assert client.post("/", json=state("your_turn", 1)).status_code == 200
    assert "ValueError: tired" in capfd.readouterr().err


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(("content", "headers", "status", "problem"), [
    (b"{}", {"Content-Type": "text/plain"}, 415, "Content-Type: must be application/json"),
    (b"{}", JSON, 400, "body: must be a JSON object with a view"),
    (b"[]", JSON, 400, "body: must be a JSON object with a view"),
    (b"{", JSON, 400, "body: must be a JSON object with a view"),
    (b"[" * 100_000, JSON, 400, "body: must be a JSON object with a view"),
    (b'{"view": 3}', JSON, 400, "body: must be a JSON object with a view"),
    (iter([b"{}"]), {**JSON, "Transfer-Encoding": "chunked"}, 411, "Content-Length: must be given"),
])  # fmt: skip
def test_a_bad_request_is_refused(content: Any, headers: dict[str, str], status: int, problem: str) -> None:
    with served(first) as client:
        answer = client.post("/", content=content, headers=headers)
        assert (answer.status_code, answer.json()) == (status, {"error": "invalid_input", "details": [problem]})
        assert client.post("/", json=state("your_turn", 1)).status_code == 200


def test_a_request_that_is_too_long_is_not_read() -> None:
    with served(first) as client, socket.create_connection((client.base_url.host, client.base_url.port or 0)) as line:
        head = (
            f"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {MOST_BYTES + 1}\r\n\r\n"
        )
        line.sendall(head.encode())
        answer = b"".join(iter(lambda: line.recv(4096), b""))
        assert answer.startswith(b"HTTP/1.1 413 ") and b"has more than 1048576 bytes" in answer


def test_get_is_not_allowed() -> None:
    with served(first) as client:
        answer = client.get("/")
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_port_in_use_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(BadInput, match="cannot listen on"):
        serve(first, port=taken.getsockname()[1])


def test_the_example_plays_a_series_and_ends_with_ctrl_c() -> None:
    words, environment = [sys.executable, str(EXAMPLE), "--port", "0"], {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as example:
        assert example.stdout and example.stderr
        try:
            line = example.stdout.readline()
            url = re.fullmatch(r"The agent is at (http://127\.0\.0\.1:\d+)\n", line)
            assert url, line
            command = [sys.executable, "-m", "ludus", "match", "checkers", url[1], "random", "--games", "4"]
            match = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        finally:
            example.send_signal(signal.SIGINT)
        assert (example.wait(60), example.stderr.read()) == (0, "")
    assert (match.returncode, match.stderr) == (0, "")
    assert match.stdout.startswith(f"{url[1].removeprefix('http://')} - random: 4 games of checkers, seed 0")
