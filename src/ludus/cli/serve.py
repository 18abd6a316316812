"""`ludus serve`: runs the server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 picks a free one.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder for the database and the secret.")] = None,
) -> None:
    """Run the server: the web page, rooms for people, the arena for programs."""
    import os

    from ludus.server.process import run
    from ludus.server.settings import config_file, load

    precompile()
    given = {"host": host, "port": port, "data": None if data is None else str(data)}
    run(load(os.environ, config_file(os.environ, Path.cwd()), given).settings)


def precompile() -> None:
    """Compiles the engines in another process, where that has not been done yet."""
    import subprocess
    import sys

    from ludus.engines.precompile import is_precompiled

    if not is_precompiled():
        quiet = subprocess.DEVNULL
        subprocess.Popen([sys.executable, "-m", "ludus", "precompile"], stdin=quiet, stdout=quiet, stderr=quiet)
