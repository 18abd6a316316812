"""A database that cannot be used is one line that says what to do, before anything is served."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.forked_command import run_command

from ludus.server.process import Compilation, run, warn_of_open_folder
from ludus.server.settings import Settings, secret_of
from ludus.storage import FILE
from ludus.storage.errors import BadDatabase
from ludus.storage.sqlite import file
from ludus.storage.sqlite.file import open_writer
from ludus.storage.sqlite.lease import Lease


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.server.process.open_logs", lambda *_, **__: None)
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


def empty(path: Path) -> Iterator[None]:
    open_writer(path).close()
    path.write_bytes(b"")
    yield
    assert path.stat().st_size == 0


def drop_all(path: Path) -> Iterator[None]:
    """A database without any table is empty too."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript("CREATE TABLE a (b); DROP TABLE a")
    before = path.read_bytes()
    yield
    assert path.read_bytes() == before


def make_foreign(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path)) as database:
        database.executescript("CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('Yesterday')")
    before = path.read_bytes()
    yield
    assert path.read_bytes() == before


def leave_log(path: Path) -> Iterator[None]:
    path.with_name(f"{path.name}-wal").write_bytes(b"moves that were played")
    yield
    assert not path.exists()
    assert path.with_name(f"{path.name}-wal").read_bytes() == b"moves that were played"


def link(path: Path) -> Iterator[None]:
    open_writer(path).close()
    path.with_name("second").hardlink_to(path)
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
    (empty, "has been emptied; restore it from a backup, or remove it to start over"),
    (drop_all, "has been emptied; restore it from a backup, or remove it to start over"),
    (make_foreign, "is the database of another program; choose another folder with --data"),
    (leave_log, "is missing, but its log ludus.sqlite3-wal is there; restore both, or remove the log to start over"),
    (link, r"has a second name \(a hard link\), and each would have its own log; remove one of the names"),
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


@pytest.mark.parametrize("is_marked", [True, False])
def test_a_start_that_was_interrupted_is_not_taken_for_an_emptied_file(tmp_path: Path, is_marked: bool) -> None:
    path = tmp_path / FILE
    path.write_bytes(b"")
    if is_marked:
        path.with_name(f"{FILE}-new").touch()
        open_writer(path).close()
        assert [file.name for file in tmp_path.iterdir()] == [FILE]
    else:
        with pytest.raises(BadDatabase, match="emptied"):
            open_writer(path)


def test_a_new_data_folder_is_for_its_owner_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "new" / "data"
    secret_of(Settings(data=str(folder)))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    warn_of_open_folder(folder)
    warn_of_open_folder(tmp_path / "missing")
    assert not caplog.records
    folder.chmod(0o750)
    warn_of_open_folder(folder)
    (record,) = caplog.records
    assert f"chmod 700 {folder}" in record.getMessage()
    assert "mode 750" in record.getMessage()


@pytest.mark.slow
def test_a_database_that_cannot_be_used_ends_the_command_with_2(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"")
    done = run_command("serve", "--port", "0", "--data", str(tmp_path), folder=tmp_path)
    assert done.returncode == 2
    assert "Ludus is open" not in done.stdout
    assert done.stderr.splitlines()[-1].startswith(f"ludus: {tmp_path / FILE} has been emptied;")
    assert (tmp_path / FILE).read_bytes() == b""
