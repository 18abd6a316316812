"""The commands, probes and stops of every deployment, exercised as plain processes of one cluster."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.deploy.files import COMPOSE, compose, documents, kubernetes, pod, unit
from tests.deploy.running import Deployed, Services
from tests.ports import free_port

pytestmark = pytest.mark.slow

GIVEN = {"POSTGRES_PASSWORD": "", "LUDUS_SECRET": ""}
COMPONENTS = ("server", "worker")


class Platforms:
    """A process of each component for compose, Kubernetes and systemd, all in one cluster."""

    def __init__(self, services: Services, folder: Path) -> None:
        self.notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notifications.bind(str(folder / "notify"))
        notified = {"NOTIFY_SOCKET": str(folder / "notify")}
        self.processes: dict[tuple[str, str], Deployed] = {}
        for component in COMPONENTS:
            port = free_port()
            commands = {
                "compose": (compose(component, GIVEN), 0, {}),
                "kubernetes": (kubernetes(component), 0, {}),
                "systemd": (unit(f"ludus-{component}", str(port)), port, notified),
            }
            for platform, (command, port, more) in commands.items():
                place = folder / f"{platform}-{component}"
                self.processes[platform, component] = Deployed(command, services, place, port=port, **more)

    def kill(self) -> None:
        for process in self.processes.values():
            process.kill()
        self.notifications.close()


@pytest.fixture(scope="module")
def platforms(services: Services, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platforms]:
    platforms = Platforms(services, tmp_path_factory.mktemp("platforms"))
    yield platforms
    platforms.kill()


@pytest.mark.parametrize("component", COMPONENTS)
def test_kubernetes_probes_succeed(platforms: Platforms, component: str) -> None:
    process = platforms.processes["kubernetes", component]
    container = pod(component)["containers"][0]
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        probe = container[name]["httpGet"]
        assert probe["port"] == "internal"
        process.await_probe(probe["path"])


@pytest.mark.parametrize("component", COMPONENTS)
def test_the_health_check_of_compose_succeeds(platforms: Platforms, component: str) -> None:
    process = platforms.processes["compose", component]
    process.await_probe("/readyz")
    _, program, *words = documents(COMPOSE)[0]["services"][component]["healthcheck"]["test"]
    assert program == "python"
    places = {"http://127.0.0.1:8000": process.url, "http://{socket.gethostname()}:8001": process.internal}
    command = re.sub("|".join(map(re.escape, places)), lambda found: places[found[0]], words[-1])
    assert command != words[-1]
    subprocess.run([sys.executable, *words[:-1], command], check=True)


def test_what_kubernetes_runs_before_a_stop_exists_and_leaves_time_for_the_stop() -> None:
    specification = pod("server")
    container = specification["containers"][0]
    program, seconds = container["lifecycle"]["preStop"]["exec"]["command"]
    assert shutil.which(program)
    assert int(seconds) + 8 < specification["terminationGracePeriodSeconds"]


def test_a_server_passes_on_to_the_others_what_is_theirs(platforms: Platforms) -> None:
    """Which is what makes sticky sessions needless: a session of one is polled at another."""
    one, other = (platforms.processes[name, "server"] for name in ("compose", "systemd"))
    for server in (one, other):
        server.await_probe("/readyz")
    opened = httpx2.get(f"{one.url}/socket.io/?EIO=4&transport=polling").text
    session = re.findall(r'"sid":"([^"]+)"', opened)[0]
    sent = httpx2.post(f"{other.url}/socket.io/?EIO=4&transport=polling&sid={session}", content="40/checkers,")
    assert (sent.status_code, sent.text) == (200, "OK")
    answer = httpx2.get(f"{other.url}/socket.io/?EIO=4&transport=polling&sid={session}").text
    assert answer.startswith("40/checkers,")


def test_the_doctor_finds_all_of_them(platforms: Platforms, services: Services, tmp_path: Path) -> None:
    for process in platforms.processes.values():
        process.await_probe("/readyz")
    environment = os.environ | platforms.processes["systemd", "server"].environment
    command = [sys.executable, "-m", "ludus", "doctor", "--data", str(tmp_path)]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True).stdout
    for process in platforms.processes.values():
        assert f"alive at {process.internal.removeprefix('http://')}" in printed, printed
    assert [line for line in printed.splitlines() if line.startswith("✗")] == [
        "✗ PostgreSQL has fsync = off: a crash of its machine loses moves that were acknowledged",
        "✗ PostgreSQL has full_page_writes = off: a crash of its machine loses moves that were acknowledged",
    ]


def test_systemd_is_told_of_start_and_stop_and_every_stop_is_clean(platforms: Platforms) -> None:
    """The last test here: nothing runs after it."""
    for process in platforms.processes.values():
        process.await_probe("/readyz")
    for process in platforms.processes.values():
        process.stop()
    told = [platforms.notifications.recv(64) for _ in COMPONENTS for _ in range(2)]
    assert told == [b"READY=1"] * len(COMPONENTS) + [b"STOPPING=1"] * len(COMPONENTS)
