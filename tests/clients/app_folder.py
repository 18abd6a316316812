"""A folder as an app has it: `node_modules` with `ludus-client` as npm would install it."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from pathlib import Path

from tests import npm

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "clients" / "js"
JS = Path(__file__).parent / "js"
LONGEST = 300.0
"""Seconds for a program, even on a busy machine."""


class AppFolder:
    def __init__(self, folder: Path) -> None:
        npm.install(JS)
        self.path = folder
        modules = folder / "node_modules"
        modules.mkdir()
        for package in (JS / "node_modules").iterdir():
            (modules / package.name).symlink_to(package)
        packed = json.loads(npm.npm(PACKAGE, "pack", "--json", "--pack-destination", str(folder)))
        self.packed = sorted(file["path"] for file in packed[0]["files"])
        with tarfile.open(folder / packed[0]["filename"]) as archive:
            archive.extractall(folder, filter="data")
        (folder / "package").rename(modules / packed[0]["name"])
        (folder / "package.json").write_text('{"type": "module"}')

    def add(self, folder: Path) -> Path:
        """A copy of a folder in this one, where its files find the packages."""
        return Path(shutil.copytree(folder, self.path / folder.name))

    def start(self, script: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
        """Runs a script with Node; it is copied, so that it finds the packages."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [npm.NODE, self._copied(script), *words],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
            env=environment or None,
        )

    def run(self, script: Path, *words: str) -> str:
        """What the script prints."""
        with self.start(script, *words) as process:
            try:
                output, errors = process.communicate(timeout=LONGEST)
            finally:
                process.kill()
        assert process.returncode == 0, errors
        return output

    def tool(self, path: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a program of an installed package."""
        command = [str(npm.NODE), str(self.path / "node_modules" / path), *words]
        return subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=False, timeout=LONGEST)

    def _copied(self, script: Path) -> Path:
        copy = self.path / script.name
        copy.write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
        return copy
