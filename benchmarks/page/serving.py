"""The server that the browser visits."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

OPEN: Final = "Ludus is open at "
SETTINGS: Final = {"LUDUS_BOT_PAUSE": "0", "LUDUS_LOG_LEVEL": "warning", "LUDUS_AGENT_RATE_LIMIT": "1000000"}


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server with an empty data folder and bots that do not pause."""
    command = [sys.executable, "-m", "ludus", "serve", "--port", "0", "--data", str(folder / "data")]
    environment = {**os.environ, **SETTINGS, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder) as process:
        assert process.stdout
        try:
            yield next(line for line in process.stdout if line.startswith(OPEN)).removeprefix(OPEN).strip()
        finally:
            process.terminate()
            process.stdout.read()
