"""What works on systems without the parts of Python that only Unix has, and what is refused there."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.server.process import new_event_loop

PROGRAM = Path(__file__).with_name("elsewhere.py")


def ludus(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True, timeout=300)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["perft", "checkers", "3"], "302 lines of 3 moves"),
        (["match", "checkers", "random", "random", "--games", "4", "--jobs", "2"], "4 games"),
    ],
)
def test_the_terminal_needs_no_unix(command: list[str], said: str) -> None:
    done = ludus(*command)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["tenant", "list"]])
def test_the_server_is_refused_in_one_line(command: list[str], tmp_path: Path) -> None:
    done = ludus(*command, "--data", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == "ludus: this command needs Linux or macOS; on Windows, run it in WSL\n"
    assert not list(tmp_path.iterdir())


def test_without_uvloop_the_server_runs_on_asyncios_own_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    loop = new_event_loop()
    loop.close()
    assert type(loop).__module__.startswith("asyncio.")
    assert isinstance(loop, asyncio.AbstractEventLoop)
