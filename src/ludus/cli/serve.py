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
    from ludus.cli.settings import load_settings
    from ludus.server.process import run

    run(load_settings({"host": host, "port": port, "data": data}).settings)
