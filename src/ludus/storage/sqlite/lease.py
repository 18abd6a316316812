"""The lease of the one process that serves a database file.

It is a lock on the file itself, so it holds under every name of the file: a symbolic link, a hard link, a mount. The
locked byte is far behind those that SQLite locks. Systems without such locks (that is, all but Linux) lock a file
beside the database instead, which a hard link gets around.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys
from pathlib import Path
from typing import IO, Final

from ludus.storage.errors import BadDatabase

BYTE: Final = 1 << 62 if sys.maxsize > 1 << 32 else 0
FLOCK: Final = struct.pack("hhlli", fcntl.F_WRLCK, os.SEEK_SET, BYTE, 1, 0)
HAS_FILE_LOCKS: Final = sys.platform == "linux" and sys.maxsize > 1 << 32
"""Whether a lock can belong to an open file. A lock of the process would be lost when any file object is closed."""


class Lease:
    """Close it after the database: closing the file releases the process's other locks on it, which are SQLite's."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = _locked(path)
        self._status = path.stat()

    @property
    def is_held(self) -> bool:
        """Whether the database's name still leads to the file that is open; what is written elsewhere would be lost."""
        try:
            return os.path.samestat(self._status, self._path.stat())
        except OSError:
            return False

    def close(self) -> None:
        self._file.close()


def is_taken(path: Path) -> bool:
    """Whether a server has the lease, without taking it."""
    if HAS_FILE_LOCKS:
        with path.open("rb") as file:
            kind, *_ = struct.unpack("hhlli", fcntl.fcntl(file, fcntl.F_OFD_GETLK, FLOCK))
        return bool(kind != fcntl.F_UNLCK)
    try:
        _locked(path).close()
    except BadDatabase:
        return True
    return False


def _locked(path: Path) -> IO[bytes]:
    real = Path(os.path.realpath(path))
    try:
        file = real.open("rb+") if HAS_FILE_LOCKS else real.with_name(f"{real.name}.lock").open("wb")
    except OSError as error:
        raise BadDatabase(f"{path} cannot be locked: {(error.strerror or str(error)).lower()}") from error
    try:
        if HAS_FILE_LOCKS:
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, FLOCK)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise BadDatabase(f"another server is running on {path}; stop it first, or choose another folder") from None
    return file
