"""Compiled kernels are kept where that is possible and safe; elsewhere they are compiled in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ludus
from ludus.core import kernel_cache

BARE = """
import tempfile, pathlib
from ludus.core import kernel_cache
kernel_cache.PACKAGE = pathlib.Path(tempfile.mkdtemp())
"""
"""Without what was compiled into the package before."""
COUNT = (
    BARE
    + """
from ludus.games import GAMES
rules = GAMES["checkers"].compiled()
print(rules.perft(rules.variants["standard"], 3))
"""
)
PERFT = ("-c", BARE + "from ludus.cli import main\nmain()", "perft", "checkers", "3")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in (kernel_cache.VARIABLE, kernel_cache.NUMBA_VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    kernel_cache.writable.cache_clear()
    yield
    kernel_cache.writable.cache_clear()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as if it were that of the package."""
    monkeypatch.setattr(kernel_cache, "PACKAGE", tmp_path / "package")
    (tmp_path / "package").mkdir()
    return tmp_path / "package"


def test_kernels_are_kept_in_the_package_or_else_in_the_user_s_cache(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert kernel_cache.writable() == package / "__pycache__" / "kernels"
    kernel_cache.writable.cache_clear()
    (package / "__pycache__" / "kernels").rmdir()
    (package / "__pycache__").rmdir()
    (package / "__pycache__").touch()
    assert kernel_cache.writable() == tmp_path / "cache" / "ludus" / "kernels"


@pytest.mark.parametrize("name", [kernel_cache.VARIABLE, kernel_cache.NUMBA_VARIABLE])
def test_a_named_folder_is_the_only_place_to_write_to(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, str(tmp_path / "named"))
    assert kernel_cache.writable() == tmp_path / "named" / f"kernels-{os.geteuid()}"
    kernel_cache.writable.cache_clear()
    (tmp_path / "file").touch()
    monkeypatch.setenv(name, str(tmp_path / "file"))
    assert kernel_cache.writable() is None
    assert f"({tmp_path / 'file'}: not a directory); choose another folder" in kernel_cache.problem()


def test_each_user_has_a_folder_in_a_shared_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o1777)
    monkeypatch.setenv(kernel_cache.VARIABLE, str(tmp_path / "shared"))
    assert kernel_cache.writable() == tmp_path / "shared" / f"kernels-{os.geteuid()}"


def test_a_folder_that_others_can_write_to_is_neither_read_nor_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / f"kernels-{os.geteuid()}"
    own.mkdir()
    own.chmod(0o777)
    monkeypatch.setenv(kernel_cache.VARIABLE, str(tmp_path))
    assert own not in kernel_cache.readable()
    assert kernel_cache.writable() is None
    assert "others can write to it" in kernel_cache.problem()


def test_what_root_has_compiled_into_the_package_is_read(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (package / "__pycache__" / "kernels").mkdir(parents=True)
    monkeypatch.setenv(kernel_cache.VARIABLE, str(tmp_path / "named"))
    own = tmp_path / "named" / f"kernels-{os.geteuid()}"
    assert kernel_cache.readable() == [own, package / "__pycache__" / "kernels"]


def test_a_damaged_file_is_not_loaded(tmp_path: Path) -> None:
    file = tmp_path / "kernel.nbc"
    kernel_cache._write(file, b"machine code")
    assert kernel_cache._read(file) == b"machine code"
    file.write_bytes(file.read_bytes()[:-1])
    assert kernel_cache._read(file) is None
    file.write_bytes(b"")
    assert kernel_cache._read(file) is None
    assert kernel_cache._read(tmp_path / "none") is None
    assert [each.name for each in tmp_path.iterdir()] == ["kernel.nbc"]


def run(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Python in an environment without a home."""
    sources = str(Path(ludus.__file__).parents[1])
    clean = {"PATH": os.environ["PATH"], "PYTHONPATH": sources, "PYTHONDONTWRITEBYTECODE": "1", **environ}
    clean["TMPDIR"] = str(Path(environ["LUDUS_CACHE_DIR"]).parent)
    return subprocess.run([sys.executable, *words], env=clean, cwd="/", capture_output=True, text=True)


@pytest.mark.slow
def test_what_was_compiled_once_is_loaded_the_next_time(tmp_path: Path) -> None:
    folder = str(tmp_path / "cache")
    assert run("-c", COUNT, LUDUS_CACHE_DIR=folder).stdout == "302\n"
    files = {file: file.stat().st_mtime_ns for file in (tmp_path / "cache").rglob("*.nbc")}
    assert files
    again = run("-c", COUNT + "print(rules._kernel.perft.stats.cache_misses)", LUDUS_CACHE_DIR=folder)
    assert again.stdout == "302\nCounter()\n", again.stderr
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "cache").rglob("*.nbc")} == files


@pytest.mark.slow
def test_where_nothing_can_be_kept_a_command_works_and_says_so_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run(*PERFT, LUDUS_CACHE_DIR=str(tmp_path / "file"))
    assert done.stdout.startswith("302 lines of 3 moves"), done.stderr
    assert done.stderr == (
        "ludus: compiled code is kept in memory only, so every process compiles its own"
        f" ({tmp_path / 'file'}: not a directory); choose another folder\n"
    )
