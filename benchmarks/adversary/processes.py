"""Starting and stopping the programs of a row, over their standard input and output."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any


async def told() -> None:
    """In the program: until a line comes from standard input."""
    line = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin.fileno(), line.set)
    await line.wait()
    loop.remove_reader(sys.stdin.fileno())


@contextmanager
def running(program: str, *words: object) -> Iterator[subprocess.Popen[str]]:
    """One of our programs, once it is ready."""
    command = [sys.executable, "-m", f"benchmarks.adversary.{program}", *map(str, words)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = stream(process.stdout).readline()
            assert line == "ready\n", f"{program}: {line}"
            yield process
        finally:
            process.kill()


def begin(process: subprocess.Popen[str]) -> None:
    stdin = stream(process.stdin)
    stdin.write("go\n")
    stdin.flush()


def read(process: subprocess.Popen[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(stream(process.stdout).readline())
    return found


def stream(found: IO[str] | None) -> IO[str]:
    assert found
    return found
