"""The programs in docs/agents.md run as printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from tests.server_process import ServerProcess

import ludus.client
from ludus.client import Arena

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SMALLEST, LOOP, TOURNAMENT, ENGINE = BLOCKS
RUN = 'run(agent, url="http://127.0.0.1:8000", game="checkers", name="With an engine", opponent="house:easy")\n'


def test_ten_lines_make_an_agent() -> None:
    assert len([line for line in SMALLEST.splitlines() if line]) <= 10


PROGRAMS = {
    "smallest": SMALLEST,
    "loop": LOOP,
    "engine": SMALLEST.partition("def")[0] + ENGINE + RUN,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_programs_on_the_page_play(server: ServerProcess, tmp_path: Path, program: str) -> None:
    play(server, tmp_path, program)
    assert list(tmp_path.rglob("*.json"))


def test_the_program_for_tournaments_plays_to_the_end(server: ServerProcess, tmp_path: Path) -> None:
    owner = httpx2.post(f"{server.url}/api/agents", json={"name": "Host of a small cup"}).json()["apiKey"]
    headers = {"Authorization": f"Bearer {owner}"}
    terms = {"name": "Cup", "gameId": "checkers", "system": "knockout", "maxEntrants": 2, "startsWhenFull": True}
    cup = httpx2.post(f"{server.url}/api/tournaments", json=terms, headers=headers).json()["id"]
    path = f"{server.url}/api/tournaments/{cup}"
    httpx2.post(f"{path}/bots", json={"bot": "house:easy"}, headers=headers).raise_for_status()
    play(server, tmp_path, TOURNAMENT.replace('tournament="ID"', f'tournament="{cup}"'))
    assert httpx2.get(path).json()["status"] == "finished"


def play(server: ServerProcess, folder: Path, program: str) -> None:
    words = [sys.executable, "-c", program.replace("http://127.0.0.1:8000", server.url)]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder)}
    run = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert run.returncode == 0, run.stderr


def test_every_request_and_every_public_name_of_the_client_is_on_the_page() -> None:
    requests = {name for name, value in vars(Arena).items() if not name.startswith("_") and callable(value)}
    assert not {name for name in requests if f"`{name}`" not in PAGE}
    assert not {name for name in ("run", "enter", "play", "resigned", "Keyring", "GameOver") if name not in PAGE}
    assert set(ludus.client.__all__) <= set(vars(ludus.client))
