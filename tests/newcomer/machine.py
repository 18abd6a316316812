"""What a newcomer has: a bare virtual environment with the wheel, an empty folder and no settings."""

from __future__ import annotations

import copy
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

from ludus.core.kernel_cache import readable

ROOT = Path(__file__).parents[2]
PATIENCE = 300.0
"""Seconds for anything that a busy machine may be slow at."""
OPEN = "Ludus is open at "
KEY = re.compile(r"ludus_live_[\w-]+")


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout."""
    run([*uv(), "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT)], cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def uv() -> list[str]:
    return [sys.executable, "-m", "uv"]


def public_python() -> Path:
    """The running interpreter, or the system's if this one lies in a folder that other users cannot enter."""
    own = Path(sys.executable).resolve()
    is_public = all(folder.stat().st_mode & 0o005 == 0o005 for folder in own.parents)
    return own if is_public else Path("/usr/bin/python3")


def run(command: Sequence[str | Path], **options: Any) -> str:
    """The command's output; if it fails, the error shows it."""
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE,
        **options,
    )
    assert done.returncode == 0, f"{command} exits with {done.returncode}:\n{done.stdout[-5000:]}"
    printed: str = done.stdout
    return printed


def clean_environment() -> dict[str, str]:
    """The environment without anything that would make the checkout visible or set an option."""
    hidden = ("LUDUS_", "PYTHON", "VIRTUAL_ENV", "NUMBA_", "PYTEST_", "COVERAGE_")
    return {name: value for name, value in os.environ.items() if not name.startswith(hidden)}


class Server(NamedTuple):
    url: str
    live_key: str
    process: subprocess.Popen[str]

    def get(self, path: str) -> httpx2.Response:
        return httpx2.get(self.url + path, timeout=PATIENCE)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {self.live_key}"}
        answer = httpx2.post(self.url + path, json=body, headers=headers, timeout=PATIENCE)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()


class Machine:
    """A folder with `venv` and `home`; commands run in an empty folder of their own."""

    def __init__(self, folder: Path, wheel: Path, extras: str = "") -> None:
        self.folder, self.venv, self.home = folder, folder / "venv", folder / "home"
        self.home.mkdir(parents=True)
        self.as_user: list[str] = []
        """Put before each command, to run it as somebody else."""
        self.environment = {**clean_environment(), "HOME": str(self.home), "PYTHONUNBUFFERED": "1"}
        run([*uv(), "venv", "--quiet", "--python", public_python(), str(self.venv)], cwd=folder)
        self.python = self.venv / "bin" / "python"
        run([*uv(), "pip", "install", "--quiet", "--python", self.python, f"{wheel}{extras}"], cwd=folder)

    def with_empty_home(self, home: Path) -> Machine:
        """The same install with another home and no other user."""
        same = copy.copy(self)
        same.home, same.as_user = home, []
        same.environment = {**self.environment, "HOME": str(home)}
        return same

    def copy_kernels(self) -> None:
        """Takes over what was compiled for the checkout, where a user would run `ludus precompile` for a minute."""
        (package,) = self.venv.glob("lib/python*/site-packages/ludus")
        for folder in readable():
            shutil.copytree(folder, package / "__pycache__" / "kernels", dirs_exist_ok=True)

    @property
    def megabytes(self) -> float:
        return sum(file.lstat().st_size for file in self.venv.rglob("*") if file.is_file()) / 1e6

    def __call__(self, *words: str | Path, stdin: str = "", cwd: Path | None = None) -> str:
        """A command of the virtual environment."""
        program = self.venv / "bin" / str(words[0])
        command = [*self.as_user, str(program), *map(str, words[1:])]
        return run(command, input=stdin, env=self.environment, cwd=cwd or self.home)

    @contextmanager
    def serving(self, *options: str, data: Path | None = None) -> Iterator[Server]:
        """`ludus serve` as the README has it, on a free port; its bots' processes are killed with it."""
        data = data or self.home / "ludus-data"
        program = [*self.as_user, str(self.venv / "bin" / "ludus")]
        command = [*program, "serve", "--port", "0", "--data", str(data), *options]
        pipe, merged = subprocess.PIPE, subprocess.STDOUT
        with subprocess.Popen(
            command,
            stdout=pipe,
            stderr=merged,
            text=True,
            env=self.environment,
            cwd=self.home,
            start_new_session=True,
        ) as process:
            try:
                yield self._opened(process)
            finally:
                os.killpg(process.pid, signal.SIGKILL)

    def _opened(self, process: subprocess.Popen[str]) -> Server:
        lines: list[str] = []
        opened: queue.Queue[str] = queue.Queue()

        def read() -> None:
            assert process.stdout
            for line in process.stdout:
                lines.append(line)
                if line.startswith(OPEN):
                    opened.put(line.removeprefix(OPEN).strip())
            opened.put("")

        threading.Thread(target=read, daemon=True).start()
        url = opened.get(timeout=PATIENCE)
        assert url, f"the server did not open:\n{''.join(lines)[-5000:]}"
        keys = KEY.findall("".join(lines))
        return Server(url, keys[0] if keys else "", process)

    def remove(self) -> None:
        shutil.rmtree(self.folder)


def readme_block(heading: str, language: str) -> str:
    """The first block in a language below a heading of the README."""
    text = (ROOT / "README.md").read_text()
    _, _, section = text.partition(f"\n## {heading}\n")
    found = re.search(rf"```{language}\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)
    assert found, f"README.md has no {language} block below {heading!r}"
    return found[1]
