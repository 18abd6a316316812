"""Compiles a game's kernel: the same plain functions, turned into machine code by Numba.

A kernel is a module of plain functions over integers (and, where a list comes out, one flat array that the caller
owns). `compiled(module)` gives the same functions compiled for the CPU; a CUDA kernel can call these too. Numba's CUDA
simulator has no compiler: there `for_cuda(module)` gives the plain functions.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
import threading
from functools import cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ludus.core.kernel_cache import KernelCache

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def compiled(module: ModuleType, game: ModuleType | None = None) -> Any:
    """The module's functions compiled for the CPU: seconds at the first call of each, then from a cache on disk.

    A module written once for all games calls the functions of a module `game`, given here. One that needs instructions
    of its own names the module that has them as its `MACHINE`. Calls are inlined and arrays are not reference-counted:
    both halve the time of the smallest functions.
    """
    import numba

    njit: Any = numba.njit
    if machine := getattr(module, "MACHINE", None):
        return importlib.import_module(machine)
    twin = ModuleType(module.__name__)
    names = vars(twin)
    names.update(vars(module))
    for name, function in _imported(module):
        names[name] = getattr(compiled(sys.modules[function.__module__]), function.__name__)
    if game:
        names["game"] = compiled(game)
    mark = fingerprint(module, game)
    for function in functions(module):
        copy = _copy(function, names)
        copy.__qualname__ = f"{function.__name__}_{mark}"
        is_recursive = function.__name__ in function.__code__.co_names
        names[function.__name__] = njit(nogil=True, _nrt=False, forceinline=not is_recursive)(copy)
        names[function.__name__]._cache = KernelCache(copy)
    return twin


@cache
def bound(module: ModuleType, game: ModuleType) -> Any:
    """A module written once for all games, bound to one game, in the interpreter."""
    twin = ModuleType(module.__name__)
    names = vars(twin)
    names.update(vars(module), game=game)
    names.update({function.__name__: _copy(function, names) for function in functions(module)})
    return twin


def _copy(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    """The same function with other globals."""
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def for_cuda(module: ModuleType, game: ModuleType | None = None) -> Any:
    """The module's functions for a CUDA kernel to call."""
    from numba import config

    if not config.ENABLE_CUDASIM:  # type: ignore[attr-defined]  # Numba makes its settings at run time
        return compiled(module, game)
    return bound(module, game) if game else module


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions that a kernel module defines itself, in source order."""
    found = (value for value in vars(module).values() if isinstance(value, FunctionType))
    return (function for function in found if function.__module__ == module.__name__)


def _imported(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """The functions of other modules, by the names they have in this one."""
    found = ((name, value) for name, value in vars(module).items() if isinstance(value, FunctionType))
    return ((name, function) for name, function in found if function.__module__ != module.__name__)


def fingerprint(module: ModuleType, game: ModuleType | None = None) -> str:
    """Changes with any source line of the machine code, so that Numba's cache is never stale."""
    import numba

    from ludus.core import machine

    others = {function.__module__ for _, function in _imported(module)} | ({game.__name__} if game else set())
    marks = [fingerprint(sys.modules[name]) for name in sorted(others)]
    own = [importlib.import_module(module.MACHINE)] if hasattr(module, "MACHINE") else []
    sources = [inspect.getsource(part) for part in (module, machine, sys.modules[__name__], *own)]
    return hashlib.sha256("\0".join([numba.__version__, *marks, *sources]).encode()).hexdigest()[:12]


class Scratch:
    """A buffer of integers for a kernel, one per thread."""

    def __init__(self, kernel: Any, size: int) -> None:
        self._kernel = kernel
        self._size = size
        self._local = threading.local()

    def words(self) -> Any:
        try:
            return self._local.words
        except AttributeError:
            self._local.words = new_words(self._kernel, self._size)
            return self._local.words

    def read(self, count: int) -> list[int]:
        """The first words of the buffer as plain integers."""
        words = self.words()[:count]
        return words if isinstance(words, list) else words.tolist()


def new_words(kernel: Any, size: int) -> Any:
    """A buffer as this kernel takes it: a list for the interpreter, an array for compiled functions."""
    if any(functions(kernel)):
        return [0] * size
    import numpy as np

    return np.zeros(size, np.int64)
