"""`ludus backup` and `ludus restore`: copies of all that a server has stored, checked by replaying every game."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ludus import __version__
from ludus.cli.database import DatabaseOption, DataOption, refuse_missing
from ludus.core.errors import BadInput

if TYPE_CHECKING:
    from ludus.server.settings import Settings
    from ludus.service.integrity import Integrity

MANIFEST: Final = "backup.json"
SECRET: Final = "secret"  # noqa: S105  # a file's name
CHUNK: Final = 1 << 20

FolderArgument = Annotated[Path, typer.Argument(help="The folder of the backup.", show_default=False)]


def backup(folder: FolderArgument, data: DataOption = None, database: DatabaseOption = None) -> None:
    """Copy the database and the secret into a new folder, even while the server is running.

    A copy of SQLite is checked by replaying every game; one of PostgreSQL is checked when it is restored.
    """
    from ludus.cli.settings import load_settings
    from ludus.storage.backup import POSTGRES_FILE, SQLITE_FILE, copy_sqlite, dump_postgres

    settings = load_settings({"data": data, "database": database}).settings
    refuse_missing(settings.database, Path(settings.data))
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty; name a new folder for each backup")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    source = sqlite_file(settings)
    name = POSTGRES_FILE if source is None else SQLITE_FILE
    if source is None:
        dump_postgres(settings.database, folder / name)
    else:
        copy_sqlite(source, folder / name)
    files = [name]
    secret = Path(settings.data) / SECRET
    if secret.is_file() and not settings.secret.strip():
        shutil.copyfile(secret, folder / SECRET)
        (folder / SECRET).chmod(0o600)
        files.append(SECRET)
    manifest = {
        "ludus": __version__,
        "createdAt": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": {file: digest(folder / file) for file in files},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    typer.echo(f"The backup is in {folder}. It contains secrets: keep it where only you can read it.")
    if source is not None:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:  # opening a database changes its file
            shutil.copyfile(folder / name, Path(scratch) / name)
            report(check_games(f"sqlite:{Path(scratch) / name}", Path(scratch)))


def restore(folder: FolderArgument, data: DataOption = None, database: DatabaseOption = None) -> None:
    """Put a backup where the server looks for its data, and replay every game. Nothing is overwritten."""
    from ludus.cli.settings import load_settings
    from ludus.storage.backup import POSTGRES_FILE, SQLITE_FILE, load_postgres, place_sqlite

    settings = load_settings({"data": data, "database": database}).settings
    files = intact_files(folder)
    target = sqlite_file(settings)
    name = POSTGRES_FILE if target is None else SQLITE_FILE
    if name not in files:
        kind = "SQLite" if target is None else "PostgreSQL"
        raise BadInput(f"{folder} is a backup of {kind}; name such a database with --database")
    has_secret = SECRET in files and not settings.secret.strip()
    secret = Path(settings.data) / SECRET
    if has_secret and secret.exists() and secret.read_bytes() != (folder / SECRET).read_bytes():
        raise BadInput(f"{secret} is a different secret; move it away, or name another folder with --data")
    if target is None:
        load_postgres(folder / name, settings.database)
    else:
        place_sqlite(folder / name, target)
    if has_secret and not secret.exists():
        place_secret(folder / SECRET, secret)
    typer.echo("The backup is restored. Games continue with the clocks they had.")
    report(check_games(settings.database, Path(settings.data)))


def sqlite_file(settings: Settings) -> Path | None:
    """The database's file; None for PostgreSQL."""
    from ludus.storage import FILE

    if not settings.database:
        return Path(settings.data) / FILE
    return Path(settings.database.removeprefix("sqlite:")) if settings.database.startswith("sqlite:") else None


def digest(file: Path) -> str:
    """The SHA-256 hash of a file, in hexadecimal."""
    seen = hashlib.sha256()
    with file.open("rb") as content:
        while chunk := content.read(CHUNK):
            seen.update(chunk)
    return seen.hexdigest()


def intact_files(folder: Path) -> dict[str, str]:
    """The files of a backup; raises if any differs from what was written."""
    try:
        manifest: Any = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files: dict[str, str] = {str(name): str(value) for name, value in manifest["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise BadInput(f"{folder} is not a backup: it has no readable {MANIFEST}") from None
    for name, expected in files.items():
        if Path(name).name != name or not (folder / name).is_file() or digest(folder / name) != expected:
            raise BadInput(f"{folder / name} is missing or damaged; take another backup")
    return files


def place_secret(source: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.touch(0o600)
    target.write_bytes(source.read_bytes())


def check_games(database: str, data: Path) -> Integrity:
    from ludus.service.integrity import check
    from ludus.storage import store_for

    async def work() -> Integrity:
        store = store_for(database, data)
        await store.open()
        try:
            with progress() as show:
                return await check(store, show)
        finally:
            await store.close()

    return asyncio.run(work())


@contextmanager
def progress() -> Iterator[Any]:
    """Shows the number of games on a terminal; yields a function to call with the number."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("replaying games: {task.completed:,}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
        task = shown.add_task("")
        yield lambda games: shown.update(task, completed=games)


def report(found: Integrity) -> None:
    typer.echo(f"{found.games:,} games with {found.moves:,} moves, {len(found.damaged):,} damaged")
    if found.damaged:
        typer.echo(f"Damaged: {' '.join(found.damaged[:20])}{' …' if len(found.damaged) > 20 else ''}", err=True)
        raise typer.Exit(1)
