"""A server without engines, and workers that think for it."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import httpx2
import pytest

from ..forked_command import ForkedCommand
from ..rooms import checkers
from ..rooms.app import PYTHON, App, Clients
from ..server_pair import SECRET
from ..server_process import PATIENCE, STOP, ServerProcess, as_environment, clean_environment
from ..storage.conftest import fresh

READY = re.compile(r"The worker is ready; its probes are at (http://\S+)\n")

Start = Callable[[], "Worker"]


class Worker:
    """`ludus worker`, ready to think."""

    def __init__(self, folder: Path, **settings: object) -> None:
        folder.mkdir()
        self._log, self._output = folder / "log", folder / "output"
        self._log.write_text("")
        environment = {**clean_environment(), **as_environment({"data": folder / "data", **settings})}
        self._process = ForkedCommand(
            ["worker"], environment=environment, folder=folder, output=self._output, log=self._log
        )
        self.url = self._await_url()

    def _await_url(self) -> str:
        until = time.monotonic() + PATIENCE
        while self._process.poll() is None and time.monotonic() < until:
            if self._output.exists() and (found := READY.search(self._output.read_text())):
                return found[1]
            time.sleep(0.005)
        self.kill()
        raise AssertionError(f"the worker did not start: {self._log.read_text()}")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """As an init system does; the stop must be clean and quick."""
        self._process.terminate()
        try:
            code = self._process.wait(timeout=STOP)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        log = self._log.read_text()
        assert code == 0 and "Traceback" not in log, log[-5000:]


@pytest.fixture
def shared(database: str, bus: str) -> dict[str, object]:
    """What server and workers must have in common."""
    own = anyio.run(fresh, database)
    return {"database": own, "bus": bus, "secret": f"{SECRET}, and these too", "bot_warmup": "false", "bot_pause": 0}


@pytest.fixture
def start(shared: dict[str, object], tmp_path: Path) -> Iterator[Start]:
    started: list[Worker] = []

    def start() -> Worker:
        started.append(Worker(tmp_path / f"worker{len(started)}", **shared))
        return started[-1]

    yield start
    for worker in started:
        worker.kill()


@pytest.fixture
def thin_server(shared: dict[str, object], tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path / "server", **{**shared, "bot_workers": 0})
    yield server
    server.kill()


START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
"""Of checkers."""


def probe(url: str, path: str) -> httpx2.Response:
    return httpx2.get(url + path, timeout=PATIENCE)


def await_readiness(url: str, failed: list[str]) -> None:
    until = time.monotonic() + PATIENCE
    while (found := probe(url, "/readyz").json()["failed"]) != failed:
        assert time.monotonic() < until, found
        time.sleep(0.02)


def test_workers_come_and_go_in_the_middle_of_games_and_analyses(
    thin_server: ServerProcess, start: Start, clients: Clients
) -> None:
    await_readiness(thin_server.url, ["bots_missing"])
    first = start()
    await_readiness(thin_server.url, [])
    assert probe(first.url, "/healthz").status_code == probe(first.url, "/readyz").status_code == 200
    assert "\nludus_bus_connected " in probe(first.url, "/metrics").text
    assert probe(first.url, "/").status_code == probe(first.url, "/v1/sessions").status_code == 404

    app = App(thin_server, thin_server.tenant("app"), clients)
    player = app.enter(app.session("Ann", matchType="bot", botDifficulty="easy"), PYTHON)
    player.begin()
    board = checkers.play_a_bot(player, seed=1, most=2)[-1]["board"]
    first.kill()
    await_readiness(thin_server.url, ["bots_missing"])
    checkers.make(player, [], board, checkers.options(player)[0])
    second = start()
    assert player.next("game:move:made", within=PATIENCE).payload["playerId"] != player.id, "the other bot answers"
    player.act("game:resign")
    player.wait("game:over")

    path = f"/web/tables/{player.room}/analysis"
    asked = thin_server.request("POST", path)
    assert (asked.status_code, asked.json()["state"], asked.json()["total"]) == (200, "waiting", 6)
    report = thin_server.get(path)
    while not report["done"]:
        time.sleep(0.05)
        report = thin_server.get(path)
    second.stop()
    third = start()
    while report["state"] != "done":
        assert report["state"] in ("waiting", "running")
        time.sleep(0.05)
        report = thin_server.get(path)
    assert len(report["moves"]) == 6
    third.stop()
    thin_server.close()


def test_a_worker_looks_at_a_position_that_the_server_is_asked_about(thin_server: ServerProcess, start: Start) -> None:
    start()
    await_readiness(thin_server.url, [])
    answer = thin_server.request("GET", "/web/analysis/checkers/opinion", params={"position": START})
    opinions = [json.loads(line) for line in answer.text.splitlines()]
    assert [each["stage"] for each in opinions] == list(range(1, opinions[0]["stages"] + 1))
    assert all(len(each["lines"]) == 5 for each in opinions)
