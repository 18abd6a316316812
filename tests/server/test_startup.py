"""A database that cannot be used is one line that says what to do, before anything is served."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ludus.server.process import Compilation, run
from ludus.server.settings import Settings
from ludus.storage import FILE
from ludus.storage.errors import BadDatabase
from ludus.storage.sqlite import file
from ludus.storage.sqlite.file import open_writer
from ludus.storage.sqlite.lease import Lease


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.server.process.open_logs", lambda *_: None)
    monkeypatch.setattr(file, "BUSY_TIMEOUT", 50)


def make_folder(path: Path) -> Iterator[None]:
    path.mkdir()
    yield


def write_garbage(path: Path) -> Iterator[None]:
    path.write_bytes(b"no database at all" * 100)
    yield


def damage(path: Path) -> Iterator[None]:
    open_writer(path).close()
    content = bytearray(path.read_bytes())
    content[4096:8192] = bytes(4096)
    path.write_bytes(content)
    yield


def make_newer(path: Path) -> Iterator[None]:
    with closing(open_writer(path)) as database:
        database.execute("INSERT INTO migrations VALUES (999, 'later')")
    yield


def lock(path: Path) -> Iterator[None]:
    open_writer(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        yield


def serve(path: Path) -> Iterator[None]:
    open_writer(path).close()
    with closing(Lease(path)):
        yield


@pytest.mark.parametrize(("spoil", "said"), [
    (make_folder, "is a directory; the server needs to write to its folder"),
    (write_garbage, "file is not a database; restore it from a backup"),
    (damage, "restore it from a backup"),
    (make_newer, "written by a newer Ludus: it has migration 999, and this version knows .*; install that version"),
    (lock, "database is locked; end the other program that uses it, or try again"),
    (serve, "another server is running on .*; stop it first, or choose another folder"),
])  # fmt: skip
def test_a_file_that_cannot_be_used_is_one_line(
    tmp_path: Path, spoil: Callable[[Path], Iterator[None]], said: str
) -> None:
    spoiled = spoil(tmp_path / FILE)
    next(spoiled)
    with pytest.raises(BadDatabase, match=said) as refused:
        run(Settings(data=str(tmp_path), port=0))
    assert "\n" not in str(refused.value)
    assert list(spoiled) == []


def test_a_database_that_does_not_answer_is_one_line_without_its_password(tmp_path: Path) -> None:
    url = "postgresql://ludus:hunter2@127.0.0.1:1/ludus"
    with pytest.raises(BadDatabase, match="check that it runs and that the setting `database` names it") as refused:
        run(Settings(data=str(tmp_path), port=0, database=url))
    assert "\n" not in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_compiling_is_reported_with_the_time_that_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 30.0, 70.0])
    compilation = Compilation(["checkers", "backgammon"], lambda: next(times))
    for game in ("checkers", "backgammon", "checkers"):
        compilation.note(game)
    assert capsys.readouterr().out.splitlines() == [
        "Compiling the engines, once for this machine: about 35 s. Bots wait for it.",
        "  checkers after 30 s; about 40 s left",
        "  backgammon after 70 s; done",
    ]
