"""`ludus serve` as a person starts it: in a new interpreter, and stopped with Ctrl-C or by a supervisor."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

pytestmark = pytest.mark.slow

OPEN = "Ludus is open at "


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_server_says_where_it_is_and_stops_cleanly(tmp_path: Path, stop: signal.Signals) -> None:
    command = [sys.executable, "-m", "ludus", "serve", "--port", "0", "--data", str(tmp_path / "data")]
    environment = {**os.environ, "LUDUS_BOT_WARMUP": "false"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, cwd=tmp_path) as run:
        assert run.stdout
        said = next(line for line in run.stdout if line.startswith(OPEN))
        assert httpx2.get(said.removeprefix(OPEN).strip() + "/health", timeout=60).json() == {"status": "alive"}
        run.send_signal(stop)
        _, problem = run.communicate(timeout=60)
    assert run.returncode == 0
    assert "Traceback" not in problem
