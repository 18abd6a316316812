"""Copies of a whole database, made while the server runs, and back.

SQLite copies itself. PostgreSQL's own programs, `pg_dump` and `pg_restore`, do it there.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from ludus.storage.errors import BadDatabase
from ludus.storage.sqlite.file import open_reader

SQLITE_FILE: Final = "ludus.sqlite3"
POSTGRES_FILE: Final = "ludus.pgdump"
RUNNING: Final = ("members", "connections")
"""About processes that run now, not about games."""


def copy_sqlite(source: Path, target: Path) -> None:
    """One consistent moment of the database, without its free space."""
    connection = open_reader(source)
    try:
        connection.execute("VACUUM INTO ?", (str(target),))
    except sqlite3.Error as error:
        raise BadDatabase(f"{source} cannot be copied: {error}") from error
    finally:
        connection.close()
    target.chmod(0o600)
    sync(target)


def place_sqlite(source: Path, target: Path) -> None:
    """Puts a copy where the server looks for its database; there must be none."""
    for file in (target, target.with_name(f"{target.name}-wal")):  # an old log would be played into the new file
        if file.exists():
            raise BadDatabase(f"there is already {file}; move it away, or name another folder with --data")
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = target.with_name(f"{target.name}-restoring")
    shutil.copyfile(source, draft)
    draft.chmod(0o600)
    sync(draft)
    draft.rename(target)
    sync(target.parent)


def sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def dump_postgres(url: str, target: Path) -> None:
    target.touch(0o600)
    without = [f"--exclude-table-data={name}" for name in RUNNING]
    _run("pg_dump", url, "--format=custom", "--no-owner", "--no-privileges", *without, f"--file={target}")
    sync(target)


def load_postgres(source: Path, url: str) -> None:
    """All or nothing, into a database without tables."""
    if asyncio.run(_has_tables(url)):
        raise BadDatabase("the database has tables already; create an empty one and name it with --database")
    _run("pg_restore", url, "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", str(source))


def _run(program: str, url: str, *options: str) -> None:
    """The password goes by the environment: other users can see a command's words."""
    parts = urlsplit(url)
    user, _, place = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    address = urlunsplit(parts._replace(netloc=f"{name}@{place}" if name else place))
    environment = {**os.environ, "PGPASSWORD": unquote(password)} if password else None
    try:
        done = subprocess.run(  # noqa: S603  # PostgreSQL's programs, with the operator's own URL
            [program, f"--dbname={address}", *options], env=environment, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise BadDatabase(f"{program} is not installed; it comes with PostgreSQL's client programs") from None
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0]
        raise BadDatabase(f"{program} failed: {reason.removeprefix(f'{program}: ')}")


async def _has_tables(url: str) -> bool:
    import asyncpg  # optional

    try:
        connection = await asyncpg.connect(url)
    except (OSError, asyncpg.PostgresError) as error:
        raise BadDatabase(f"the database cannot be reached: {error}") from error
    try:
        query = "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = ANY (current_schemas(false)))"
        found: bool = await connection.fetchval(query)
        return found
    finally:
        await connection.close()
