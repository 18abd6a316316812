"""The database that `--data` and `--database` name, for commands that work whether the server runs or not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ludus.core.errors import BadInput

if TYPE_CHECKING:
    from ludus.server.settings import Settings
    from ludus.service.ports.store import Store

DataOption = Annotated[
    Path | None,
    typer.Option(help="The server's data folder; by default that of `ludus serve`.", show_default=False),
]
DatabaseOption = Annotated[
    str | None,
    typer.Option(help="sqlite:PATH or postgresql://…; by default that of `ludus serve`.", show_default=False),
]


class NoDatabase(BadInput):
    """There is no database; only `ludus tenant create` creates one."""


class OpenStore(NamedTuple):
    """Opens the store, whether the server runs or not."""

    store: Store
    settings: Settings


@asynccontextmanager
async def open_store(data: Path | None, database: str | None, *, may_create: bool = False) -> AsyncIterator[OpenStore]:
    from ludus.cli.settings import load_settings
    from ludus.storage import store_for

    settings = load_settings({"data": data, "database": database}).settings
    store = store_for(settings.database, Path(settings.data))
    if not may_create:
        refuse_missing(settings.database, Path(settings.data))
    await store.open()
    try:
        yield OpenStore(store, settings)
    finally:
        await store.close()


async def is_alone(store: Store) -> bool:
    """Whether no server runs on this database; none can start until the store is closed."""
    from ludus.storage.errors import BadDatabase

    try:
        await store.claim()
    except BadDatabase:
        return False
    return True


def refuse_missing(database: str, data: Path) -> None:
    """Raises if there is no database, so that a mistyped name doesn't leave an empty one behind."""
    from ludus.storage import FILE

    if database and not database.startswith("sqlite:"):
        return
    file = Path(database.removeprefix("sqlite:")) if database else data / FILE
    if not file.is_file():
        raise NoDatabase(f"there is no database {file}; name its folder with --data")
