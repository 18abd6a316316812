"""`ludus serve`: runs the server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 picks a free one.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder for the database and the secret.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Server processes on the port; needs PostgreSQL and a bus if more than one.")
    ] = None,
    process: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Run the server: the web page, rooms for people, the arena for programs."""
    from ludus.cli.settings import load_settings

    given = {"host": host, "port": port, "data": data, "workers": workers}
    settings = load_settings(given, is_quiet=process is not None).settings
    if settings.workers > 1 and process is None:
        from ludus.server.supervisor import supervise  # it needs no server itself

        raise typer.Exit(supervise(settings, given))
    from ludus.server.process import run
    from ludus.server.supervised import SupervisorLink, settings_of

    if process is None:
        run(settings)
    else:
        run(settings_of(process, settings), SupervisorLink(str(process)))
