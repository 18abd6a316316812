"""`ludus worker`: thinks for the bots of a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def worker(
    data: Annotated[Path | None, typer.Option(help="Folder for compiled engines, if they have no other place.")] = None,
) -> None:
    """Choose bots' moves and analyse games for servers on PostgreSQL and Redis; has no public port."""
    from ludus.cli.settings import load_settings
    from ludus.server.worker import run

    run(load_settings({"data": data}).settings)
