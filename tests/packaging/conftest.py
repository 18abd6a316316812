from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://git.example/ludus"


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel of this tree."""
    folder = tmp_path_factory.mktemp("dist")
    build(folder, {"LUDUS_REPOSITORY": REPOSITORY})
    return folder


def build(folder: Path, environment: dict[str, str], *options: str) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder), *options]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
