"""The commit of this code: written into the package when it is built, or read from git in a checkout."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parents[1]
WRITTEN: Final = "COMMIT"
"""The file that the build puts into the package; see `hatch_build.py`."""


def commit(package: Path = PACKAGE) -> str | None:
    """The commit's first ten digits, with `-dirty` if there are uncommitted changes; None if it is unknown."""
    if (written := package / WRITTEN).is_file():
        return written.read_text(encoding="ascii").strip()
    root = package.parents[1]
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603  # fixed words
    except (OSError, subprocess.CalledProcessError):
        return None
