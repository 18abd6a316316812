"""Where compiled kernels are kept between runs.

Numba's own cache refuses to compile if it finds no folder to write to, and doesn't read from a folder that it can't
write to. This one compiles in memory instead, and also reads what another user has compiled into the package's folder.

Each kernel and signature is a file of its own, written whole or not at all, under a name that changes with its source,
the processor, and the versions of Python and Numba; so any number of processes and versions can share a folder. Loaded
machine code is run, so only folders that no other user can write to are used.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, Final

VARIABLE: Final = "LUDUS_CACHE_DIR"
NUMBA_VARIABLE: Final = "NUMBA_CACHE_DIR"
PACKAGE: Final = Path(__file__).parents[1]
DIGEST_BYTES: Final = 32
SUFFIX: Final = ".nbc"


class KernelCacheWarning(UserWarning):
    """Compiled kernels cannot be kept; everything works, but each process compiles its own."""


def named_folder() -> Path | None:
    """The folder that the environment names."""
    named = os.environ.get(VARIABLE) or os.environ.get(NUMBA_VARIABLE)
    return Path(named).absolute() if named else None


def places() -> list[Path]:
    """Where kernels may be written, in order of preference; only the environment's folder, if it names one."""
    if named := named_folder():
        return [named / f"kernels-{_user()}"]
    own = [PACKAGE / "__pycache__" / "kernels"]
    with suppress(RuntimeError):  # a user without a home
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        own.append(base / "ludus" / "kernels")
    return own


@cache
def writable() -> Path | None:
    """The first place that can be written to, which now exists; None if there is none."""
    return next((place for place in places() if _problem(place) is None), None)


def use(folder: Path) -> None:
    """Keeps kernels in this folder from now on, also in the processes that this one starts."""
    os.environ[VARIABLE] = str(folder.absolute())
    writable.cache_clear()


def readable() -> list[Path]:
    """Where kernels are looked for, including the places where root or the package's owner has compiled them."""
    named, own = named_folder(), writable()
    others = [named / "kernels-0"] if named else []
    found = [*([own] if own else places()), *others, PACKAGE / "__pycache__" / "kernels"]
    return [place for place in dict.fromkeys(found) if _is_trusted(place)]


def problem() -> str:
    """Why kernels cannot be kept; empty if they can."""
    if writable():
        return ""
    reasons = "; ".join(f"{place.parent}: {_problem(place)}" for place in places())
    advice = "choose another folder" if named_folder() else f"name a folder in {VARIABLE}"
    return f"compiled code is kept in memory only, so every process compiles its own ({reasons}); {advice}"


def _problem(place: Path) -> str | None:
    """Makes the folder if need be."""
    try:
        place.mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    if not _is_trusted(place):
        return "others can write to it"
    return None if os.access(place, os.W_OK | os.X_OK) else "not writable"


def _is_trusted(place: Path) -> bool:
    """Whether only this user, root, or the owner of the package, whose code runs anyway, can have written there."""
    try:
        found = place.stat()
    except OSError:
        return False
    if os.name != "posix":
        return True
    return found.st_uid in (0, os.geteuid(), PACKAGE.stat().st_uid) and not found.st_mode & 0o022


def _user() -> int:
    return os.geteuid() if os.name == "posix" else 0


@cache
def _warn_once(text: str) -> None:
    warnings.warn(text, KernelCacheWarning, stacklevel=2)


class KernelCache:
    """The cache of one function, as Numba's dispatcher asks for it."""

    def __init__(self, function: FunctionType) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        self.files: set[Path] = set()
        """Those that were read or written."""

    @property
    def cache_path(self) -> str | None:
        return str(writable()) if writable() else None

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        from numba.core import compiler

        rebuild: Any = compiler.CompileResult._rebuild
        target_context.refresh()
        name = self._file_name(signature, target_context.codegen())
        for place in readable():
            content = _read(place / name)
            if content is not None:
                self.files.add(place / name)
                return rebuild(target_context, *pickle.loads(content))  # noqa: S301  # `readable` are those nobody else can write to
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        from numba.core import serialize

        dumps: Any = serialize.dumps
        place = writable()
        if place is None:
            return _warn_once(problem())
        file = place / self._file_name(signature, compiled.codegen)
        try:
            _write(file, dumps(compiled._reduce()))
        except OSError as error:  # such as a full disk
            return _warn_once(f"compiled code could not be kept in {place}: {error.strerror}")
        self.files.add(file)
        return None

    def flush(self) -> None:
        """Numba calls this before it compiles everything again, which overwrites the files."""

    def _file_name(self, signature: Any, codegen: Any) -> str:
        import llvmlite

        parts = str(signature), codegen.magic_tuple(), sys.implementation.cache_tag, llvmlite.__version__
        return f"{self._name}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:16]}{SUFFIX}"


def _read(file: Path) -> bytes | None:
    """The file's contents; None also if it is damaged, such as one that a power cut left empty."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    digest, rest = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    return rest if hashlib.sha256(rest).digest() == digest else None


def _write(file: Path, content: bytes) -> None:
    draft = file.with_name(f"{file.name}.{os.urandom(8).hex()}")
    try:
        with draft.open("xb") as out:
            out.write(hashlib.sha256(content).digest() + content)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
