"""Agents' keys on disk: one file each, readable by its owner only."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

from ludus.client.responses import Registration
from ludus.core.errors import BadInput


class Credentials(NamedTuple):
    id: str
    name: str
    key: str


class Keyring:
    """A folder; by default `ludus/agents` in the user's configuration folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def find(self, url: str, name: str) -> Credentials | None:
        file = self._file(url, name)
        try:
            known = json.loads(file.read_text(encoding="utf-8"))
            return Credentials(*(str(known[field]) for field in ("id", "name", "key")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            raise BadInput(f"cannot read the agent's key in {file}") from None

    def keep(self, url: str, registration: Registration) -> Credentials:
        """Writes the file atomically; others can never read it."""
        file = self._file(url, registration.name)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}.draft")
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(registration._asdict() | {"url": url}, indent=1), encoding="utf-8")
        draft.replace(file)
        return Credentials(registration.id, registration.name, registration.key)

    def _file(self, url: str, name: str) -> Path:
        """Agents' names are unique regardless of case and valid as file names."""
        if not re.fullmatch(r"[A-Za-z0-9 _-]{2,64}", name):
            raise BadInput(f"{name[:80]!r} is not a name: use 2 to 64 letters, digits, spaces, hyphens or underscores")
        place = re.sub(r"[^A-Za-z0-9.-]+", "_", url.partition("://")[2].strip("/"))
        return self.folder / place / f"{name.lower()}.json"


def default_folder() -> Path:
    try:
        base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    except RuntimeError:
        raise BadInput("this user has no home folder to keep keys in; name one in XDG_CONFIG_HOME") from None
    return Path(base) / "ludus" / "agents"
