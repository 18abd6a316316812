"""Somebody who reads a page and does what its blocks say, in a folder of their own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Queue

from ..server_process import PATIENCE, ServerProcess
from .blocks import ROOT, Block

ADDRESSES = ("http://127.0.0.1:8000", "https://ludus.example")
"""Of the server, in the documents."""
DONE = re.compile(
    r"^ *(make (setup|serve)|python3 -m venv \.venv|\. \.venv/bin/activate|(npm|pip) install .*"
    r"|ludus serve( --(host|port|data) \S+)*) *(#.*)?$",
    re.MULTILINE,
)
"""What the tests have done already: a server runs, and everything is installed."""
OUTSIDE = re.compile(r"(?:^|[ =\"'])/(?!dev/null)|\b(sudo|systemctl|docker|pkill|killall)\b", re.MULTILINE)
"""What would touch the machine outside the reader's folder."""
MODULES = shutil.ignore_patterns("node_modules")
KEEP = "\nstatus=$?; export -p > .exported; exit $status\n"
RESTORE = "if [ -f .exported ]; then . ./.exported; fi; set -a\n"


class Failure(Exception):
    """A block does not do what its page says."""


class Process:
    """A program that goes on while the reader reads on, as in another terminal."""

    def __init__(self, command: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that what it starts ends with it
        )
        self._lines: Queue[str | None] = Queue()
        self._seen: list[str] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def type(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def await_line(self, pattern: str) -> re.Match[str]:
        """Reads on until a line matches."""
        while (line := self._lines.get(timeout=PATIENCE)) is not None:
            self._seen.append(line)
            if found := re.search(pattern, line):
                return found
        raise Failure(f"ended without {pattern!r}:\n{''.join(self._seen)}")

    def finish(self) -> str:
        """What it printed, once it has ended by itself."""
        while (line := self._lines.get(timeout=PATIENCE)) is not None:
            self._seen.append(line)
        if code := self._process.wait():
            raise Failure(f"exit {code}:\n{''.join(self._seen)}")
        return "".join(self._seen)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            pipe.close()


class Reader:
    def __init__(self, folder: Path, server: ServerProcess, key: str, node: Path, modules: Path) -> None:
        self.folder = folder
        self.server = server
        self._node = node
        self._processes: list[Process] = []
        shutil.copytree(ROOT / "clients" / "js", folder / "node_modules" / "ludus-client", ignore=MODULES)
        for module in modules.iterdir():
            (folder / "node_modules" / module.name).symlink_to(module)
        (folder / "examples").symlink_to(ROOT / "examples")
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LUDUS_")}
        own = f"{Path(sys.executable).parent}:{node.parent}:{clean['PATH']}"
        self.environment = {
            **clean,
            "HOME": str(folder),
            "PATH": own,
            "KEY": key,
            "PYTHONUNBUFFERED": "1",
            "NO_COLOR": "1",
        }

    def localized(self, text: str) -> str:
        """With the address of the server that runs."""
        for address in ADDRESSES:
            text = text.replace(address, self.server.url)
        return text.replace("/static/VERSION/", f"{self.server.static}/")

    def save(self, block: Block, name: str | None = None) -> None:
        path = self.folder / (name or block.file or "")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.localized(block.text), encoding="utf-8")

    def command(self, block: Block) -> list[str]:
        """What runs the block as it stands."""
        if block.language == "js":
            self.save(block, "block.mjs")
            return [str(self._node), "block.mjs"]
        if block.language in ("python", "py"):
            self.save(block, "block.py")
            return [sys.executable, "block.py"]
        script = DONE.sub("", block.text)
        if OUTSIDE.search(script):
            raise Failure(f"{block} would change the machine; list it in exceptions.py")
        return ["bash", "-e", "-c", self.localized(RESTORE + script + KEEP)]

    def run(self, block: Block, typed: str = "", code: int = 0) -> str:
        """What the block prints, once it has ended."""
        return self._run(self.command(block), typed, code, str(block))

    def shell(self, command: str) -> str:
        """What a command after a `$` prints; it may fail, if that is what the page shows."""
        return self._run(["bash", "-c", self.localized(RESTORE + command + KEEP)], "", None, command)

    def _run(self, command: Sequence[str], typed: str, code: int | None, name: str) -> str:
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            printed, _ = process.communicate(typed, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise Failure(f"{name} does not end:\n{process.communicate()[0][-4000:]}") from None
        if code is not None and process.returncode != code:
            raise Failure(f"{name} ends with {process.returncode}:\n{printed[-4000:]}")
        return printed

    def start(self, block: Block, command: str | None = None) -> Process:
        words = self.command(block) if command is None else ["bash", "-c", self.localized(f"{RESTORE}exec {command}")]
        self._processes.append(Process(words, self.folder, self.environment))
        return self._processes[-1]

    def close(self) -> None:
        for process in self._processes:
            process.close()


def console(text: str) -> Iterator[tuple[str, str]]:
    r"""The commands of a session and what each prints.

    >>> list(console("$ echo 1\n1\n$ true\n"))
    [('echo 1', '1\n'), ('true', '')]
    """
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        length = next(number for number, line in enumerate(lines, 1) if not line.endswith("\\\n"))
        yield "".join(lines[:length]).rstrip("\n"), "".join(lines[length:])
