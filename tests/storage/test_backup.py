"""`ludus backup` and `ludus restore` on both databases."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import asyncpg
import pytest
from tests.service.parts import FakeClock
from tests.service.platforms import found_tenant, open_platform, play, seated
from typer.testing import CliRunner, Result

from ludus.cli.app import app
from ludus.core.errors import LudusError
from ludus.service.commands import Resign
from ludus.service.integrity import check
from ludus.service.ports.writes import PutMember, PutTenant
from ludus.service.records import Member, Tenant
from ludus.storage import FILE, store_for

from .cluster import find_programs
from .examples import MEMBER

NUMBERS = count(1)
SECRET = "0123456789abcdef" * 4
MOVES = 7


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a game that is over and one that goes on."""
    folder = tmp_path / "data"
    asyncio.run(play_games(folder))
    (folder / "secret").write_text(SECRET)
    return folder


async def play_games(folder: Path) -> None:
    async with open_platform(folder, FakeClock()) as platform:
        await found_tenant(platform)
        for is_over in (True, False):
            table, *_ = await seated(platform)
            await play(platform, table.id, MOVES)
            if is_over:
                await platform.tables.execute(table.id, Resign(0))


def invoke(*words: str | Path) -> Result:
    done = CliRunner().invoke(app, [str(word) for word in words])
    if isinstance(done.exception, LudusError):
        raise done.exception
    return done


def run(*words: str | Path) -> str:
    done = invoke(*words)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_restored_server_goes_on_with_its_games(data: Path, tmp_path: Path) -> None:
    assert "2 games with 14 moves, 0 damaged" in run("backup", tmp_path / "copy", "--data", data)
    asyncio.run(play_games(data))  # of which the backup knows nothing
    assert "2 games with 14 moves, 0 damaged" in run("restore", tmp_path / "copy", "--data", tmp_path / "new")
    assert (tmp_path / "new" / "secret").read_text() == SECRET

    async def go_on() -> None:
        async with open_platform(tmp_path / "new", FakeClock()) as platform:
            (live,) = await platform.store.live_tables()
            table = await play(platform, live.id)
            assert table.version == live.version + 1

    asyncio.run(go_on())


def test_it_is_made_while_the_server_writes(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_platform(tmp_path / "data", FakeClock()) as platform:
            await found_tenant(platform)
            table, *_ = await seated(platform)
            await play(platform, table.id, MOVES)
            backup = asyncio.to_thread(run, "backup", tmp_path / "copy", "--data", tmp_path / "data")
            printed, _ = await asyncio.gather(backup, play(platform, table.id, 20))
            assert "1 games with" in printed
            assert ", 0 damaged" in printed

    asyncio.run(work())


def test_others_can_read_neither_backup_nor_restored_data(data: Path, tmp_path: Path) -> None:
    run("backup", tmp_path / "copy", "--data", data)
    run("restore", tmp_path / "copy", "--data", tmp_path / "new")
    for folder in (tmp_path / "copy", tmp_path / "new"):
        assert folder.stat().st_mode & 0o077 == 0
        for secret in (folder / FILE, folder / "secret"):
            assert secret.stat().st_mode & 0o077 == 0


def test_a_game_that_cannot_be_replayed_is_named_and_the_backup_is_kept(data: Path, tmp_path: Path) -> None:
    with sqlite3.connect(data / FILE) as connection:
        (table,) = connection.execute("SELECT id FROM tables WHERE status = 'over'").fetchone()
        connection.execute('UPDATE events SET data = ? WHERE "table" = ? AND version = 3', ("{}", table))
    connection.close()
    made = invoke("backup", tmp_path / "copy", "--data", data)
    assert made.exit_code == 1
    assert "2 games with 14 moves, 1 damaged" in made.output
    assert f"Damaged: {table}" in made.output
    assert invoke("restore", tmp_path / "copy", "--data", tmp_path / "new").exit_code == 1
    assert (tmp_path / "new" / FILE).exists()


def test_a_summary_that_differs_from_its_events_is_found(data: Path) -> None:
    with sqlite3.connect(data / FILE) as connection:
        connection.execute("UPDATE tables SET moves = moves + 1 WHERE status = 'live'")
    connection.close()

    async def damaged() -> int:
        store = store_for("", data)
        await store.open()
        try:
            return len((await check(store)).damaged)
        finally:
            await store.close()

    assert asyncio.run(damaged()) == 1


def test_a_backup_with_a_changed_file_is_refused(data: Path, tmp_path: Path) -> None:
    run("backup", tmp_path / "copy", "--data", data)
    with (tmp_path / "copy" / FILE).open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff")
    with pytest.raises(LudusError, match=r"ludus\.sqlite3 is missing or damaged"):
        run("restore", tmp_path / "copy", "--data", tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("manifest", ["", "[]", '{"files": 1}', '{"files": {"../secret": "0"}}'])
def test_what_is_no_backup_is_refused(manifest: str, tmp_path: Path) -> None:
    (tmp_path / "backup.json").write_text(manifest)
    with pytest.raises(LudusError, match=r"not a backup|missing or damaged"):
        run("restore", tmp_path, "--data", tmp_path / "new")


def test_nothing_is_overwritten(data: Path, tmp_path: Path) -> None:
    run("backup", tmp_path / "copy", "--data", data)
    with pytest.raises(LudusError, match="not empty"):
        run("backup", tmp_path / "copy", "--data", data)
    with pytest.raises(LudusError, match="already"):
        run("restore", tmp_path / "copy", "--data", data)
    other = tmp_path / "other"
    other.mkdir()
    (other / "secret").write_text(SECRET[::-1])
    with pytest.raises(LudusError, match="different secret"):
        run("restore", tmp_path / "copy", "--data", other)
    (other / "secret").unlink()
    (other / f"{FILE}-wal").touch()
    with pytest.raises(LudusError, match="already"):
        run("restore", tmp_path / "copy", "--data", other)
    assert [file.name for file in other.iterdir()] == [f"{FILE}-wal"]


def test_a_secret_from_the_settings_is_not_copied(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_SECRET", SECRET)
    run("backup", tmp_path / "copy", "--data", data)
    assert list(json.loads((tmp_path / "copy" / "backup.json").read_text())["files"]) == [FILE]


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `pg_dump` and `pg_restore` are found."""
    monkeypatch.setenv("PATH", f"{find_programs()}{os.pathsep}{os.environ['PATH']}")


def new_database(url: str) -> str:
    """Backups are of whole databases, so a schema won't do."""

    async def create(name: str) -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(f"CREATE DATABASE {name}")
        await connection.close()

    name = f"backup_{next(NUMBERS)}"
    asyncio.run(create(name))
    return url.replace("/postgres?", f"/{name}?")


@pytest.mark.usefixtures("programs")
def test_postgresql_is_restored_by_its_own_programs(postgres: str, tmp_path: Path) -> None:
    source, target = new_database(postgres), new_database(postgres)
    asyncio.run(create_tenant(source))
    options = ("--data", tmp_path / "data", "--database")
    run("backup", tmp_path / "copy", *options, source)
    assert "0 games" in run("restore", tmp_path / "copy", *options, target)
    assert asyncio.run(stored(target)) == (["Acme"], [])
    with pytest.raises(LudusError, match="has tables already"):
        run("restore", tmp_path / "copy", *options, target)
    with pytest.raises(LudusError, match="a backup of PostgreSQL"):
        run("restore", tmp_path / "copy", "--data", tmp_path / "new")


async def create_tenant(database: str) -> None:
    store = store_for(database, Path())
    await store.open()
    await store.commit(PutTenant(Tenant("acme", "Acme", 0)), PutMember(MEMBER))
    await store.close()


async def stored(database: str) -> tuple[list[str], Sequence[Member]]:
    """The names of its tenants, and the processes that it believes to run."""
    store = store_for(database, Path())
    await store.open()
    try:
        return [tenant.name for tenant in await store.tenants()], await store.members()
    finally:
        await store.close()


def test_without_its_programs_the_command_says_what_to_install(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LudusError, match="pg_dump is not installed"):
        run("backup", tmp_path / "copy", "--data", tmp_path, "--database", postgres)


def test_a_password_is_not_among_a_commands_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pg_dump"
    program.write_text(f'#!/bin/sh\necho "$@" "$PGPASSWORD" > {tmp_path}/words\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    url = "postgresql://ann:p%40ss@db.example:5433/ludus?sslmode=require"
    run("backup", tmp_path / "copy", "--data", tmp_path / "data", "--database", url)
    words = (tmp_path / "words").read_text().split()
    assert words[0] == "--dbname=postgresql://ann@db.example:5433/ludus?sslmode=require"
    assert words[-1] == "p@ss"
    assert "p%40ss" not in words
