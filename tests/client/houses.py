"""Houses whose port is known beforehand, so that one can take the place of another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.rooms.house import House


class HouseAt(House):
    def __init__(self, port: str, data: Path, **settings: object) -> None:
        self._port = port
        super().__init__(data, **settings)

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "ludus", "serve", "--port", self._port, "--data", str(self.data)]
        with self._log.open("a") as log:
            return subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, env=self._environment, cwd=self.data.parent
            )

    def kill(self) -> None:
        """Leaves nothing open behind it."""
        super().kill()
        self._reader.join()
        assert self._process.stdout
        self._process.stdout.close()
