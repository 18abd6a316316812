"""`ludus serve --workers 2`: real processes on one port, PostgreSQL and Redis."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from tests.redis_server import redis_server
from tests.server_process import PATIENCE, TLS, ServerProcess
from tests.storage.cluster import cluster

pytestmark = pytest.mark.slow

POLLING = "/socket.io/?EIO=4&transport=polling"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with cluster() as database, redis_server() as bus:
        server = ServerProcess(tmp_path_factory.mktemp("workers") / "data", workers=2, database=database, bus=bus.url)
        yield server
        server.kill()


def until(found: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < limit
        time.sleep(0.02)


def processes(server: ServerProcess) -> dict[str, int]:
    """The ids of the server processes, by their numbers."""
    listed = subprocess.run(["ps", "-wweo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    found = re.findall(rf"^ *(\d+) +{server._process.pid} .*--process (\d)$", listed, re.MULTILINE)
    return {number: int(pid) for pid, number in found}


def handshake(server: ServerProcess) -> httpx2.Response:
    """On a connection of its own, which the system gives to either process."""
    return httpx2.get(server.url + POLLING, timeout=PATIENCE, verify=TLS)


def test_a_port_of_two_processes_serves_every_session(server: ServerProcess) -> None:
    names: set[str] = set()
    while len(names) < 2:
        made = handshake(server)
        names.add(made.headers["X-Ludus-Process"])
    session = f"{POLLING}&sid={json.loads(made.text[1:])['sid']}"
    packets = ["40/checkers,", *(f'42/checkers,{number}["matchmaking:leave",{{}}]' for number in range(5))]
    for packet in packets:  # at least one of twelve requests arrives at the other process, but for once in 4,096 runs
        assert server.request("POST", session, content=packet).text == "OK"
        assert "/checkers," in server.request("GET", session).text


def test_a_process_that_is_killed_is_replaced_while_the_other_serves(server: ServerProcess) -> None:
    before = processes(server)
    os.kill(before["1"], signal.SIGKILL)
    until(lambda: processes(server).get("1", before["1"]) != before["1"])
    assert handshake(server).status_code == 200
    assert processes(server)["2"] == before["2"]
    assert "process=supervisor" in server.log and "a process ended" in server.log


def test_it_stops_as_one_process_does(server: ServerProcess) -> None:
    pids = processes(server).values()
    assert server.output.count("Ludus is open at") == 1
    server.close()
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
