"""`ludus` commands as processes of their own, forked from one that has imported the server already.

A fresh interpreter needs up to a second for the imports, and the tests start servers and commands by the dozen.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

FORKS: Final = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["ludus.cli.app", "ludus.server.process", "ludus.series.run", "numba", "rich.progress"])
NOTHING: Final = Path(os.devnull)


class ForkedCommand:
    """With the methods of `subprocess.Popen` that the tests need."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path,
        output: Path,
        log: Path,
        typed: Path = NOTHING,
        own_session: bool = False,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        """Standard error is added to the log; `own_session` makes it the leader of a process group.

        `prepare` is called in the new process before the command.
        """
        output.unlink(missing_ok=True)
        arguments = (tuple(words), dict(environment), folder, (typed, output, log), own_session, prepare)
        self._process = FORKS.Process(target=run, args=arguments)
        self._process.start()
        atexit.register(self.kill)  # else the interpreter would wait for it at its end

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("ludus", timeout or 0)
        atexit.unregister(self.kill)
        return self._process.exitcode

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def _send(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def run_command(*words: str, typed: str = "", folder: Path) -> subprocess.CompletedProcess[str]:
    """Like `subprocess.run`, with what the command says as text."""
    with tempfile.TemporaryDirectory() as made:
        files = [Path(made) / name for name in ("typed", "output", "log")]
        for file in files:
            file.write_text(typed if file.name == "typed" else "")
        source, output, log = files
        command = ForkedCommand(words, environment=os.environ, folder=folder, output=output, log=log, typed=source)
        code = command.wait()
        return subprocess.CompletedProcess(words, code, output.read_text(), log.read_text())


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    streams: tuple[Path, Path, Path],
    own_session: bool,
    prepare: Callable[[], None] | None,
) -> None:
    """In the new process: what a shell does before it starts a command, and the command."""
    from ludus.cli import main

    if own_session:
        os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, file in enumerate(streams):
        opened = os.open(file, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # open until the process ends
    sys.path.insert(0, str(folder))  # as `python -m` does
    sys.argv = ["ludus", *words]
    if prepare is not None:
        prepare()
    main()
