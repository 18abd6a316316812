"""Shared by the commands that need the server's settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ludus.server.settings import Loaded


def load_settings(given: Mapping[str, object], *, is_quiet: bool = False) -> Loaded:
    """Settings from the command line (`given`), the environment and the file; unless quiet, names ignored ones."""
    from ludus.server.settings import config_file, load

    loaded = load(os.environ, config_file(os.environ, Path()), given)
    if loaded.foreign and not is_quiet:
        named = ", ".join(map(_described, loaded.foreign))
        typer.echo(f"ludus: not settings, so ignored: {named}; `ludus config` lists the settings", err=True)
    return loaded


def _described(key: str) -> str:
    from ludus.server.settings import nearest_variable

    nearest = nearest_variable(key)
    if nearest == key:
        return f"{key} (an address set by Kubernetes)"
    return f"{key} (did you mean {nearest}?)" if nearest else key
