"""`ludus mcp`, as far as it goes without a model."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest


def refused(*words: str) -> str:
    command = [sys.executable, "-m", "ludus", "mcp", *words]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.count("\n") == 1
    return run.stderr


@pytest.mark.parametrize(("words", "said"), [
    (["--transport", "pigeon"], "--transport is stdio or http, not 'pigeon'"),
    (["--url", "arena.example"], "'arena.example' is not the address of an arena"),
])  # fmt: skip
def test_bad_input_gets_one_line(words: list[str], said: str) -> None:
    assert said in refused(*words)


def test_a_port_that_is_taken_gets_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused("--transport", "http", "--port", port)
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in said
